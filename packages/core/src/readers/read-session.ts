import { createHash } from 'node:crypto'
import type { LogFileInfo, Session } from '../session/session.ts'
import { decodeLog } from './decode-log.ts'
import { defaultReaders } from './default-readers.ts'
import { pickReader } from './detect.ts'
import { readRecords } from './lines.ts'
import type { LogFile } from './log-file.ts'
import { isOpenLog, type LogInput, type OpenLog, openLog } from './open-log.ts'
import type { LogRecord, Reader } from './reader.ts'
import { createSessionWriter, type SessionBuilder } from './session-writer.ts'

/** Options of `readSession`. */
export interface ReadSessionOptions {
  /** Name of the reader to use, instead of the one that the content tells. */
  readonly format?: string
  /** @default all readers of this package */
  readonly readers?: readonly Reader[]
  readonly signal?: AbortSignal
  /** Called after each block of about 1 MiB; `totalBytes` is missing for streams. */
  readonly onProgress?: (bytesRead: number, totalBytes?: number) => void
}

/**
 * Reads a log into the one vocabulary of all agents. Odd lines become notes of the session; throws `LogReadError` where
 * there is nothing to read: missing, empty, of no known format.
 */
export async function readSession(
  log: LogInput | OpenLog,
  options: ReadSessionOptions = {},
): Promise<Session> {
  const { readers = defaultReaders, format, signal } = options
  signal?.throwIfAborted()
  const open = isOpenLog(log) ? log : await openLog(log, { readers, ...(format !== undefined && { format }) })
  const reader = pickReader(open.head, readers, format)
  const builder = createSessionWriter({ format: reader.name, files: open.files.map((file) => file.name) })
  const infos: LogFileInfo[] = []
  const onBytes = progressOf(open.files, options)
  await reader.read(recordsOf(open.files, reader, builder, infos, onBytes), builder)
  if (infos.length < open.files.length)
    throw new Error(`reader ${reader.name} stopped before the end of the log`)
  return builder.finish(infos)
}

function progressOf(
  files: readonly LogFile[],
  { signal, onProgress }: ReadSessionOptions,
): (bytes: number) => void {
  let read = 0
  const total = files.reduce<number | undefined>(
    (sum, file) => (sum === undefined || file.bytes === undefined ? undefined : sum + file.bytes),
    0,
  )
  return (bytes) => {
    signal?.throwIfAborted()
    read += bytes
    onProgress?.(read, total)
  }
}

async function* recordsOf(
  files: readonly LogFile[],
  reader: Reader,
  builder: SessionBuilder,
  infos: LogFileInfo[],
  onBytes: (bytes: number) => void,
): AsyncGenerator<LogRecord> {
  for (const [index, file] of files.entries()) {
    const hash = createHash('sha256')
    const tally = { lines: 0 }
    let bytes = 0
    const stored = tap(file.blocks(), (block) => {
      hash.update(block)
      bytes += block.byteLength
      onBytes(block.byteLength)
    })
    const note = (code: string, message: string): void => builder.lineNote(index, 1, code, message)
    const blocks = decodeLog(file.name, stored, note)
    yield* readRecords({ file: index, blocks, framing: reader.framing ?? 'lines', sink: builder, tally })
    infos.push({ name: file.name, bytes, sha256: hash.digest('hex'), lines: tally.lines })
  }
}

async function* tap(
  blocks: AsyncIterable<Uint8Array>,
  see: (block: Uint8Array) => void,
): AsyncGenerator<Uint8Array> {
  for await (const block of blocks) {
    see(block)
    yield block
  }
}
