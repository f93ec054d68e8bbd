import { createHash } from 'node:crypto'
import { constants, createReadStream } from 'node:fs'
import { lstat, open, readlink } from 'node:fs/promises'
import { errorCode } from '../../errors.ts'
import { placeOf } from '../file-path.ts'

/** What stands at a path of a work tree. */
export interface FileDigest {
  readonly size: number
  readonly mode: '100644' | '100755' | '120000'
  /** Of the content, of a link that of its target. */
  readonly sha256: string
}

/** Size, mode and SHA-256 of a file or link; undefined where there is neither. Throws where it cannot be read. */
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
    for await (const block of createReadStream(place) as AsyncIterable<Buffer>) {
      hash.update(block)
      size += block.length
    }
    return { size, mode: modeOf(found.mode), sha256: hash.digest('hex') }
  } catch (error) {
    if (isGone(error)) return undefined
    throw error
  }
}

/** The content of a file of at most `maxBytes`, opened without following a link; undefined where it is none, or larger. */
export async function readSmallFile(
  root: string,
  path: Buffer,
  maxBytes: number,
): Promise<(FileDigest & { readonly bytes: Buffer }) | undefined> {
  const file = await open(
    placeOf(root, path),
    constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK,
  )
  try {
    const found = await file.stat()
    if (!found.isFile() || found.size > maxBytes) return undefined
    const bytes = await file.readFile()
    return { size: bytes.length, mode: modeOf(found.mode), sha256: sha256Of(bytes), bytes }
  } finally {
    await file.close()
  }
}

/** A link as a file whose content is its target; undefined for what is none. */
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

/** True where there is no file, or a file where a folder was. */
export function isGone(error: unknown): boolean {
  const code = errorCode(error)
  return code === 'ENOENT' || code === 'ENOTDIR'
}
