import { isAscii, isUtf8 } from 'node:buffer'
import { hash } from 'node:crypto'
import { cleanLine } from '../../session/clean-text.ts'
import { defaultMaxLineBytes } from '../../session/max-line-bytes.ts'
import { pause } from '../../session/pauses.ts'
import { withoutByteOrderMark } from '../log/decode-log.ts'
import { joined } from '../log/log-file.ts'
import { parseLine } from '../log/parse-line.ts'
import type { Framing, LogRecord } from './reader.ts'
import type { LineSink } from './session-builder.ts'

export interface RecordSource {
  readonly file: number
  readonly blocks: AsyncIterable<Uint8Array>
  readonly framing: Exclude<Framing, 'rows'>
  readonly sink: LineSink
  readonly tally: { lines: number }
  /** Longer lines are skipped with a note. @default defaultMaxLineBytes */
  readonly maxLineBytes?: number
  /** The file as JSON, if it was parsed before, with the SHA-256 of its text. */
  readonly parsed?: { readonly document: unknown; readonly sha256: string }
}

/** Yields the records of one file. Every line becomes at least one record or a note, or counts as blank. */
export async function* readRecords(source: RecordSource): AsyncGenerator<Iterable<LogRecord>, void> {
  if (source.framing === 'document') return yield* readDocument(source)
  const toRecords = source.framing === 'text' ? textRecords : jsonRecords
  for await (const lines of splitLines(source.blocks, source.maxLineBytes ?? defaultMaxLineBytes))
    yield toRecords(lines, source)
}

function* textRecords(lines: Iterable<RawLine>, source: RecordSource): Generator<LogRecord> {
  const { file, sink, tally } = source
  for (const raw of lines) {
    tally.lines++
    const text = lineText(raw, source)
    if (text === undefined) continue
    const record = { value: undefined, text, line: tally.lines, file }
    // Blank lines are part of a text, but never separate events.
    if (text.trim() === '') sink.blank()
    else sink.begin(record)
    yield record
  }
}

function* jsonRecords(lines: Iterable<RawLine>, source: RecordSource): Generator<LogRecord> {
  for (const raw of lines) {
    source.tally.lines++
    const text = lineText(raw, source)
    if (text === undefined) continue
    if (text.trim() === '') noteBlank(raw, source)
    else for (const record of recordsOfLine(raw, text, source)) yield record
  }
}

function noteBlank(raw: RawLine, { file, sink, tally }: RecordSource): void {
  if (raw.bytes?.includes(0)) {
    sink.lineNote(file, tally.lines, 'nul-bytes', `${raw.length} NUL bytes instead of a record`)
    sink.lost()
  } else sink.blank()
}

function recordsOfLine(raw: RawLine, text: string, { file, sink, tally }: RecordSource): LogRecord[] {
  const line = tally.lines
  const { values, rest, tooDeep } = parseLine(text)
  const records = values.map((value): LogRecord => ({ value, text, line, file }))
  if (tooDeep) sink.lineNote(file, line, 'too-deep', 'nested deeper than 200 levels')
  const [first] = records
  const given = first !== undefined
  if (given) sink.begin(first)
  if (given && values.length > 1)
    sink.lineNote(file, line, 'glued-records', `${values.length} records on one line, read one by one`)
  if (rest !== undefined) {
    const code = raw.ended ? 'bad-line' : 'truncated-tail'
    sink.lineNote(file, line, code, `not JSON: ${excerpt(rest)}`)
  }
  if (!given) sink.lost()
  return records
}

/** Returns a line as text, without byte order mark, carriage return and NUL bytes; `undefined` if it was too long. */
function lineText(raw: RawLine, { file, sink, tally }: RecordSource): string | undefined {
  const line = tally.lines
  if (raw.bytes === undefined) {
    sink.lineNote(file, line, 'line-too-long', `${raw.length} bytes in one line, skipped`)
    sink.lost()
    return undefined
  }
  let text = decoded(raw.bytes)
  if (text === undefined) {
    sink.lineNote(file, line, 'invalid-utf8', 'bytes that are not UTF-8 became U+FFFD')
    text = raw.bytes.toString('utf8')
  }
  text = withoutByteOrderMark(text)
  if (text.endsWith('\r')) text = text.slice(0, -1)
  if (text.includes('\0')) {
    const without = text.replaceAll('\0', '')
    if (without.trim() !== '')
      sink.lineNote(file, line, 'nul-bytes', `${text.length - without.length} NUL bytes left out`)
    text = without
  }
  return text
}

