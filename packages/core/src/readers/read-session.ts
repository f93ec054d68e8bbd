import { createHash } from 'node:crypto'
import { LogReadError } from '../errors.ts'
import type { AbortableOptions } from '../session/abortable-options.ts'
import { known } from '../session/known.ts'
import { eventsDigest, logDigest } from '../session/log-digest.ts'
import { pausing } from '../session/pauses.ts'
import type { LogFileInfo, Session } from '../session/session.ts'
import { defaultReaders } from './default-readers.ts'
import { codecOf, decodeLog, defaultMaxLogBytes, logTooLarge, maxUnpackedBytes } from './log/decode-log.ts'
import { isWal, joined, type LogFile, walOf } from './log/log-file.ts'
import { isOpenLog, type LogInput, type OpenLog, type OpenLogOptions, openLog } from './open-log.ts'
import { framingOf, pickReader, readHead } from './reader/detect.ts'
import type { Framing, LogHead, LogRecord, Reader, SessionListing } from './reader/reader.ts'
import { oneByOne, readRecords } from './reader/records.ts'
import { createSessionWriter, type LineSink } from './reader/session-builder.ts'
import { readRows } from './reader/sqlite-rows.ts'

/** Options of {@link readSession}. An open log has its limit from `openLog`. */
export interface ReadSessionOptions extends AbortableOptions, Omit<OpenLogOptions, 'name'> {
  /** Called after each block of at most about 1 MiB; `totalBytes` is missing for streams. */
  readonly onProgress?: ((bytesRead: number, totalBytes?: number) => void) | undefined
}

/**
 * Reads a log into one vocabulary for all agents. Odd lines become notes of the session. Throws `LogReadError` if the
 * log is missing, empty, of no known format, or consists almost only of unknown records.
 */
export async function readSession(
  log: LogInput | OpenLog,
  options: ReadSessionOptions = {},
): Promise<Session> {
  const { readers = defaultReaders, format, maxLogBytes, signal } = options
  signal?.throwIfAborted()
  const open = isOpenLog(log) ? log : await openLog(log, { readers, ...known({ format, maxLogBytes }) })
  const reader = pickReader(open.head, readers, format)
  const { sessionId } = open
  if (sessionId !== undefined && reader.sessions === undefined) {
    throw new LogReadError(
      'session-missing',
      `${open.head.name} is one session of format ${reader.name}; leave out "#${sessionId}".`,
    )
  }
  const files = open.files.map((file) => file.name)
  const builder = createSessionWriter({
    format: reader.name,
    files,
    database: framingOf(reader, open.head) === 'rows',
    ...(reader.marksFailedCommands === true && { marksFailedCommands: true }),
    ...(sessionId !== undefined && { sessionId }),
  })
  const infos: LogFileInfo[] = []
  const onBytes = progressOf(open.files, options)
  await reader.read(oneByOne(batchesOf(open, reader, builder, infos, onBytes)), builder)
  if (infos.length < open.files.length)
    throw new Error(`reader ${reader.name} stopped before the end of the log`)
  const session = await pausing(builder.finish(infos), signal)
  if (format === undefined) checkUnderstood(session, open.head.name)
  return { ...session, source: { ...session.source, eventsDigest: await eventsDigest(session.events) } }
}

/** Fewer unknown records are not suspicious. */
const minUnknown = 5

/** Throws for a log that resembles a format, but is of another one or of a very different version. */
function checkUnderstood({ events, format }: Session, name: string): void {
  const unknown = events.filter(({ type }) => type === 'other').length
  if (unknown < minUnknown || unknown < events.length * 0.95) return
  throw new LogReadError(
    'unknown-format',
    `${name} resembles format ${format}, but ${unknown} of its ${events.length} records are of unknown kinds; it may come from another agent or a newer version. To read it nevertheless, name the format (option format).`,
  )
}

function progressOf(files: readonly LogFile[], { signal, onProgress }: ReadSessionOptions) {
  let read = 0
  const sum = files.reduce((all, { bytes = Number.NaN }) => all + bytes, 0)
  const total = Number.isNaN(sum) ? undefined : sum
  return (bytes: number): void => {
    signal?.throwIfAborted()
    read += bytes
    onProgress?.(read, total)
  }
}

