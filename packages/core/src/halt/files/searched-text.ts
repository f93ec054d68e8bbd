import { isUtf8 } from 'node:buffer'
import { gunzipSync } from 'node:zlib'

// Where a search for secrets looks in files that are not text, and in the sections of a patch.

/** Maximum bytes of a packed file that are unpacked. */
const maxUnpacked = 64 * 1024 * 1024

/**
 * The text in the bytes of a file: of binary data that without NUL bytes, as in UTF-16 and databases, and unpacked.
 * `packed`: in a format that cannot be unpacked here, so the text is not complete.
 */
export function searchedText(bytes: Buffer): { readonly text: string; readonly packed: boolean } {
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
  return bytes.includes(0) || isGzip(bytes) || isPacked(bytes)
}

function isGzip(bytes: Buffer): boolean {
  return bytes[0] === 0x1f && bytes[1] === 0x8b
}

/** Zip, Zstandard, xz, bzip2, 7z. */
const packedStarts = /^(?:504b0304|28b52ffd|fd377a585a00|425a68|377abcaf271c)/

function isPacked(bytes: Buffer): boolean {
  return packedStarts.test(bytes.toString('hex', 0, 6))
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

/**
 * The texts of a section of a patch: its head with the lines of the file that git shows after `@@`, and the file before
 * and after, as far as its hunks show it. Binary data, which git packs, is none of them.
 */
export function textsOfSection(section: Buffer): {
  readonly head: string
  readonly before: string
  readonly after: string
  readonly isBinary: boolean
} {
  const text = section.toString(isUtf8(section) ? 'utf8' : 'latin1')
  const binary = /\n(?:@@ |GIT binary patch\n)/.exec(text)
  const head = text.slice(0, binary?.index)
  if (binary === null || binary[0] !== '\n@@ ')
    return { head, before: '', after: '', isBinary: binary !== null }
  const lines = text.slice(binary.index + 1).split('\n')
  const side = (signs: string): string =>
    lines.flatMap((line) => (signs.includes(line.charAt(0)) ? [line.slice(1)] : [])).join('\n')
  const shown = lines.filter((line) => line.startsWith('@@ ')).join('\n')
  return { head: `${head}\n${shown}`, before: side(' -'), after: side(' +'), isBinary: false }
}
