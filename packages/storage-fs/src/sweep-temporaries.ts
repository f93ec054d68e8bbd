import { join, resolve } from 'node:path'
import { type FileSystem, realFileSystem } from './file-system.ts'
import { kindOf } from './list-files.ts'
import { lockClaimName, unlinkIfThere } from './lock/lock-file.ts'
import { storageFailure } from './storage-failure.ts'
import { temporaryName } from './write-file-durably.ts'

const hour = 60 * 60 * 1000

/** Options of {@link sweepTemporaries}. */
export interface SweepTemporariesOptions {
  /** Keep files younger than this, in milliseconds, because they may be in use. @default 3_600_000 */
  readonly olderThan?: number | undefined
}

/**
 * Removes the temporary files that killed processes left below a folder and returns their paths. Does not touch stored
 * files or follow links. Throws StorageError.
 */
export async function sweepTemporaries(
  root: string,
  options: SweepTemporariesOptions = {},
): Promise<string[]> {
  return await sweepFolder(realFileSystem, root, options)
}

export async function sweepFolder(
  fs: FileSystem,
  root: string,
  { olderThan = hour }: SweepTemporariesOptions = {},
): Promise<string[]> {
  const removed: string[] = []
  const folders = [resolve(root)]
  try {
    for (let folder = folders.pop(); folder !== undefined; folder = folders.pop()) {
      const kind = await kindOf(fs, folder)
      if (kind === undefined || (!kind.isDirectory() && folder !== resolve(root))) continue
      for (const entry of await fs.readdir(folder, { withFileTypes: true })) {
        const path = join(folder, entry.name)
        if (entry.isDirectory()) folders.push(path)
        if (!entry.isFile() || !(temporaryName.test(entry.name) || lockClaimName.test(entry.name))) continue
        const found = await kindOf(fs, path)
        if (found === undefined || Date.now() - found.mtimeMs < olderThan) continue
        await unlinkIfThere(fs, path)
        removed.push(path)
      }
    }
    return removed
  } catch (cause) {
    throw storageFailure('sweep', '', resolve(root), cause)
  }
}
