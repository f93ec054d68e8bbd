import { createRequire } from 'node:module'

/** An encoding that tiktoken ships and this package can count with. */
export type EncodingName = 'o200k_base' | 'cl100k_base'

/** What tiktoken ships of an encoding: the pattern of its pieces, and its tokens by rank. */
export interface EncodingFile {
  readonly pat_str: string
  readonly bpe_ranks: string
}

const require = createRequire(import.meta.url)

/** Reads the encoding's file from the package `tiktoken`. */
export function readEncodingFile(name: EncodingName): EncodingFile {
  return require(`tiktoken/encoders/${name}.json`)
}
