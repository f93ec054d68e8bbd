import { constants } from 'node:fs'
import { dirname } from 'node:path'
import type { FileSystem } from './file-system.ts'
import { kindOf } from './list-files.ts'

/** Throws the system's error if no file can be created at `path`: its nearest existing folder must be writable. */
export async function assertWritable(fs: FileSystem, path: string): Promise<void> {
  for (let folder = dirname(path); ; folder = dirname(folder)) {
    const found = await kindOf(fs, folder)
    if (found === undefined && folder !== dirname(folder)) continue
    if (found?.isFile()) throw Object.assign(new Error(`${folder} is a file`), { code: 'ENOTDIR' })
    await fs.access(folder, constants.W_OK | constants.X_OK)
    return
  }
}
