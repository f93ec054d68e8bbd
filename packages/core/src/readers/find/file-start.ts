import { isUtf8 } from 'node:buffer'

/** The reason why no log can begin with these bytes. */
export interface StartFault {
  readonly code: 'binary' | 'archive'
  readonly message: string
}

const archives: readonly (readonly [name: string, at: number, magic: readonly number[]])[] = [
  ['zip', 0, [0x50, 0x4b, 3, 4]],
  ['zip', 0, [0x50, 0x4b, 5, 6]],
  ['tar', 257, [0x75, 0x73, 0x74, 0x61, 0x72]],
  ['xz', 0, [0xfd, 0x37, 0x7a, 0x58, 0x5a]],
  ['bzip2', 0, [0x42, 0x5a, 0x68]],
  ['7z', 0, [0x37, 0x7a, 0xbc, 0xaf]],
]

/**
 * The reason why a file with this beginning cannot be a log; `undefined` if it may be text. Runs of NUL bytes, which a
 * crash leaves, and text that is not UTF-8 are still text. `whole`: nothing follows these bytes.
 */
export function startFault(bytes: Uint8Array, whole: boolean): StartFault | undefined {
  const archive = archives.find(([, at, magic]) => magic.every((value, index) => bytes[at + index] === value))
  // bzip2's magic number consists of three letters, which a text may begin with.
  if (archive !== undefined && (archive[0] !== 'bzip2' || !isUtf8(untilLastLetter(bytes))))
    return {
      code: 'archive',
      message: `is a ${archive[0]} archive, which is not looked into; unpack it if it holds logs`,
    }
  if (isWal(bytes))
    return {
      code: 'binary',
      message: 'is the write-ahead log of a database, which is read only next to the database',
    }
  return isBinary(bytes, whole) ? { code: 'binary', message: 'is binary' } : undefined
}

/** The write-ahead log of SQLite: https://www.sqlite.org/fileformat2.html#walformat */
function isWal([a, b, c, d]: Uint8Array): boolean {
  return a === 0x37 && b === 0x7f && c === 0x06 && (d === 0x82 || d === 0x83)
}

const maxOdd = 0.02

function isBinary(bytes: Uint8Array, whole: boolean): boolean {
  if (isUtf16(bytes)) return false
  let nul = 0
  let odd = 0
  for (const byte of bytes) {
    if (byte === 0) nul++
    else if (byte < 9 || (byte > 13 && byte < 32 && byte !== 0x1b)) odd++
  }
  const rest = bytes.length - nul
  if (rest === 0) return !whole
  if (odd > rest * maxOdd) return true
  return nul > rest && !isUtf8(untilLastLetter(bytes))
}

function isUtf16([first, second, third, fourth]: Uint8Array): boolean {
  return (
    (first === 0xff && second === 0xfe && (third !== 0 || fourth !== 0)) ||
    (first === 0xfe && second === 0xff)
  )
}

/** The bytes without a letter that is cut in two at the end. */
function untilLastLetter(bytes: Uint8Array): Uint8Array {
  let end = bytes.length
  for (let back = 1; back <= 4 && back <= bytes.length; back++) {
    const byte = bytes[bytes.length - back] ?? 0
    if (byte < 0x80) break
    if (byte >= 0xc0) {
      end = bytes.length - back
      break
    }
  }
  return bytes.subarray(0, end)
}
