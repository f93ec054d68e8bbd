import { join } from 'node:path'
import { type ListOptions, type StoredObject, storageKeyFault } from '@tenfold/core/storage'
import { errorCode, type FileKind, type FileSystem } from './file-system.ts'

const parallelStats = 64

/**
 * Files below `root` whose key begins with `prefix`, in byte order of the keys. Skips symbolic links and names that
 * cannot be keys (temporary files, locks, dot files).
 */
export async function* listFiles(
  fs: FileSystem,
  root: string,
  prefix: string,
  { after = '', sizes = true }: ListOptions = {},
): AsyncGenerator<StoredObject> {
  const slash = prefix.lastIndexOf('/') + 1
  const folder = prefix.slice(0, slash)
  if (folder !== '' && storageKeyFault(folder.slice(0, -1)) !== undefined) return
  // `a/b/` may be behind a link, so each folder on the way is checked.
  const steps = folder === '' ? [] : folder.slice(0, -1).split('/')
  for (let depth = 1; depth <= steps.length; depth++) {
    if (!(await kindOf(fs, join(root, ...steps.slice(0, depth))))?.isDirectory()) return
  }
  yield* walk(fs, root, folder, { prefix, after, sizes })
}

async function* walk(
  fs: FileSystem,
  root: string,
  folder: string,
  range: Required<ListOptions> & { readonly prefix: string },
): AsyncGenerator<StoredObject> {
  const names: { readonly key: string; readonly isFile: boolean }[] = []
  for (const entry of await readFolder(fs, join(root, folder))) {
    const isFile = entry.isFile()
    if (!isFile && !entry.isDirectory()) continue
    const key = `${folder}${entry.name}${isFile ? '' : '/'}`
    if (isInRange(key, isFile, range) && storageKeyFault(entry.name) === undefined)
      names.push({ key, isFile })
  }
  // Folders sort with their "/", so that the walk yields whole keys in order. Names are ASCII.
  names.sort((a, b) => (a.key < b.key ? -1 : 1))
  for (let start = 0; start < names.length; start += parallelStats) {
    const batch = names.slice(start, start + parallelStats)
    const kinds = await Promise.all(
      batch.map(({ key, isFile }) => (isFile && range.sizes ? kindOf(fs, join(root, key)) : undefined)),
    )
    for (const [index, { key, isFile }] of batch.entries()) {
      const kind = kinds[index]
      if (!isFile) yield* walk(fs, root, key, range)
      else if (!range.sizes) yield { key, size: 0 }
      else if (kind?.isFile()) yield { key, size: kind.size }
    }
  }
}

/** Whether a key is in the range. A folder is if a key below it can be. */
function isInRange(
  key: string,
  isFile: boolean,
  { prefix, after }: { prefix: string; after: string },
): boolean {
  if (!key.startsWith(prefix)) return false
  return key > after || (!isFile && after.startsWith(key))
}

async function readFolder(fs: FileSystem, path: string): Promise<(FileKind & { readonly name: string })[]> {
  try {
    return await fs.readdir(path, { withFileTypes: true })
  } catch (error) {
    if (isGone(error)) return []
    throw error
  }
}

/** The entry at a path. Undefined if there is none. */
export async function kindOf(
  fs: FileSystem,
  path: string,
): Promise<Awaited<ReturnType<FileSystem['lstat']>> | undefined> {
  try {
    return await fs.lstat(path)
  } catch (error) {
    if (isGone(error)) return undefined
    throw error
  }
}

function isGone(error: unknown): boolean {
  const code = errorCode(error)
  return code === 'ENOENT' || code === 'ENOTDIR'
}