function decoded(bytes: Buffer): string | undefined {
  // Most lines are ASCII, which is copied instead of decoded.
  if (isAscii(bytes)) return bytes.toString('latin1')
  return isUtf8(bytes) ? bytes.toString('utf8') : undefined
}

async function* readDocument(source: RecordSource): AsyncGenerator<LogRecord[]> {
  const { file, sink, tally } = source
  const bytes = await joined(source.blocks)
  tally.lines = countLines(bytes)
  if (source.parsed !== undefined && hash('sha256', bytes) === source.parsed.sha256) {
    sink.begin({ file, line: 1 }, tally.lines)
    yield [{ value: source.parsed.document, text: '', line: 1, file }]
    return
  }
  const { values, rest } = parseLine(withoutByteOrderMark(bytes.toString('utf8')).trim())
  const [value] = values
  if (rest !== undefined || values.length > 1) sink.lineNote(file, 1, 'bad-document', 'not one JSON document')
  if (values.length > 0) {
    sink.begin({ file, line: 1 }, tally.lines)
    yield [{ value, text: '', line: 1, file }]
  } else {
    sink.lineNote(file, 1, 'bad-document', 'not JSON, or nested deeper than 200 levels')
    sink.lost(tally.lines)
  }
}

function countLines(bytes: Buffer): number {
  let lines = 0
  let end = -1
  for (let next = bytes.indexOf(10); next !== -1; next = bytes.indexOf(10, next + 1)) {
    lines++
    end = next
  }
  return end === bytes.length - 1 ? lines : lines + 1
}

const excerptLength = 80

/** Makes an excerpt that is safe to print. It never ends inside a word, because redactors do not recognize half a secret. */
function excerpt(text: string): string {
  if (text.length <= excerptLength) return cleanLine(text)
  const head = text.slice(0, excerptLength + 1).replace(/[^\s"']*$/, '')
  return `${cleanLine(head.slice(0, excerptLength))}…`
}

/** A line without its line end. `bytes` is missing if it was longer than the limit. */
interface RawLine {
  readonly bytes?: Buffer
  readonly length: number
  /** Whether a line end followed; only the last line of a file may lack one. */
  readonly ended: boolean
}

const lineFeed = 10

/** Cuts blocks into lines on demand. Skips a line over `maxBytes` without holding it. */
async function* splitLines(blocks: AsyncIterable<Uint8Array>, maxBytes: number) {
  let carried: Buffer[] = []
  let length = 0
  const take = (ended: boolean): RawLine => {
    const line =
      length > maxBytes
        ? { length, ended }
        : { bytes: carried.length === 1 ? carried[0]! : Buffer.concat(carried), length, ended }
    carried = []
    length = 0
    return line
  }
  const carry = (piece: Buffer): void => {
    length += piece.length
    if (length > maxBytes) carried = []
    else if (piece.length > 0) carried.push(piece)
  }
  function* linesOf(block: Uint8Array): Generator<RawLine> {
    const buffer = Buffer.from(block.buffer, block.byteOffset, block.byteLength)
    let start = 0
    for (let end = buffer.indexOf(lineFeed); end !== -1; end = buffer.indexOf(lineFeed, start)) {
      carry(buffer.subarray(start, end))
      yield take(true)
      start = end + 1
    }
    carry(buffer.subarray(start))
  }
  for await (const block of blocks) yield linesOf(block)
  if (length > 0) yield [take(false)]
}

/** Iterates over the items of all batches, with pauses for the event loop. Takes one promise per item. */
export function oneByOne<T>(batches: AsyncGenerator<Iterable<T>, void>): AsyncIterableIterator<T> {
  let batch: Iterator<T> = [][Symbol.iterator]()
  return {
    [Symbol.asyncIterator]() {
      return this
    },
    async next() {
      try {
        const paused = pause()
        if (paused !== undefined) await paused
        for (;;) {
          const next = batch.next()
          if (next.done !== true) return next
          const more = await batches.next()
          if (more.done === true) return { done: true, value: undefined }
          batch = more.value[Symbol.iterator]()
        }
      } catch (error) {
        // A loop does not call `return` after `next` fails.
        await batches.return()
        throw error
      }
    },
    async return() {
      batch.return?.()
      await batches.return()
      return { done: true, value: undefined }
    },
  }
}
