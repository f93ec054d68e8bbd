import { readdir } from 'node:fs/promises'
import { join } from 'node:path'
import { errorCode, LogReadError } from '../../errors.ts'
import { startOfRegularFile } from '../../regular-file.ts'
import { codecOf, decodeLog } from '../log/decode-log.ts'
import { fileFromPath, joined, unpackedName } from '../log/log-file.ts'

/** Returns the sorted names of the files and folders in a folder; none if it is missing or cannot be read. */
export async function namesIn(folder: string) {
  const entries = await readdir(folder, { withFileTypes: true }).catch((error: NodeJS.ErrnoException) => {
    if (error.code !== undefined && ['ENOENT', 'ENOTDIR', 'EACCES', 'EPERM'].includes(error.code)) return []
    throw error
  })
  const named = (pick: (entry: (typeof entries)[number]) => boolean): readonly string[] =>
    entries
      .filter(pick)
      .map(({ name }) => name)
      .sort()
  return { files: named((entry) => entry.isFile()), folders: named((entry) => entry.isDirectory()) }
}

/** Returns the files of a folder: paths by unpacked name. A file replaces its packed copy. */
export async function packedFilesIn(folder: string): Promise<ReadonlyMap<string, string>> {
  const paths = new Map<string, string>()
  for (const name of (await namesIn(folder)).files) {
    const unpacked = unpackedName(name)
    if (!paths.has(unpacked)) paths.set(unpacked, join(folder, name))
  }
  return paths
}

type Name = string | RegExp

/** Returns the sorted paths of files below a folder, by the names of the folders above and of the file, maybe packed. */
export async function filesAt(folder: string, ...[name = '', ...rest]: readonly Name[]): Promise<string[]> {
  const fits = (other: string): boolean => (typeof name === 'string' ? other === name : name.test(other))
  if (rest.length === 0)
    return [...(await packedFilesIn(folder))].filter(([file]) => fits(file)).map(([, path]) => path)
  const folders = typeof name === 'string' ? [name] : (await namesIn(folder)).folders.filter(fits)
  const found: string[] = []
  for (const inner of folders) found.push(...(await filesAt(join(folder, inner), ...rest)))
  return found
}

export async function filesThatBegin(paths: readonly string[], start: RegExp): Promise<readonly string[]> {
  const found: string[] = []
  for (const path of paths) if (start.test(await startOfFile(path))) found.push(path)
  return found
}

/** Returns the first `bytes` bytes of a file, unpacked, as text; empty if it cannot be read. */
export async function startOfFile(path: string, bytes = 4096): Promise<string> {
  const start = await startOfRegularFile(path, bytes).catch((error: unknown) => {
    if (errorCode(error) === undefined) throw error
    return Buffer.alloc(0)
  })
  return codecOf(start) === undefined ? start.toString('utf8') : await startOfPacked(path, bytes)
}

async function startOfPacked(path: string, bytes: number): Promise<string> {
  try {
    return (await joined(decodeLog(await fileFromPath(path)), bytes)).toString('utf8', 0, bytes)
  } catch (error) {
    // The file may not belong to the log; if it does, reading it reports the fault.
    if (error instanceof LogReadError) return ''
    throw error
  }
}
