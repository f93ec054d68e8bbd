import { lstat, readdir, readlink } from 'node:fs/promises'
import { join, sep } from 'node:path'
import { errorCode } from '../../errors.ts'
import { readRegularFile } from '../../regular-file.ts'
import type { AbortableOptions } from '../../session/abortable-options.ts'

export interface FileContent {
  readonly bytes: Buffer
  readonly mode: '100644' | '100755' | '120000'
}

/**
 * Reads the file or link at a path; links are not followed. Returns undefined if there is none, and the reason if it
 * cannot be read or is larger than `maxBytes`.
 */
export async function readContent(
  place: string,
  maxBytes: number,
): Promise<FileContent | string | undefined> {
  try {
    const stats = await lstat(place)
    if (stats.isDirectory()) return undefined
    if (stats.size > maxBytes) return `it is larger than ${maxBytes} bytes`
    if (stats.isSymbolicLink())
      return { bytes: await readlink(place, { encoding: 'buffer' }), mode: '120000' }
    const bytes = await readRegularFile(place, { links: false, maxBytes })
    return { bytes, mode: (stats.mode & 0o100) === 0 ? '100644' : '100755' }
  } catch (error) {
    const code = errorCode(error)
    if (code === undefined) throw error
    return isGone(error) ? undefined : `it cannot be read: ${code}`
  }
}

/** Whether an error means that a file does not exist, or that a file is in place of its folder. */
export function isGone(error: unknown): boolean {
  return ['ENOENT', 'ENOTDIR'].includes(errorCode(error) ?? '')
}

/** Lists files and links below a folder. Follows no link, and skips `.git` and the folders in `ignore`. */
export async function walkFolder(
  root: string,
  { ignore, max, signal }: AbortableOptions & { readonly ignore: readonly string[]; readonly max: number },
) {
  const left = new Set(ignore)
  const files: string[] = []
  const unreadable: string[] = []
  const waiting = ['']
  for (let folder = waiting.pop(); folder !== undefined && files.length < max; folder = waiting.pop()) {
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
      if (entry.isFile() || entry.isSymbolicLink()) files.push(path)
      else if (entry.isDirectory() && entry.name !== '.git') folders.push(path)
    }
    waiting.push(...folders.reverse())
  }
  return { files: files.slice(0, max), unreadable }
}

export function foldersOf(path: string): string[] {
  const names = path.split('/')
  return names.slice(1).map((_, index) => names.slice(0, index + 1).join('/'))
}

/** Whether the name of a file is not UTF-8, so that its text does not identify the file. */
export function isNoText(path: string): boolean {
  return path.includes('\ufffd')
}

/**
 * Returns the fault of a path in a dump; undefined if it stays below its root and out of `.git`. Git refuses the same
 * in patches, https://git-scm.com/docs/git-config#Documentation/git-config.txt-coreprotectNTFS
 */
export function pathFault(path: string): string | undefined {
  if (path === '' || path.includes('\0')) return 'it is empty or holds NUL'
  if (path.startsWith('/') || (sep === '\\' && /[\\:]/.test(path))) return 'it is not relative'
  // File systems ignore case, zero-width characters, and certain endings of a name.
  for (const name of path.split('/')) {
    if (name === '' || name === '.' || name === '..') return 'it leaves its folder'
    const plain = name.replace(/[\u200b-\u200f\u202a-\u202e\u2060-\u2064\u206a-\u206f\ufeff]/g, '')
    if (/^(?:\.git|git~1)[ .]*(?::.*)?$/i.test(plain)) return 'it leads into .git'
  }
  return undefined
}
