import { readdir } from 'node:fs/promises'
import { errorCode } from '../../errors.ts'
import type { AbortableOptions } from '../../session/abortable-options.ts'
import { placeOf } from './file-path.ts'

/** The files and links below a folder, each folder in the order of names, and folders that could not be read. */
export interface WalkedFolder {
  readonly files: readonly { readonly path: Buffer; readonly link: boolean }[]
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
  const files: { path: Buffer; link: boolean }[] = []
  const unreadable: Buffer[] = []
  const waiting: Buffer[] = [Buffer.alloc(0)]
  for (let folder = waiting.pop(); folder !== undefined && files.length <= max; folder = waiting.pop()) {
    signal?.throwIfAborted()
    const entries = await readdir(placeOf(root, folder), { withFileTypes: true, encoding: 'buffer' }).catch(
      (error: unknown) => {
        if (errorCode(error) === undefined) throw error
        return undefined
      },
    )
    if (entries === undefined) unreadable.push(folder)
    const folders: Buffer[] = []
    for (const entry of (entries ?? []).sort((a, b) => Buffer.compare(a.name, b.name))) {
      const path = folder.length === 0 ? entry.name : Buffer.concat([folder, Buffer.from('/'), entry.name])
      if (left.has(path.toString('utf8'))) continue
      if (entry.isFile() || entry.isSymbolicLink()) files.push({ path, link: entry.isSymbolicLink() })
      else if (entry.isDirectory() && entry.name.toString('latin1') !== '.git') folders.push(path)
    }
    waiting.push(...folders.reverse())
  }
  return { files: files.slice(0, max), unreadable, cut: files.length > max }
}
