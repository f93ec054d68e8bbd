import type { Dirent } from 'node:fs'
import { readdir } from 'node:fs/promises'
import type { AbortableOptions } from '../../session/abortable-options.ts'
import { placeOf } from '../file-path.ts'

/** A file or link below a folder. */
interface WalkedFile {
  readonly path: Buffer
  readonly link: boolean
}

/** The files below a folder, each folder in the order of names, and folders that could not be read. */
export interface WalkedFolder {
  readonly files: readonly WalkedFile[]
  readonly unreadable: readonly Buffer[]
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
  const files: WalkedFile[] = []
  const unreadable: Buffer[] = []
  const queue: Buffer[] = [Buffer.alloc(0)]
  for (let folder = queue.pop(); folder !== undefined && files.length <= max; folder = queue.pop()) {
    signal?.throwIfAborted()
    const entries = await entriesOf(placeOf(root, folder))
    if (entries === undefined) {
      unreadable.push(folder)
      continue
    }
    const folders: Buffer[] = []
    for (const entry of entries.sort((a, b) => Buffer.compare(a.name, b.name))) {
      const path = folder.length === 0 ? entry.name : Buffer.concat([folder, Buffer.from('/'), entry.name])
      if (left.has(path.toString('utf8'))) continue
      if (entry.isDirectory()) {
        if (entry.name.toString('latin1') !== '.git') folders.push(path)
      } else if (entry.isFile() || entry.isSymbolicLink()) files.push({ path, link: entry.isSymbolicLink() })
    }
    queue.push(...folders.reverse())
  }
  return { files: files.slice(0, max), unreadable, cut: files.length > max }
}

async function entriesOf(place: Buffer): Promise<Dirent<Buffer>[] | undefined> {
  try {
    return await readdir(place, { withFileTypes: true, encoding: 'buffer' })
  } catch {
    // Missing or not permitted: it is reported by its name.
    return undefined
  }
}
