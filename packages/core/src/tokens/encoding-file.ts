import { TenfoldError } from '../errors.ts'
import { type EncodingName, encodingUrl } from './encoding-url.ts'

/** What tiktoken ships of an encoding: the pattern of its pieces, and its tokens by rank. */
interface EncodingFile {
  readonly pat_str: string
  readonly bpe_ranks: string
}

/** Reads the file of an encoding. Throws TenfoldError `no-encoding-file`. */
export function readEncodingFile(name: EncodingName): EncodingFile {
  // Not imported: browsers load this code too, for bundles and briefs that are counted otherwise.
  const fs = (globalThis.process as NodeJS.Process | undefined)?.getBuiltinModule?.('node:fs')
  if (fs === undefined) {
    throw new TenfoldError(
      'no-encoding-file',
      'encodings are read from files, which needs Node; give a counter of your own (option counter)',
    )
  }
  return JSON.parse(fs.readFileSync(encodingUrl(name), 'utf8')) as EncodingFile
}
