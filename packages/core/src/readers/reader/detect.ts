import { hash } from 'node:crypto'
import { LogReadError } from '../../errors.ts'
import { decodeLog, withoutByteOrderMark } from '../log/decode-log.ts'
import { joined, type LogFile } from '../log/log-file.ts'
import { parseLine, parseShallow } from '../log/parse-line.ts'
import type { Framing, LogHead, Reader } from './reader.ts'
import { isDatabase, openDatabase } from './sqlite-rows.ts'

const headRecords = 50
// If this many lines hold no JSON, the log is text.
const headLines = 500
const headText = 64 * 1024
// A character has up to four bytes.
const minBytes = 4 * headText
const headBytes = 4 * 1024 * 1024
const maxFirstLineLength = 64 * 1024 * 1024
const maxDocumentLength = 400 * 1024 * 1024

export async function readHead(file: LogFile, journal?: LogFile): Promise<LogHead> {
  if (await isDatabase(file)) {
    const database = await openDatabase(file, journal)
    const head = { name: file.name, text: '', records: [], tables: database.tables }
    database.close()
    return head
  }
  const { text, records, complete } = await readStart(file)
  if (complete && text.replaceAll('\0', '').trim() === '')
    throw new LogReadError('log-empty', `${file.name} is empty; give a log with at least one record.`)
  const head = { name: file.name, text: text.slice(0, headText), records }
  if (!mayBeDocument(text, records, complete)) return head
  return { ...head, ...(await readWhole(file)) }
}

async function readStart(file: LogFile): Promise<ReturnType<typeof startOf>> {
  const blocks: Uint8Array[] = []
  let size = 0
  let lines = 0
  let tried = false
  for await (const block of decodeLog(file)) {
    blocks.push(block)
    size += block.byteLength
    lines = countLines(block, lines)
    const last = enough(block, size, lines)
    // Most logs have a record in each line, and need not be read up to the last line that detection may inspect.
    if (!last && (tried || size < minBytes || lines < headRecords)) continue
    tried = true
    const start = startOf(blocks, false)
    if (last || start.records.length === headRecords) return start
  }
  return startOf(blocks, true)
}

function startOf(blocks: readonly Uint8Array[], complete: boolean) {
  const text = withoutByteOrderMark(Buffer.concat(blocks).toString('utf8'))
  return { text, records: firstRecords(text, complete), complete }
}

/** Whether detection has enough: the needed part of a text of lines, or 4 MiB and the end of the first line. */
function enough(block: Uint8Array, size: number, lines: number): boolean {
  if (size >= minBytes && lines >= headLines) return true
  return size >= maxFirstLineLength || (size >= headBytes && block.includes(10))
}

function countLines(block: Uint8Array, before: number): number {
  let lines = before
  for (let at = block.indexOf(10); at !== -1 && lines < headLines; at = block.indexOf(10, at + 1)) lines++
  return lines
}

function firstRecords(text: string, complete: boolean): unknown[] {
  const lines = text.split('\n', headLines + 1)
  if (!complete || lines.length > headLines) lines.pop()
  const records: unknown[] = []
  for (const given of lines) {
    const line = given.replaceAll('\0', '').trim()
    if (line !== '' && records.length < headRecords) records.push(...parseLine(line).values)
  }
  return records.slice(0, headRecords)
}

/** Whether a text may be one document: one value over several lines, or only one value. */
function mayBeDocument(text: string, records: readonly unknown[], complete: boolean): boolean {
  const start = text.trimStart()
  if (!start.startsWith('{') && !start.startsWith('[')) return false
  if (complete && !start.trimEnd().includes('\n')) return true
  if (records.length === 0) return true
  const { values, tooDeep } = parseLine(start.slice(0, start.indexOf('\n')))
  return values.length === 0 && tooDeep === undefined
}

async function readWhole(file: LogFile): Promise<Pick<LogHead, 'document' | 'documentSha256'>> {
  const bytes = await joined(decodeLog(file), maxDocumentLength + 1)
  if (bytes.length > maxDocumentLength) return {}
  const text = withoutByteOrderMark(bytes.toString('utf8')).replaceAll('\0', '').trim()
  const document = parseShallow(text)
  if (document === undefined) return {}
  // A file with NUL bytes is not a document to its reader.
  return { document, ...(!bytes.includes(0) && { documentSha256: hash('sha256', bytes) }) }
}

const certain = 1

/** Returns the first reader with the highest score, or `undefined` if none recognizes the log. */
export function bestReader(head: LogHead, readers: readonly Reader[]): Reader | undefined {
  let [best, highest]: [Reader | undefined, number] = [undefined, 0]
  for (const reader of readers) {
    const score = reader.detect(head)
    if (score > highest) [best, highest] = [reader, score]
    if (score >= certain) break
  }
  return best
}

export function pickReader(head: LogHead, readers: readonly Reader[], format?: string): Reader {
  if (format !== undefined) return readerNamed(format, readers)
  const best = bestReader(head, readers)
  if (best !== undefined) return best
  const fault = `${head.name} is of no known format: ${shapeOf(head)}. If an agent wrote it, name its format (option format), or give a reader for it (option readers).`
  throw new LogReadError('unknown-format', fault)
}

function shapeOf({ text, records, document, tables }: LogHead): string {
  if (tables !== undefined) return 'it is a database that no known agent writes'
  // U+FFFD replaces bytes that are not UTF-8; NUL occurs only in binary files.
  if (/[\u{fffd}\0]/u.test(text)) return 'it is binary'
  if (records.length > 0 || document !== undefined) return 'its JSON is none that a known agent writes'
  return /^\s*[[{]/.test(text) ? 'its JSON is broken or cut off' : 'it is text without JSON'
}

export function readerNamed(format: string, readers: readonly Reader[]): Reader {
  const named = readers.find((reader) => reader.name === format)
  if (named !== undefined) return named
  const names = readers.map((reader) => reader.name).join(', ')
  throw new LogReadError('unknown-format', `There is no format "${format}"; expected one of ${names}.`)
}

export function framingOf(reader: Reader, head: LogHead): Framing {
  const { framing = 'lines' } = reader
  return typeof framing === 'function' ? framing(head) : framing
}
