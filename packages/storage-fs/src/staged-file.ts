import { createHash } from 'node:crypto'
import type { FileSystem } from './file-system.ts'
import { closing, openTemporary, removeTemporary, syncWhole, writeAll } from './write-file-durably.ts'

export interface StagedFile {
  readonly path: string
  write(bytes: Uint8Array): Promise<void>
  /** Syncs all bytes to the disk and returns their SHA-256. */
  finish(): Promise<string>
  /** Removes the file, unless it was already renamed. Never rejects. */
  discard(): Promise<void>
}

export async function stageFile(fs: FileSystem, folder: string): Promise<StagedFile> {
  const { path, file } = await openTemporary(fs, folder, 'staged')
  const hash = createHash('sha256')
  let size = 0
  let isOpen = true
  return {
    path,
    async write(bytes) {
      await writeAll(file, bytes, size)
      hash.update(bytes)
      size += bytes.byteLength
    },
    async finish() {
      isOpen = false
      await closing(file, () => syncWhole(file, size))
      return hash.digest('hex')
    },
    async discard() {
      if (isOpen) await file.close().catch(() => undefined)
      isOpen = false
      await removeTemporary(fs, path)
    },
  }
}
