import { createHash } from 'node:crypto'
import { basename } from 'node:path'
import { LogReadError } from '../../errors.ts'
import { startOfRegularFile } from '../../regular-file.ts'
import { asObject } from '../../session/json-values.ts'
import { listSessions } from '../list-sessions.ts'
import { decodeLog } from '../log/decode-log.ts'
import { fileFromBytes, fileFromPath } from '../log/log-file.ts'
import { type OpenFile, openFile, withLimit } from '../open-log.ts'
import type { LogHead, Reader, SessionListing } from '../reader/reader.ts'
import { startFault } from './file-start.ts'
import type { SkippedFile } from './found-files.ts'
import { systemMessage, type WalkedFile } from './walk-folders.ts'

/** A file that proved to be a log. */
export interface SeenLog {
  readonly reader: Reader
  /** Whether the folder says that it is a log, but its content cannot be parsed. */
  readonly damaged: boolean
  /** Absent or empty if the file is one session, or the sessions cannot be listed. */
  readonly sessions?: readonly SessionListing[]
  readonly sessionFiles: readonly string[]
  readonly isDatabase: boolean
  /** Digest of the unpacked beginning. */
  readonly start: string
}

export type Looked = { readonly log: SeenLog } | { readonly fault: Omit<SkippedFile, 'path'> }

export interface LookOptions {
  readonly readers: readonly Reader[]
  /** The reader that knows the file as a log by the folder that contains it. */
  readonly claimedBy: Reader | undefined
  readonly maxLogBytes: number | undefined
  readonly signal: AbortSignal | undefined
}

const startBytes = 64 * 1024

/**
 * Inspects the content of a file to decide whether it is a log. Reads only the beginning of binary files, and of text
 * that is not JSON; a JSON document must be read whole, because a reader may summarize it by its end.
 */
export async function lookAtFile(file: WalkedFile, options: LookOptions): Promise<Looked> {
  if (file.bytes === 0) return skip('empty', 'is empty')
  try {
    return await look(file, options)
  } catch (error) {
    options.signal?.throwIfAborted()
    if (!(error instanceof LogReadError)) return skip('unreadable', `cannot be read: ${systemMessage(error)}`)
    if (error.code === 'log-empty') return skip('empty', 'is empty')
    if (error.code === 'log-missing') return skip('gone', 'disappeared while the folder was searched')
    return skip('unreadable', `cannot be read: ${error.message}`)
  }
}

async function look({ path, bytes }: WalkedFile, options: LookOptions): Promise<Looked> {
  const { readers, claimedBy, maxLogBytes, signal } = options
  const start = await startOfRegularFile(path, startBytes)
  const whole = start.length >= bytes
  const name = basename(path)
  // Small files, which are the majority, are read only once.
  const main = withLimit(whole ? fileFromBytes(start, name) : await fileFromPath(path), maxLogBytes)
  const unpacked = await firstBlock(decodeLog(main, () => {}))
  if (!isSqlite(unpacked)) {
    const fault = startFault(unpacked.subarray(0, startBytes), whole && unpacked.length < startBytes)
    if (fault !== undefined) return { fault }
  }
  const opened = await openFile(path, main, readers)
  const damaged = opened.reader === undefined && isDamaged(opened.head)
  const reader = opened.reader ?? (damaged ? claimedBy : undefined)
  if (reader === undefined) return skip('unknown-format', 'is of no known format')
  const sessions = damaged ? undefined : await sessionsOf(opened, options)
  signal?.throwIfAborted()
  // Only a database without sessions is empty; a file lists none if it is one session.
  if (sessions?.length === 0 && opened.head.tables !== undefined)
    return skip('no-sessions', `is a database of ${reader.name} that holds no session`)
  return {
    log: {
      reader,
      damaged,
      ...(sessions !== undefined && { sessions }),
      sessionFiles: opened.sessionFiles,
      isDatabase: opened.head.tables !== undefined,
      start: createHash('sha256').update(opened.head.text).digest('hex'),
    },
  }
}

async function firstBlock(blocks: AsyncIterable<Uint8Array>): Promise<Uint8Array> {
  for await (const block of blocks) if (block.length > 0) return block
  return new Uint8Array()
}

/** Whether a file that should hold JSON holds none. */
function isDamaged({ name, document, records, tables }: LogHead): boolean {
  if (document !== undefined || tables !== undefined) return false
  return !/\.jsonl/i.test(name) || !records.some((record) => asObject(record) !== undefined)
}

function isSqlite(bytes: Uint8Array): boolean {
  return Buffer.from(bytes.subarray(0, 16)).toString('latin1') === 'SQLite format 3\0'
}

/** Lists sessions. Reading a known log reports its faults. */
async function sessionsOf(
  opened: OpenFile,
  { readers, signal }: LookOptions,
): Promise<readonly SessionListing[] | undefined> {
  try {
    return await listSessions(opened, { readers, ...(signal !== undefined && { signal }) })
  } catch (error) {
    if (error instanceof LogReadError) return undefined
    throw error
  }
}

function skip(code: SkippedFile['code'], message: string): Looked {
  return { fault: { code, message } }
}
