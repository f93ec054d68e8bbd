import { TenfoldError } from '@tenfold/core'
import { type Pieces, replaceFile } from './replace-file.ts'

/** Writes the output of a command as {@link replaceFile} does. Throws TenfoldError `out-failed`. */
export async function writeWhole(path: string, pieces: Pieces, signal: AbortSignal): Promise<void> {
  try {
    await replaceFile(path, pieces, signal)
  } catch (cause) {
    if (!(cause instanceof Error && 'syscall' in cause)) throw cause
    throw new TenfoldError('out-failed', `The output cannot be written: ${cause.message}.`, { cause })
  }
}
