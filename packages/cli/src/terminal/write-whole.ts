import { createWriteStream } from 'node:fs'
import { rename, rm } from 'node:fs/promises'
import { Readable } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import { TenfoldError } from '@tenfold/core'

/**
 * Writes a file, to a temporary name first, so that a file of this name is always complete. Throws TenfoldError
 * `out-failed`.
 */
export async function writeWhole(
  path: string,
  pieces: Iterable<string | Uint8Array> | AsyncIterable<string | Uint8Array>,
  signal: AbortSignal,
): Promise<void> {
  const temporary = `${path}.${process.pid}.tmp`
  try {
    await pipeline(Readable.from(pieces), createWriteStream(temporary, { flags: 'wx' }), { signal })
    await rename(temporary, path)
  } catch (cause) {
    await rm(temporary, { force: true })
    if (!(cause instanceof Error && 'syscall' in cause)) throw cause
    throw new TenfoldError('out-failed', `The output cannot be written: ${cause.message}.`, { cause })
  }
}
