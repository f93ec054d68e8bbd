import type { Stats } from 'node:fs'
import { stat } from 'node:fs/promises'
import { basename } from 'node:path'
import type { Readable } from 'node:stream'
import { fileURLToPath } from 'node:url'
import { LogReadError } from '../errors.ts'
import { known } from '../session/known.ts'
import { defaultReaders } from './default-readers.ts'
import { fileFromBytes, fileFromPath, fileFromStream, type LogFile, walPath } from './log/log-file.ts'
import { bestReader, readHead } from './reader/detect.ts'
import type { LogHead, Reader } from './reader/reader.ts'
import { isDatabase } from './reader/sqlite-rows.ts'

/**
 * A log: its path (of a file, or of a folder that is one log or a store of them), a `file:` URL, its bytes, a stream of
 * them such as `process.stdin`, or `{ parsed }`, its JSON as a value. `PATH#ID` names one session of several.
 */
export type LogInput =
  | string
  | URL
  | Uint8Array
  | Readable
  | AsyncIterable<Uint8Array | string>
  | { readonly parsed: unknown }

/** A log whose files were found and whose beginning was read; `readSession` continues from there. */
export interface OpenLog {
  /** The main log, then the session's files next to it. */
  readonly files: readonly LogFile[]
  /** The first lines, by which a reader is chosen. */
  readonly head: LogHead
  /** Session id of `PATH#ID`. */
  readonly sessionId?: string
}

/** Options of {@link openLog}. */
export interface OpenLogOptions {
  /** Name of the log if the input has none. @default 'log' */
  readonly name?: string | undefined
  /** Reads the log as this format instead of detecting it from the content. */
  readonly format?: string | undefined
  /** @default all readers of this package */
  readonly readers?: readonly Reader[] | undefined
  /** Maximum bytes of decompressed text in all files of the log. @default 512 MiB */
  readonly maxLogBytes?: number | undefined
}

/** Finds the files of a log. Throws `LogReadError` if it is missing, empty, of no known kind or cannot be decompressed. */
export async function openLog(input: LogInput, options: OpenLogOptions = {}): Promise<OpenLog> {
  const given = pathOf(input)
  const readers = options.readers ?? defaultReaders
  if (given === undefined) {
    const file = withLimit(fileInMemory(input, options.name), options.maxLogBytes)
    return { files: [file], head: await readHead(file) }
  }
  const { path, sessionId } = await locateLog(given, readers)
  const main = withLimit(await fileFromPath(path, options.name), options.maxLogBytes)
  const { files, head } = await openFile(path, main, readers, options.format, sessionId)
  return { files, head, ...known({ sessionId }) }
}

/** A log with its reader, if one recognizes it, and the paths of the files that are read with it. */
export type OpenFile = OpenLog & Readonly<{ reader?: Reader; sessionFiles: readonly string[] }>

export async function openFile(
  path: string,
  main: LogFile,
  readers: readonly Reader[],
  format?: string,
  sessionId?: string,
): Promise<OpenFile> {
  const { maxBytes } = main
  const journal = (await isDatabase(main)) ? await walPath(path, main.name) : undefined
  const head = await readHead(main, journal)
  const reader =
    format === undefined ? bestReader(head, readers) : readers.find((candidate) => candidate.name === format)
  const sessionFiles = (await reader?.sessionFiles?.(path, head, sessionId)) ?? []
  const files = await Promise.all(
    sessionFiles.map(async (other) => withLimit(await fileFromPath(other), maxBytes)),
  )
  return { files: [main, ...(journal ? [journal] : []), ...files], head, sessionFiles, ...known({ reader }) }
}

/** The file with a limit for its text, if one is given. */
export function withLimit(file: LogFile, maxBytes: number | undefined): LogFile {
  return maxBytes === undefined ? file : { ...file, maxBytes }
}

export function isOpenLog(log: LogInput | OpenLog): log is OpenLog {
  return typeof log === 'object' && 'files' in log && 'head' in log
}

function pathOf(input: LogInput): string | undefined {
  if (typeof input === 'string') return input
  if (!(input instanceof URL)) return undefined
  if (input.protocol === 'file:') return fileURLToPath(input)
  const fault = `${input.protocol} URLs cannot be read; expected a file: URL or a path.`
  throw new LogReadError('log-unreadable', fault)
}

function fileInMemory(input: LogInput, name = 'log'): LogFile {
  if (input instanceof Uint8Array) return fileFromBytes(input, name)
  if (typeof input === 'object' && 'parsed' in input) return fileFromBytes(bytesOf(input.parsed), name)
  if (typeof input === 'object' && Symbol.asyncIterator in input) return fileFromStream(input, name)
  throw new TypeError('expected a path, a URL, bytes, a stream or { parsed } as log')
}

function bytesOf(parsed: unknown): Uint8Array {
  const fault = 'The value given as log cannot be written as JSON: '
  try {
    const text: string | undefined = JSON.stringify(parsed)
    if (text !== undefined) return Buffer.from(text)
  } catch (cause) {
    throw new LogReadError('log-unreadable', `${fault}${String(cause)}`, { cause })
  }
  throw new LogReadError('log-unreadable', `${fault}it is ${typeof parsed}.`)
}

type LogPlace = { readonly path: string; readonly sessionId?: string }

/** Returns the file that a path names, or the log in a folder; `PATH#ID` names a session. Throws `LogReadError`. */
async function locateLog(given: string, readers: readonly Reader[]): Promise<LogPlace> {
  const { path, sessionId } = await splitSelection(given)
  if ((await infoOf(path))?.isDirectory() !== true)
    return { path, ...(sessionId !== undefined && { sessionId }) }
  const logs = await logsOfFolder(path, readers)
  if (logs.length === 0)
    throw new LogReadError('log-unreadable', `${path} is a folder; give one log file in it.`)
  const isNamed = (log: string): boolean =>
    basename(log).replace(/\.[a-z]+$/i, '') === sessionId || log.includes(`/${sessionId}/`)
  const [named, ...others] = sessionId === undefined ? logs : logs.filter(isNamed).slice(0, 1)
  if (named !== undefined && others.length === 0) return { path: named }
  const shown = logs
    .slice(-5)
    .map((log) => basename(log))
    .join(', ')
  if (sessionId !== undefined)
    throw new LogReadError('session-missing', `${path} has no session ${sessionId}; it has …, ${shown}.`)
  const several = `${path} has ${logs.length} logs; give one of them: …, ${shown}.`
  throw new LogReadError('log-unreadable', several)
}

/** Returns the main logs in a folder that readers recognize as a log or a store; `findLogs` inspects other files. */
export async function logsOfFolder(folder: string, readers: readonly Reader[]): Promise<readonly string[]> {
  const logs = new Set<string>()
  for (const reader of readers) {
    for (const log of (await reader.logsInFolder?.(folder)) ?? []) logs.add(log)
  }
  return [...logs]
}

async function splitSelection(given: string): Promise<LogPlace> {
  const at = given.lastIndexOf('#')
  if (at <= 0 || at === given.length - 1 || (await infoOf(given)) !== undefined) return { path: given }
  const path = given.slice(0, at)
  return (await infoOf(path)) !== undefined ? { path, sessionId: given.slice(at + 1) } : { path: given }
}

async function infoOf(path: string): Promise<Stats | undefined> {
  return await stat(path).catch(() => undefined)
}
