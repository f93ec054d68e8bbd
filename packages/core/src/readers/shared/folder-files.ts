import { readdir } from 'node:fs/promises'
import { join } from 'node:path'
import { errorCode, LogReadError } from '../../errors.ts'
import { startOfRegularFile } from '../../regular-file.ts'
import { codecOf, decodeLog } from '../log/decode-log.ts'
import { fileFromPath, unpackedName } from '../log/log-file.ts'

/** Names of the files and folders in a folder, sorted; empty if the folder is missing or cannot be read. */
export async function namesIn(folder: string): Promise<{
  readonly files: readonly string[]
  readonly folders: readonly string[]
}> {
  const entries = await readdir(folder, { withFileTypes: true }).catch((error: NodeJS.ErrnoException) => {
    if (error.code !== undefined && ['ENOENT', 'ENOTDIR', 'EACCES', 'EPERM'].includes(error.code)) return []
    throw error
  })
  const named = (pick: (entry: (typeof entries)[number]) => boolean): string[] =>
    entries
      .filter(pick)
      .map(({ name }) => name)
      .sort()
  return { files: named((entry) => entry.isFile()), folders: named((entry) => entry.isDirectory()) }
}

/** The paths of the files in a folder whose names match, and whose texts begin with `start` if it is given, sorted. */
export async function filesNamed(folder: string, name: RegExp, start?: RegExp): Promise<readonly string[]> {
  const { files } = await namesIn(folder)
  const paths = files.filter((file) => name.test(file)).map((file) => join(folder, file))
  return start === undefined ? paths : await filesThatBegin(paths, start)
}

/** Those of the files whose texts begin with `start`. */
export async function filesThatBegin(paths: readonly string[], start: RegExp): Promise<readonly string[]> {
  const found: string[] = []
  for (const path of paths) if (start.test(await startOfFile(path))) found.push(path)
  return found
}

/** The files of a folder that are read with a log: paths by unpacked name. A file comes before its packed copy. */
export async function packedFilesIn(folder: string): Promise<ReadonlyMap<string, string>> {
  const paths = new Map<string, string>()
  for (const name of (await namesIn(folder)).files) {
    const unpacked = unpackedName(name)
    if (!paths.has(unpacked)) paths.set(unpacked, join(folder, name))
  }
  return paths
}

/** The paths of the files in a folder whose unpacked names match, sorted. */
export async function packedNamed(folder: string, name: RegExp): Promise<readonly string[]> {
  return [...(await packedFilesIn(folder))].filter(([file]) => name.test(file)).map(([, path]) => path)
}

/** The paths of `name` in each folder of `folder` that has it, sorted by folder. */
export async function filesOfFolders(folder: string, name: string): Promise<readonly string[]> {
  const found: string[] = []
  for (const inner of (await namesIn(folder)).folders) {
    const { files } = await namesIn(join(folder, inner))
    if (files.includes(name)) found.push(join(folder, inner, name))
  }
  return found
}

/** The first `bytes` bytes of a file, unpacked, as text; empty if it cannot be read. */
export async function startOfFile(path: string, bytes = 4096): Promise<string> {
  const start = await startOfRegularFile(path, bytes).catch((error: unknown) => {
    if (errorCode(error) === undefined) throw error
    return Buffer.alloc(0)
  })
  return codecOf(start) === undefined ? start.toString('utf8') : await startOfPacked(path, bytes)
}

async function startOfPacked(path: string, bytes: number): Promise<string> {
  const blocks: Uint8Array[] = []
  let size = 0
  try {
    for await (const block of decodeLog(await fileFromPath(path), () => {})) {
      blocks.push(block)
      size += block.byteLength
      if (size >= bytes) break
    }
  } catch (error) {
    // It may not belong to the log at all; if it does, reading it reports the fault.
    if (!(error instanceof LogReadError)) throw error
  }
  return Buffer.concat(blocks).toString('utf8', 0, Math.min(size, bytes))
}
