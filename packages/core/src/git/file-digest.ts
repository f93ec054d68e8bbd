import { createHash } from 'node:crypto'
import { lstat, readlink } from 'node:fs/promises'
import { errorCode } from '../errors.ts'
import { readRegularFile } from '../regular-file.ts'

export interface FileState {
  readonly exists: boolean
  /** First 16 hex digits of the SHA-256 of the content, or of a link's target; absent for folders and above 4 MiB. */
  readonly digest?: string
  /** Time of the last change, in milliseconds since 1970. */
  readonly changedAt?: number
}

const maxBytes = 4 * 1024 * 1024

/** Inspects a file without following a link. A file that cannot be read counts as existing. */
export async function fileState(path: string): Promise<FileState> {
  try {
    const found = await lstat(path)
    const changedAt = found.mtimeMs
    if (found.isSymbolicLink()) return { exists: true, changedAt, digest: digestOf(await readlink(path)) }
    if (!found.isFile() || found.size > maxBytes) return { exists: true, changedAt }
    return {
      exists: true,
      changedAt,
      digest: digestOf(await readRegularFile(path, { links: false, maxBytes })),
    }
  } catch (error) {
    const code = errorCode(error)
    // A path that contains NUL cannot name a file.
    return { exists: code !== 'ENOENT' && code !== 'ENOTDIR' && code !== 'ERR_INVALID_ARG_VALUE' }
  }
}

function digestOf(content: Uint8Array | string): string {
  return createHash('sha256').update(content).digest('hex').slice(0, 16)
}
