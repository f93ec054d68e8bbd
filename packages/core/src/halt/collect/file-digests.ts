import { createHash } from 'node:crypto'
import { lstat, readlink } from 'node:fs/promises'
import { errorCode } from '../../errors.ts'
import { readRegularFile, regularFileBlocks } from '../../regular-file.ts'
import { placeOf } from '../file-path.ts'

/** The file or link at a path of a work tree. */
export interface FileDigest {
  readonly size: number
  readonly mode: '100644' | '100755' | '120000'
  /** Digest of the content; for a link that of its target. */
  readonly sha256: string
}

/** Returns size, mode and SHA-256 of a file or link; undefined if there is neither. Throws if it cannot be read. */
export async function digestFile(root: string, path: Buffer): Promise<FileDigest | undefined> {
  const place = placeOf(root, path)
  try {
    const found = await lstat(place)
    if (found.isSymbolicLink()) {
      const target = await readlink(place, { encoding: 'buffer' })
      return { size: target.length, mode: '120000', sha256: sha256Of(target) }
    }
    if (!found.isFile()) return undefined
    const hash = createHash('sha256')
    let size = 0
    for await (const block of regularFileBlocks(place, { links: false })) {
      hash.update(block)
      size += block.length
    }
    return { size, mode: modeOf(found.mode), sha256: hash.digest('hex') }
  } catch (error) {
    if (isGone(error)) return undefined
    throw error
  }
}

/**
 * Returns the content of a file of at most `maxBytes`, opened without following a link; undefined if it is not a file,
 * or larger.
 */
export async function readSmallFile(
  root: string,
  path: Buffer,
  maxBytes: number,
): Promise<(FileDigest & { readonly bytes: Buffer }) | undefined> {
  const place = placeOf(root, path)
  const found = await lstat(place)
  if (found.isSymbolicLink() || !found.isFile() || found.size > maxBytes) return undefined
  const bytes = await readRegularFile(place, { links: false, maxBytes })
  return { size: bytes.length, mode: modeOf(found.mode), sha256: sha256Of(bytes), bytes }
}

/** Reads a link as a file whose content is its target; undefined if it is not a link. */
export async function readLink(
  root: string,
  path: Buffer,
): Promise<(FileDigest & { readonly bytes: Buffer }) | undefined> {
  const place = placeOf(root, path)
  if (!(await lstat(place)).isSymbolicLink()) return undefined
  const bytes = await readlink(place, { encoding: 'buffer' })
  return { size: bytes.length, mode: '120000', sha256: sha256Of(bytes), bytes }
}

/** SHA-256 in hex. */
export function sha256Of(bytes: Uint8Array): string {
  return createHash('sha256').update(bytes).digest('hex')
}

function modeOf(mode: number): '100644' | '100755' {
  return (mode & 0o100) === 0 ? '100644' : '100755'
}

/** Whether an error means that there is no file, or a file in the place of a folder. */
export function isGone(error: unknown): boolean {
  const code = errorCode(error)
  return code === 'ENOENT' || code === 'ENOTDIR'
}