/** Yields the records of all files of a log, in order. File data that is known only after reading is added to `infos`. */
async function* batchesOf(
  { files, head, sessionId }: OpenLog,
  reader: Reader,
  sink: LineSink,
  infos: LogFileInfo[],
  onBytes: (bytes: number) => void,
): AsyncGenerator<Iterable<LogRecord>, void> {
  if (framingOf(reader, head) !== 'rows') await checkLogSize(files)
  const countText = textCounter(files)
  for (const [index, file] of files.entries()) {
    const hash = createHash('sha256')
    const tally = { lines: 0 }
    let bytes = 0
    const tapped: LogFile = {
      ...file,
      blocks: () =>
        tap(file.blocks(), (block) => {
          hash.update(block)
          bytes += block.byteLength
          onBytes(block.byteLength)
        }),
    }
    const framing = await framingOfFile(reader, file, index === 0 ? head : undefined)
    if (isWal(file)) {
      for await (const block of tapped.blocks()) block.byteLength
      tally.lines = 1
      sink.skipped(1, 'write-ahead log, read with its database')
    } else if (framing === 'rows') {
      const journal = walOf(files, file)
      const ranges = reader.rowRanges?.(sessionId)
      const source = { file: index, log: tapped, tables: reader.tables, sink, tally }
      yield* readRows({ ...source, ...known({ journal, ranges }) })
    } else {
      const note = (code: string, message: string): void => sink.lineNote(index, 1, code, message)
      const blocks = tap(decodeLog(tapped, note), (block) => countText(file, block.byteLength))
      const { document, documentSha256: sha256 } = head
      const parsed = index > 0 || sha256 === undefined ? undefined : { document, sha256 }
      yield* readRecords({ file: index, blocks, framing, sink, tally, ...known({ parsed }) })
    }
    infos.push({ name: file.name, bytes, sha256: hash.digest('hex'), lines: tally.lines })
  }
}

/** Counts the text of all files. Throws `LogReadError` `log-too-large` over their limit. */
function textCounter(files: readonly LogFile[]): (file: LogFile, bytes: number) => void {
  const maxBytes = maxBytesOf(files)
  let total = 0
  return (file, bytes) => {
    total += bytes
    if (total > maxBytes) throw logTooLarge(file.name, maxBytes)
  }
}

async function framingOfFile(reader: Reader, file: LogFile, head: LogHead | undefined): Promise<Framing> {
  if (typeof reader.framing !== 'function') return reader.framing ?? 'lines'
  if (head !== undefined) return reader.framing(head)
  // An empty file next to the log has no head and no records.
  return file.bytes === 0 ? 'lines' : reader.framing(await readHead(file))
}

async function* tap(blocks: AsyncIterable<Uint8Array>, see: (block: Uint8Array) => void) {
  for await (const block of blocks) {
    see(block)
    yield block
  }
}

/**
 * Throws `LogReadError` `log-too-large` if the files have more text than their limit, before any of it is held in
 * memory. Streams are measured while they are read.
 */
async function checkLogSize(files: readonly LogFile[]): Promise<void> {
  const maxBytes = maxBytesOf(files)
  const packed = new Set<LogFile>()
  let most = 0
  for (const file of files) {
    const { bytes = 0 } = file
    const isPacked = bytes > 0 && codecOf(await joined(file.blocks(), 4)) !== undefined
    if (isPacked) packed.add(file)
    most += isPacked ? maxUnpackedBytes(bytes) : bytes
  }
  if (most <= maxBytes) return
  let total = 0
  for (const file of files) {
    if (packed.has(file)) for await (const block of decodeLog(file)) total += block.byteLength
    else total += file.bytes ?? 0
    if (total > maxBytes) throw logTooLarge(file.name, maxBytes)
  }
}

/** Returns the limit for the text of all files of a log. */
function maxBytesOf([main]: readonly LogFile[]): number {
  return main?.maxBytes ?? defaultMaxLogBytes
}

/**
 * Lists the sessions of a log that may hold several, such as a database, oldest first. Each can be read by its path and
 * id, `PATH#ID`. Returns `undefined` if the format holds one session per log. Throws `LogReadError` like `readSession`.
 */
export async function listSessions(
  log: LogInput | OpenLog,
  options: OpenLogOptions & AbortableOptions = {},
): Promise<readonly SessionListing[] | undefined> {
  const { readers = defaultReaders, format, signal } = options
  const open = isOpenLog(log) ? log : await openLog(log, options)
  const reader = pickReader(open.head, readers, format)
  if (reader.sessions === undefined) return undefined
  const sink = createSessionWriter({ format: reader.name, files: open.files.map(({ name }) => name) })
  const batches = batchesOf(open, reader, sink, [], () => signal?.throwIfAborted())
  return await reader.sessions(oneByOne(batches))
}

/**
 * Returns the `source.sha256` of a log, without reading more than needed: the digest of its files, or for a session of
 * a database that of its events. Throws `LogReadError`.
 */
export async function digestLog(open: OpenLog, options: ReadSessionOptions = {}): Promise<string> {
  const { readers = defaultReaders, format, signal } = options
  const reader = pickReader(open.head, readers, format)
  if (framingOf(reader, open.head) === 'rows') return (await readSession(open, options)).source.sha256
  await checkLogSize(open.files)
  const files: { name: string; sha256: string }[] = []
  for (const { name, blocks } of open.files) {
    const hash = createHash('sha256')
    for await (const block of blocks()) {
      signal?.throwIfAborted()
      hash.update(block)
    }
    files.push({ name, sha256: hash.digest('hex') })
  }
  return logDigest(files)
}
