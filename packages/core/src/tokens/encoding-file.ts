import { TenfoldError } from '../errors.ts'
import { type EncodingName, readEncodingBytes } from './encoding-bytes.ts'

/** Reads the file of an encoding. Throws TenfoldError `no-encoding-file`. */
export function readEncodingFile(name: EncodingName): Uint8Array {
  // Not imported: browsers load this code too, for bundles and briefs that are counted otherwise.
  const fs = (globalThis.process as NodeJS.Process | undefined)?.getBuiltinModule?.('node:fs')
  if (fs === undefined) {
    throw new TenfoldError(
      'no-encoding-file',
      'encodings are read from files, which needs Node; give a counter of your own (option counter)',
    )
  }
  try {
    return readEncodingBytes(name, fs)
  } catch (cause) {
    if ((cause as NodeJS.ErrnoException).code !== 'ENOENT') throw cause
    throw new TenfoldError(
      'no-encoding-file',
      `the file ${name}.bin is not beside the program, as after bundling: copy it there from the folder lib of @tenfold/core, or leave that package out of the bundle`,
      { cause },
    )
  }
}
