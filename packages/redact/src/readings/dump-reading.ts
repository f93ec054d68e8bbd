import { joinSpans, type Span } from '../spans.ts'
import type { Reading } from './reading.ts'

/** A line of `xxd`, `hexdump -C` or `od -tx1z`: offset, bytes in hex, and perhaps the bytes as text. */
const linePattern =
  /^[ \t]{0,8}[0-9a-f]{6,8}:?[ \t]{1,2}((?:[0-9a-f]{2}){1,4}(?:[ \t]{1,2}(?:[0-9a-f]{2}){1,4}){1,31})(?:[ \t]{1,60}[|>]?([\x20-\x7e]{1,64}?)[|<]?)?[ \t]{0,4}\r?$/gim

/** The shortest such line: an offset and two bytes. */
const minLineLength = 12

/** The beginning of such a line: finding it takes a fraction of the time that trying {@link linePattern} takes. */
const firstLine = /^[ \t]{0,8}[0-9a-f]{6,8}:?[ \t]{1,2}[0-9a-f]{2}/i
const laterLine = /[\n\r\u2028\u2029][ \t]{0,8}[0-9a-f]{6,8}:?[ \t]{1,2}[0-9a-f]{2}/i

interface DumpByte {
  readonly hex: Span
  /** Position of the byte in the text column. */
  readonly shown?: Span
}

interface Dump {
  readonly codes: number[]
  readonly bytes: DumpByte[]
  end: number
}

/** The bytes of dumps in a text; consecutive lines form one dump. */
export function dumpReadings(text: string): Reading[] {
  if (text.length < minLineLength || !(firstLine.test(text) || laterLine.test(text))) return []
  const dumps: Dump[] = []
  for (const match of text.matchAll(linePattern)) {
    const [line, hex = '', shown] = match
    const bytes = bytesOf(hex, match.index + line.indexOf(hex, 6))
    if (bytes.length < 2) continue
    const column = shown === undefined ? -1 : match.index + line.lastIndexOf(shown)
    const placed = bytes.map(({ code, span }, index) => ({
      code,
      byte:
        column === -1
          ? { hex: span }
          : { hex: span, shown: { start: column + index, end: column + index + 1 } },
    }))
    const last = dumps.at(-1)
    const dump = last !== undefined && match.index - last.end <= 2 ? last : { codes: [], bytes: [], end: 0 }
    if (dump !== last) dumps.push(dump)
    for (const { code, byte } of placed) {
      dump.codes.push(code)
      dump.bytes.push(byte)
    }
    dump.end = match.index + line.length
  }
  return dumps.map(({ codes, bytes }) => ({
    text: Buffer.from(codes).toString('latin1'),
    spans: (span) => spansOf(bytes.slice(span.start, span.end), text),
  }))
}

function bytesOf(hex: string, offset: number): { readonly code: number; readonly span: Span }[] {
  return Array.from(hex.matchAll(/[0-9a-f]{2}/gi), ({ 0: digits, index }) => ({
    code: Number.parseInt(digits, 16),
    span: { start: offset + index, end: offset + index + 2 },
  }))
}

/** Bytes of one line become one span in each column. */
function spansOf(bytes: readonly DumpByte[], text: string): Span[] {
  const spans: Span[] = []
  for (const cells of [bytes.map(({ hex }) => hex), bytes.flatMap(({ shown }) => shown ?? [])])
    for (const { start, end } of cells) {
      const last = spans.at(-1)
      if (
        last !== undefined &&
        start >= last.end &&
        start - last.end <= 2 &&
        !text.slice(last.end, start).includes('\n')
      )
        spans[spans.length - 1] = { start: last.start, end }
      else spans.push({ start, end })
    }
  return joinSpans(spans)
}
