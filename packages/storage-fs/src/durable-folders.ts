import { dirname, sep } from 'node:path'
import { errorCode, type FileSystem } from './file-system.ts'
import { syncFolder } from './write-file-durably.ts'

/**
 * Makes folders below `root` whose names survive a crash. A folder that another process made may not be on the disk yet,
 * so each is synced into its parent once by each storage, whoever made it. Follows no symbolic link below the root.
 * `forget` is for folders that were removed.
 */
export function durableFolders(
  fs: FileSystem,
  root: string,
): { ensure(folder: string): Promise<void>; forget(): void } {
  const known = new Set<string>()

  async function ensure(folder: string): Promise<void> {
    if (known.has(folder)) return
    const parent = dirname(folder)
    const above = folder === root || !folder.startsWith(root + sep)
    if (!above) await ensure(parent)
    const made = await make(fs, folder, above, () => ensure(parent))
    if (made || !above) await syncFolder(fs, parent)
    known.add(folder)
  }

  return { ensure, forget: () => known.clear() }
}

/** Tells whether the folder had to be made; makes those above it first where they are missing. */
async function make(
  fs: FileSystem,
  folder: string,
  mayBeLink: boolean,
  makeParent: () => Promise<void>,
): Promise<boolean> {
  for (let attempt = 0; ; attempt++) {
    try {
      await fs.mkdir(folder)
      return true
    } catch (error) {
      const code = errorCode(error)
      // Above the root a folder may exist and mkdir say that permission is denied.
      if (code !== 'ENOENT' && (await isFolder(fs, folder, mayBeLink))) return false
      if (code === 'EEXIST') throw Object.assign(new Error(`${folder} is no folder`), { code: 'ENOTDIR' })
      if (code !== 'ENOENT' || attempt > 0 || dirname(folder) === folder) throw error
      await makeParent()
    }
  }
}

async function isFolder(fs: FileSystem, path: string, mayBeLink: boolean): Promise<boolean> {
  try {
    const found = await fs.lstat(path)
    if (!mayBeLink && found.isSymbolicLink()) throw linkError(path)
    return found.isDirectory() || found.isSymbolicLink()
  } catch (error) {
    if (errorCode(error) === 'ENOENT') return false
    throw error
  }
}

/** Error for a symbolic link below the root of a storage. */
export function linkError(path: string): Error {
  return Object.assign(new Error(`${path} is or lies behind a symbolic link`), { code: 'ELOOP' })
}
