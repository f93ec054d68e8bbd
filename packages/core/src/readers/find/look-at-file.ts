import { isUtf8 } from 'node:buffer'
import { createHash } from 'node:crypto'
import { basename, dirname, resolve } from 'node:path'
import { LogReadError } from '../../errors.ts'
import { startOfRegularFile } from '../../regular-file.ts'
import * as json from '../../session/json.ts'
import { decodeLog, utf16Of } from '../log/decode-log.ts'
import { fileFromBytes, fileFromPath, joined, unpackedName } from '../log/log-file.ts'
import { openFile, withLimit } from '../open-log.ts'
import { listSessions } from '../read-session.ts'
import type { LogHead, Reader, SessionListing } from '../reader/reader.ts'
import type { SkippedFile } from './found-files.ts'
import { systemMessage, type WalkedFile } from './walk-folders.ts'

export interface SeenLog {
  readonly reader: Reader
  /** True if the folder is one for such logs, but the content cannot be parsed. */
  readonly damaged: boolean
  /** Absent or empty if the file is one session, or its sessions cannot be listed. */
  readonly sessions: readonly SessionListing[] | undefined
  readonly sessionFiles: readonly string[]
  readonly isDatabase: boolean
  readonly start: string
}

type Looked = { readonly log: SeenLog } | { readonly fault: Omit<SkippedFile, 'path'> }

interface LookOptions {
  readonly readers: readonly Reader[]
  readonly claimedBy: Reader | undefined
  readonly maxLogBytes: number | undefined
  readonly signal: AbortSignal | undefined
}

const startBytes = 64 * 1024

/** Decides by content whether a file is a log, reading only as much as needed. */
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
  const unpacked = await joined(decodeLog(main), 1)
  if (unpacked.toString('latin1', 0, 16) !== 'SQLite format 3\0') {
    const fault = startFault(unpacked.subarray(0, startBytes), whole && unpacked.length < startBytes)
    if (fault !== undefined) return { fault }
  }
  const opened = await openFile(path, main, readers)
  const damaged = opened.reader === undefined && isDamaged(opened.head)
  const reader = opened.reader ?? (damaged ? claimedBy : undefined)
  if (reader === undefined) return skip('unknown-format', 'is of no known format')
  const sessions = damaged ? undefined : await listSessions(opened, { readers, signal }).catch(unlisted)
  signal?.throwIfAborted()
  // An empty list means no sessions only for a database; other files list none if they are one session.
  if (sessions?.length === 0 && opened.head.tables !== undefined)
    return skip('no-sessions', `is a database of ${reader.name} that has no session`)
  const digest = createHash('sha256').update(opened.head.text).digest('hex')
  const isDatabase = opened.head.tables !== undefined
  return { log: { reader, damaged, sessions, sessionFiles: opened.sessionFiles, isDatabase, start: digest } }
}

function isDamaged({ name, document, records, tables }: LogHead): boolean {
  if (document !== undefined || tables !== undefined) return false
  return !/\.jsonl/i.test(name) || !records.some((record) => json.object(record) !== undefined)
}

function unlisted(error: unknown): undefined {
  if (!(error instanceof LogReadError)) throw error
}

function skip(code: SkippedFile['code'], message: string): Looked {
  return { fault: { code, message } }
}

export type Owners = ReturnType<typeof createOwners>

const journals = ['-wal', '-shm', '-journal']

export function createOwners() {
  const readers = new Map<string, string>()
  const copies = new Map<string, string>()
  const places = new Map<string, string>()

  function mainOf(file: string): string {
    let main = file
    for (let next = readers.get(main); next !== undefined; next = readers.get(main)) main = next
    return main
  }

  return {
    add(log: string, { reader, sessionFiles, isDatabase }: SeenLog): void {
      for (const other of sessionFiles.map((path) => resolve(path))) {
        // Two files may each name the other: the first of them is the log.
        if (mainOf(log) !== other && !readers.has(other)) readers.set(other, log)
      }
      const plain = unpackedName(log)
      const around = reader.companions?.(plain) ?? []
      const own = isDatabase ? journals.map((end) => `${plain}${end}`) : []
      for (const place of [...around, ...own]) {
        const key = resolve(place)
        if (!places.has(key)) places.set(key, log)
      }
    },
    addPackedCopy(log: string, { start }: SeenLog, logs: ReadonlyMap<string, SeenLog>): void {
      const plain = unpackedName(log)
      if (plain !== log && logs.get(plain)?.start === start) copies.set(log, plain)
    },
    /** Returns the log that a file is read with; `undefined` if there is none, or the file is that log. */
    readWith(file: string): string | undefined {
      const main = mainOf(file)
      return main === file ? undefined : main
    },
    copyOf: (file: string): string | undefined => copies.get(file),
    belongsTo(file: string): string | undefined {
      const plain = places.get(unpackedName(file))
      if (plain !== undefined) return mainOf(plain)
      for (let place = file; ; place = dirname(place)) {
        const log = places.get(place)
        if (log !== undefined) return mainOf(log)
        if (place === dirname(place)) return undefined
      }
    },
  }
}

const log = 'write-ahead log'

/** https://www.sqlite.org/fileformat2.html#walformat */
const magics: readonly (readonly [name: string, at: number, magic: readonly number[]])[] = [
  ['zip', 0, [0x50, 0x4b, 3, 4]],
  ['zip', 0, [0x50, 0x4b, 5, 6]],
  ['tar', 257, [0x75, 0x73, 0x74, 0x61, 0x72]],
  ['xz', 0, [0xfd, 0x37, 0x7a, 0x58, 0x5a]],
  ['bzip2', 0, [0x42, 0x5a, 0x68]],
  ['7z', 0, [0x37, 0x7a, 0xbc, 0xaf]],
  [log, 0, [0x37, 0x7f, 0x06, 0x82]],
  [log, 0, [0x37, 0x7f, 0x06, 0x83]],
]

/** Returns why a file with this beginning cannot be a log. Runs of NUL bytes, and text that is not UTF-8, count as text. */
function startFault(bytes: Uint8Array, whole: boolean): Omit<SkippedFile, 'path'> | undefined {
  const [name] =
    magics.find(([, at, magic]) => magic.every((value, index) => bytes[at + index] === value)) ?? []
  if (name === log)
    return { code: 'binary', message: `is the ${log} of a database, which is read only next to the database` }
  // bzip2's magic number is three letters, with which a text may begin.
  const packed = `is a ${name} archive, which is not looked into; unpack it if it holds logs`
  if (name !== undefined && (name !== 'bzip2' || !isUtf8(untilLastLetter(bytes))))
    return { code: 'archive', message: packed }
  return isBinary(bytes, whole) ? { code: 'binary', message: 'is binary' } : undefined
}

const maxOdd = 0.02

function isBinary(bytes: Uint8Array, whole: boolean): boolean {
  if (utf16Of(bytes) !== undefined) return false
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

function untilLastLetter(bytes: Uint8Array): Uint8Array {
  const back = [1, 2, 3, 4].find((count) => ((bytes.at(-count) ?? 0) & 0xc0) !== 0x80) ?? 0
  return (bytes.at(-back) ?? 0) >= 0xc0 ? bytes.subarray(0, bytes.length - back) : bytes
}
