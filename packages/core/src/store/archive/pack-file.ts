import { pipeline } from 'node:stream/promises'
import { constants, createBrotliCompress } from 'node:zlib'
import { stageBytes, stageInMemory } from '../../storage/stage-bytes.ts'
import type { StagedBytes, Storage } from '../../storage/storage.ts'

/** From so many bytes of text a packed file is not held in memory: it takes up to a quarter of them. */
const largeBytes = 32 * 1024 * 1024
const largePiece = 256 * 1024

/** Packs a file of about `bytes` bytes for the archive of a storage. Nothing of it is left if that fails. */
export async function packFile(
  storage: Storage,
  blocks: AsyncIterable<Uint8Array>,
  bytes: number,
  signal: AbortSignal | undefined,
): Promise<StagedBytes> {
  const params = {
    // An 18 MB log: 6.8 % in 138 ms at 3, 6.2 % in 266 ms at 4, 5.9 % in 355 ms at 5; reading it takes 1 s.
    [constants.BROTLI_PARAM_QUALITY]: 4,
    [constants.BROTLI_PARAM_SIZE_HINT]: Math.min(bytes, 2 ** 30),
  }
  const isLarge = bytes >= largeBytes
  const expected = Math.ceil(bytes / 4)
  const staged = await (isLarge
    ? stageBytes(storage, 'archive/', expected)
    : stageInMemory(storage, expected))
  try {
    await pipeline(
      blocks,
      createBrotliCompress({ params, ...(isLarge && { chunkSize: largePiece }) }),
      async (pieces: AsyncIterable<Uint8Array>) => {
        for await (const piece of pieces) await staged.write(piece)
      },
      { signal },
    )
    return staged
  } catch (error) {
    await staged.discard()
    throw error
  }
}
