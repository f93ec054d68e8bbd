import { createHash } from 'node:crypto'
import { lstat, readdir, readlink } from 'node:fs/promises'
import { join, sep } from 'node:path'
import { errorCode } from '../../errors.ts'
import { regularFileBlocks } from '../../regular-file.ts'
import type { AbortableOptions } from '../../session/abortable-options.ts'

/** A file of a work tree, or a link, whose content is its target. */
export interface FoundFile {
  readonly size: number
  readonly mode: '100644' | '100755' | '120000'
  readonly sha256: string
}

/** A file whose content goes into a dump. */
export interface FileContent extends FoundFile {
  readonly path: string
  readonly bytes: Buffer
}

/** Size, mode and SHA-256 of the file or link at a path; undefined if there is neither. Throws if it cannot be read. */
export async function digestFile(root: string, path: string): Promise<FoundFile | undefined> {
  return await lookUp(join(root, path), Number.POSITIVE_INFINITY, () => {})
}

/** The same with the content; also undefined if that is larger than `maxBytes`. */
export async function readContent(
  root: string,
  path: string,
  maxBytes: number,
): Promise<FileContent | undefined> {
  const blocks: Buffer[] = []
  const found = await lookUp(join(root, path), maxBytes, (block) => void blocks.push(block))
  return found && { ...found, path, bytes: Buffer.concat(blocks) }
}

/** Links are read as such, never followed. */
async function lookUp(
  place: string,
  maxBytes: number,
  take: (block: Buffer) => void,
): Promise<FoundFile | undefined> {
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
    const mode = isLink ? '120000' : (stats.mode & 0o100) === 0 ? '100644' : '100755'
    return { size, mode, sha256: hash.digest('hex') }
  } catch (error) {
    if (isGone(error)) return undefined
    throw error
  }
}

/** SHA-256 in hex. */
export function sha256Of(bytes: Uint8Array): string {
  return createHash('sha256').update(bytes).digest('hex')
}

/** Whether an error means that there is no file, or a file in the place of a folder. */
export function isGone(error: unknown): boolean {
  return ['ENOENT', 'ENOTDIR'].includes(errorCode(error) ?? '')
}

/** The files and links below a folder, each folder in the order of names, and folders that could not be read. */
export interface WalkedFolder {
  readonly files: readonly { readonly path: string; readonly link: boolean }[]
  readonly unreadable: readonly string[]
  /** True if there are more than the limit. */
  readonly cut: boolean
}

/** Lists files and links below a folder; follows no link, and skips `.git` and the folders in `ignore`. */
export async function walkFolder(
  root: string,
  options: AbortableOptions & { readonly ignore: readonly string[]; readonly max: number },
): Promise<WalkedFolder> {
  const { ignore, max, signal } = options
  const left = new Set(ignore)
  const files: { path: string; link: boolean }[] = []
  const unreadable: string[] = []
  const waiting = ['']
  for (let folder = waiting.pop(); folder !== undefined && files.length <= max; folder = waiting.pop()) {
    signal?.throwIfAborted()
    const entries = await readdir(join(root, folder), { withFileTypes: true }).catch((error: unknown) => {
      if (errorCode(error) === undefined) throw error
      return undefined
    })
    if (entries === undefined) unreadable.push(folder)
    const folders: string[] = []
    for (const entry of (entries ?? []).sort((a, b) => (a.name < b.name ? -1 : 1))) {
      const path = folder === '' ? entry.name : `${folder}/${entry.name}`
      if (left.has(path)) continue
      if (entry.isFile() || entry.isSymbolicLink()) files.push({ path, link: entry.isSymbolicLink() })
      else if (entry.isDirectory() && entry.name !== '.git') folders.push(path)
    }
    waiting.push(...folders.reverse())
  }
  return { files: files.slice(0, max), unreadable, cut: files.length > max }
}

/** Whether the name of a file is not UTF-8, so that no text says which file it is. */
export function isNoText(path: string): boolean {
  return path.includes('\ufffd')
}

/**
 * Says what is wrong with a path that a dump names; undefined if it stays below its root and out of `.git`. Git refuses
 * the same in patches, https://git-scm.com/docs/git-config#Documentation/git-config.txt-coreprotectNTFS
 */
export function pathFault(path: string): string | undefined {
  if (path === '' || path.includes('\0')) return 'it is empty or holds NUL'
  if (path.startsWith('/') || (sep === '\\' && /[\\:]/.test(path))) return 'it is not relative'
  // File systems ignore letter case, zero-width characters, and certain endings of a name.
  for (const name of path.split('/')) {
    if (name === '' || name === '.' || name === '..') return 'it leaves its folder'
    const plain = name.replace(/[\u200b-\u200f\u202a-\u202e\u2060-\u2064\u206a-\u206f\ufeff]/g, '')
    if (/^(?:\.git|git~1)[ .]*(?::.*)?$/i.test(plain)) return 'it leads into .git'
  }
  return undefined
}
