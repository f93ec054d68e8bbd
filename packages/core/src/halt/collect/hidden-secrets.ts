import { isUtf8 } from 'node:buffer'
import { gunzipSync } from 'node:zlib'

/** Maximum bytes of a packed file that are unpacked. */
const maxUnpacked = 64 * 1024 * 1024

/** The text that a search can find in a binary file. */
export interface HiddenText {
  readonly text: string
  /** It is packed in a format that cannot be unpacked here, so its text is not complete. */
  readonly packed: boolean
}

/** Returns the text in binary data: without NUL bytes, as in UTF-16 and databases, and unpacked. */
export function hiddenText(bytes: Buffer): HiddenText {
  const unpacked = isGzip(bytes) ? gunzipped(bytes) : bytes
  if (unpacked === undefined) return { text: '', packed: true }
  const text = textOfBytes(unpacked)?.text ?? unpacked.toString('latin1').replaceAll('\0', '')
  return { text, packed: isPacked(unpacked) }
}

/** Decodes bytes as text: UTF-8 if valid, otherwise one character per byte; undefined if they are not text. */
export function textOfBytes(bytes: Uint8Array): { text: string; encoding: 'utf8' | 'latin1' } | undefined {
  if (bytes.includes(0)) return undefined
  const encoding = isUtf8(bytes) ? 'utf8' : 'latin1'
  return { text: Buffer.from(bytes).toString(encoding), encoding }
}

/** Whether bytes are stored unchanged: they hold a NUL or are packed. */
export function isBinary(bytes: Buffer): boolean {
  return textOfBytes(bytes) === undefined || isGzip(bytes) || isPacked(bytes)
}

function isGzip(bytes: Buffer): boolean {
  return bytes[0] === 0x1f && bytes[1] === 0x8b
}

/** Zip, Zstandard, xz, bzip2, 7z. */
const packedStarts = ['504b0304', '28b52ffd', 'fd377a585a00', '425a68', '377abcaf271c'].map((hex) =>
  Buffer.from(hex, 'hex'),
)

function isPacked(bytes: Buffer): boolean {
  return packedStarts.some((start) => bytes.subarray(0, start.length).equals(start))
}

/** Undefined if the data is broken or too large. */
function gunzipped(bytes: Buffer): Buffer | undefined {
  try {
    return gunzipSync(bytes, { maxOutputLength: maxUnpacked })
  } catch (error) {
    if (error instanceof Error && 'code' in error) return undefined
    throw error
  }
}
