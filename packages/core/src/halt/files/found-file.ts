import { createHash } from 'node:crypto'
import { lstat, readlink } from 'node:fs/promises'
import { errorCode } from '../../errors.ts'
import { regularFileBlocks } from '../../regular-file.ts'
import { placeOf } from './file-path.ts'

/** A file of a work tree, or a link, whose content is its target. */
export interface FoundFile {
  readonly size: number
  readonly mode: '100644' | '100755' | '120000'
  readonly sha256: string
}

/** A file whose content goes into a dump. */
export interface FileContent extends FoundFile {
  readonly path: Buffer
  readonly bytes: Buffer
}

/** Size, mode and SHA-256 of the file or link at a path; undefined if there is neither. Throws if it cannot be read. */
export async function digestFile(root: string, path: Buffer): Promise<FoundFile | undefined> {
  return await lookUp(root, path, Number.POSITIVE_INFINITY, () => {})
}

/** The same with the content; also undefined if that is larger than `maxBytes`. */
export async function readContent(
  root: string,
  path: Buffer,
  maxBytes: number,
): Promise<FileContent | undefined> {
  const blocks: Buffer[] = []
  const found = await lookUp(root, path, maxBytes, (block) => void blocks.push(block))
  return found && { ...found, path, bytes: Buffer.concat(blocks) }
}

/** Links are read as such, never followed. */
async function lookUp(
  root: string,
  path: Buffer,
  maxBytes: number,
  take: (block: Buffer) => void,
): Promise<FoundFile | undefined> {
  const place = placeOf(root, path)
  try {
    const stats = await lstat(place)
    const isLink = stats.isSymbolicLink()
    if (stats.size > maxBytes || !(isLink || stats.isFile())) return undefined
    const hash = createHash('sha256')
    let size = 0
    const blocks = isLink
      ? [await readlink(place, { encoding: 'buffer' })]
      : regularFileBlocks(place, { links: false })
    for await (const block of blocks) {
      size += block.length
      if (size > maxBytes) return undefined
      hash.update(block)
      take(block)
    }
    return { size, mode: isLink ? '120000' : modeOf(stats.mode), sha256: hash.digest('hex') }
  } catch (error) {
    if (isGone(error)) return undefined
    throw error
  }
}

function modeOf(mode: number): '100644' | '100755' {
  return (mode & 0o100) === 0 ? '100644' : '100755'
}

/** SHA-256 in hex. */
export function sha256Of(bytes: Uint8Array): string {
  return createHash('sha256').update(bytes).digest('hex')
}

/** Whether an error means that there is no file, or a file in the place of a folder. */
export function isGone(error: unknown): boolean {
  const code = errorCode(error)
  return code === 'ENOENT' || code === 'ENOTDIR'
}
