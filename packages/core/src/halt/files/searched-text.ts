import { isUtf8 } from 'node:buffer'
import { gunzipSync } from 'node:zlib'

/** Maximum bytes of a packed file that are unpacked. */
const maxUnpacked = 64 * 1024 * 1024

/** A file as text, whose secrets marks can replace, or as other data, which is only searched for them. */
export type SearchedFile =
  | { readonly isText: true; readonly text: string; readonly encoding: 'utf8' | 'latin1' }
  | {
      readonly isText: false
      /** The text in it: without NUL bytes, as in UTF-16 and databases, and unpacked. */
      readonly text: string
      /** In a format that cannot be unpacked here, so the text is not complete. */
      readonly packed: boolean
    }

/** Reads bytes as text: UTF-8 if valid, otherwise one character per byte; data holds a NUL or is packed. */
export function searchedFile(bytes: Buffer): SearchedFile {
  const isGzip = bytes[0] === 0x1f && bytes[1] === 0x8b
  const unpacked = isGzip ? gunzipped(bytes) : bytes
  if (unpacked === undefined) return { isText: false, text: '', packed: true }
  const packed = packedStarts.test(unpacked.toString('hex', 0, 6))
  const hasNul = unpacked.includes(0)
  const encoding = !hasNul && isUtf8(unpacked) ? 'utf8' : 'latin1'
  const text = unpacked.toString(encoding)
  if (isGzip || packed || hasNul) return { isText: false, text: text.replaceAll('\0', ''), packed }
  return { isText: true, text, encoding }
}

/** Zip, Zstandard, xz, bzip2, 7z. */
const packedStarts = /^(?:504b0304|28b52ffd|fd377a585a00|425a68|377abcaf271c)/

/** Undefined if the data is broken or too large. */
function gunzipped(bytes: Buffer): Buffer | undefined {
  try {
    return gunzipSync(bytes, { maxOutputLength: maxUnpacked })
  } catch (error) {
    if (error instanceof Error && 'code' in error) return undefined
    throw error
  }
}
