import { isAscii, isUtf8 } from 'node:buffer'
import { defaultMaxLineBytes } from '../session/max-line-bytes.ts'

/** A change to one text of a log: a line of JSON, or lines of other text. Keeps the number of lines. */
export type TextStep = (text: string) => string

/** Lines that are not JSON are joined, so that a key of several lines is seen whole. */
const maxTextLength = 1024 * 1024
/**
 * Maximum bytes of pieces of a line that is too long for readers, cut where a value is unlikely to continue, because a
 * step takes up to ten times the memory of its text.
 */
const pieceLength = 8 * 1024 * 1024
const lineFeed = 10

/** Runs a step over the lines of a log, given as blocks of UTF-8 text. Unchanged text stays byte for byte. */
export async function* throughLines(
  blocks: AsyncIterable<Uint8Array>,
  step: TextStep,
): AsyncGenerator<Uint8Array> {
  let line: Buffer[] = []
  let lineBytes = 0
  /** True if the line is too long for a reader. */
  let isLong = false
  let text: Buffer[] = []
  let textBytes = 0

  const takeText = (): Uint8Array[] => {
    if (textBytes === 0) return []
    const bytes = Buffer.concat(text)
    text = []
    textBytes = 0
    return [applied(bytes, step)]
  }
  /** Takes the collected line; returns finished bytes. */
  const takeLine = (): Uint8Array[] => {
    const bytes = line.length === 1 ? (line[0] as Buffer) : Buffer.concat(line)
    line = []
    lineBytes = 0
    isLong = false
    return take(bytes)
  }
  const take = (bytes: Buffer): Uint8Array[] => {
    if (beginsJson(bytes)) return [...takeText(), applied(bytes, step)]
    text.push(bytes)
    textBytes += bytes.byteLength
    return textBytes > maxTextLength ? takeText() : []
  }

  for await (const block of blocks) {
    const buffer = Buffer.from(block.buffer, block.byteOffset, block.byteLength)
    const done: Uint8Array[] = []
    let start = 0
    while (start < buffer.length) {
      const feed = buffer.indexOf(lineFeed, start)
      const end = feed === -1 ? buffer.length : feed + 1
      line.push(buffer.subarray(start, end))
      lineBytes += end - start
      start = end
      isLong ||= lineBytes - (feed === -1 ? 0 : 1) > defaultMaxLineBytes
      if (isLong && lineBytes > pieceLength) {
        yield* done.splice(0)
        let rest = Buffer.concat(line)
        line = []
        for (; rest.length > pieceLength; rest = rest.subarray(goodCut(rest)))
          yield* take(rest.subarray(0, goodCut(rest)))
        line = [Buffer.from(rest)]
        lineBytes = rest.length
      }
      if (feed !== -1) done.push(...takeLine())
    }
    if (done.length > 0) yield Buffer.concat(done)
  }
  const rest = [...(lineBytes > 0 ? takeLine() : []), ...takeText()]
  if (rest.length > 0) yield Buffer.concat(rest)
}

function applied(bytes: Buffer, step: TextStep): Uint8Array {
  // As Latin-1, bytes that are not UTF-8 stay as they are, and ASCII is copied instead of decoded.
  const ascii = isAscii(bytes)
  const encoding = ascii || isUtf8(bytes) ? 'utf8' : 'latin1'
  const text = bytes.toString(ascii ? 'latin1' : encoding)
  const clean = step(text)
  return clean === text ? bytes : Buffer.from(clean, encoding)
}

const byteOrderMark = [0xef, 0xbb, 0xbf]

function beginsJson(line: Buffer): boolean {
  let at = byteOrderMark.every((byte, index) => line[index] === byte) ? byteOrderMark.length : 0
  while (line[at] === 0x20 || line[at] === 0x09) at++
  // A bracket alone opens a document of many lines.
  return (line[at] === 0x7b || line[at] === 0x5b) && line.length - at > 2
}

/** Returns the position after the last space, comma or quote near the end of the first piece, or else that end. */
function goodCut(line: Buffer): number {
  const tail = line.subarray(pieceLength - 64 * 1024, pieceLength)
  const at = Math.max(tail.lastIndexOf(0x20), tail.lastIndexOf(0x2c), tail.lastIndexOf(0x22))
  return at === -1 ? pieceLength : pieceLength - tail.length + at + 1
}
