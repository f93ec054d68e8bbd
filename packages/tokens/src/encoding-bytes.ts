import { createRequire } from 'node:module'
import { packEncoding } from './packed-encoding.ts'

/** An encoding that tiktoken ships and this package can count with. */
export type EncodingName = 'o200k_base' | 'cl100k_base'

const require = createRequire(import.meta.url)

/** Bytes of an encoding, made from the package `tiktoken`. The build replaces this module: it ships them as files. */
export function readEncodingBytes(name: EncodingName, fs: typeof import('node:fs')): Uint8Array {
  const path = require.resolve(`tiktoken/encoders/${name}.json`)
  return packEncoding(JSON.parse(fs.readFileSync(path, 'utf8')))
}
