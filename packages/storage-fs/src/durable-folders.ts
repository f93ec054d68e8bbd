import { dirname, sep } from 'node:path'
import { errorCode, type FileSystem } from './file-system.ts'
import { kindOf } from './list-files.ts'
import { linkError } from './true-path.ts'
import { syncFolder } from './write-file-durably.ts'

/**
 * Creates folders below `root` whose names survive a crash. A folder that another process created may not be on the
 * disk yet, so each storage syncs each folder's parent once, no matter who created it. Does not follow symbolic links
 * below the root. Call `forget` after folders were removed.
 */
export function durableFolders(
  fs: FileSystem,
  root: string,
): { ensure(folder: string): Promise<void>; forget(): void } {
  const known = new Set<string>()

  async function ensure(folder: string): Promise<void> {
    if (known.has(folder)) return
    const parent = dirname(folder)
    const below = folder.startsWith(root + sep)
    if (below) await ensure(parent)
    const made = await make(fs, folder, !below, () => ensure(parent))
    // Folders above the root are old, but another process may be creating the root now.
    if (made || below) await syncFolder(fs, parent)
    else if (folder === root) await syncIfAllowed(fs, parent)
    known.add(folder)
  }

  return { ensure, forget: () => known.clear() }
}

/** Creates a folder and its missing parents; returns whether it was created. */
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
      // Above the root, mkdir may report that permission is denied although the folder exists.
      if (code !== 'ENOENT' && (await isFolder(fs, folder, mayBeLink))) return false
      if (code === 'EEXIST') throw Object.assign(new Error(`${folder} is not a folder`), { code: 'ENOTDIR' })
      if (code !== 'ENOENT' || attempt > 0 || dirname(folder) === folder) throw error
      await makeParent()
    }
  }
}

async function isFolder(fs: FileSystem, path: string, mayBeLink: boolean): Promise<boolean> {
  const found = await kindOf(fs, path)
  if (!mayBeLink && found?.isSymbolicLink()) throw linkError(path)
  return found !== undefined && (found.isDirectory() || found.isSymbolicLink())
}

// Errors for a folder without permission, a read-only one, or a file system that cannot sync folders.
const cannotSync = new Set(['EACCES', 'EPERM', 'EROFS', 'EINVAL', 'ENOTSUP'])

/** Ignores these errors: the owner of the folder above a root is responsible for it. */
async function syncIfAllowed(fs: FileSystem, folder: string): Promise<void> {
  try {
    await syncFolder(fs, folder)
  } catch (error) {
    const code = errorCode(error)
    if (code === undefined || !cannotSync.has(code)) throw error
  }
}
