import { join } from 'node:path'
import { type ListOptions, type StoredObject, storageKeyFault } from '@tenfold/core/storage'
import { errorCode, type FileSystem } from './file-system.ts'

const parallelStats = 64

/**
 * Files below `root` whose key begins with `prefix`, in byte order of the keys, several at a time. Skips symbolic links
 * and names that cannot be keys (temporary files, locks, dot files).
 */
export async function* listFiles(
  fs: FileSystem,
  root: string,
  prefix: string,
  { after = '', sizes = true }: ListOptions = {},
): AsyncGenerator<StoredObject[]> {
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
): AsyncGenerator<StoredObject[]> {
  const names: { readonly key: string; readonly isFile: boolean }[] = []
  const entries = await unlessGone(fs.readdir(join(root, folder), { withFileTypes: true }))
  for (const entry of entries ?? []) {
    const isFile = entry.isFile()
    if (!isFile && !entry.isDirectory()) continue
    const key = `${folder}${entry.name}${isFile ? '' : '/'}`
    if (isInRange(key, isFile, range)) names.push({ key, isFile })
  }
  // Folders sort with their "/", so that the walk yields whole keys in order. Names of keys are ASCII.
  names.sort((a, b) => (a.key < b.key ? -1 : 1))
  for (let start = 0; start < names.length; start += parallelStats) {
    // Checked here, because a caller may need no more than the first names.
    const batch = names
      .slice(start, start + parallelStats)
      .filter(({ key }) => storageKeyFault(key.slice(folder.length).replace(/\/$/, '')) === undefined)
    const kinds = await Promise.all(
      batch.map(({ key, isFile }) => (isFile && range.sizes ? kindOf(fs, join(root, key)) : undefined)),
    )
    let files: StoredObject[] = []
    for (const [index, { key, isFile }] of batch.entries()) {
      const kind = kinds[index]
      if (isFile && (!range.sizes || kind?.isFile())) files.push({ key, size: kind?.size ?? 0 })
      if (isFile) continue
      yield files
      files = []
      yield* walk(fs, root, key, range)
    }
    yield files
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

/** The entry at a path. Undefined if there is none. */
export async function kindOf(
  fs: FileSystem,
  path: string,
): Promise<Awaited<ReturnType<FileSystem['lstat']>> | undefined> {
  return await unlessGone(fs.lstat(path))
}

async function unlessGone<T>(look: Promise<T>): Promise<T | undefined> {
  try {
    return await look
  } catch (error) {
    const code = errorCode(error)
    if (code === 'ENOENT' || code === 'ENOTDIR') return undefined
    throw error
  }
}
