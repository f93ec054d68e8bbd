import { createRequire } from 'node:module'
import { packEncoding } from './packed-encoding.ts'

/** An encoding that this package supports. */
export type EncodingName = 'o200k_base' | 'cl100k_base'

const require = createRequire(import.meta.url)

/** Bytes of an encoding, from the package `tiktoken`. The build replaces this module by one that reads packed files. */
export function readEncodingBytes(name: EncodingName, fs: typeof import('node:fs')): Uint8Array {
  const path = require.resolve(`tiktoken/encoders/${name}.json`)
  return packEncoding(JSON.parse(fs.readFileSync(path, 'utf8')))
}
