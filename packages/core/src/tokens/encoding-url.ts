import { createRequire } from 'node:module'

/** An encoding that tiktoken ships and this package can count with. */
export type EncodingName = 'o200k_base' | 'cl100k_base'

const require = createRequire(import.meta.url)

/** Where the package `tiktoken` has the file of an encoding. */
export function encodingUrl(name: EncodingName): string | URL {
  return require.resolve(`tiktoken/encoders/${name}.json`)
}
