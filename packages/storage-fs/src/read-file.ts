import { constants } from 'node:fs'
import type { FileSystem } from './file-system.ts'
import { closing } from './write-file-durably.ts'

// O_NOFOLLOW does not exist on Windows, where creating links needs a privilege.
const readOnlyNoFollow = constants.O_RDONLY | (constants.O_NOFOLLOW ?? 0)

/** All bytes of one version of a file, since files are replaced, never modified. Does not follow a symbolic link. */
export async function readWhole(fs: FileSystem, path: string): Promise<Uint8Array> {
  const file = await fs.open(path, readOnlyNoFollow)
  return await closing(file, async () => {
    const { size } = await file.stat()
    const bytes = new Uint8Array(size)
    let read = 0
    while (read < size) {
      const { bytesRead } = await file.read(bytes, read, size - read, read)
      if (bytesRead === 0) throw new Error(`the file ends after ${read} of ${size} bytes`)
      read += bytesRead
    }
    return bytes
  })
}
