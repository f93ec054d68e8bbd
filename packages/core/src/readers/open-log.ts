import type { Readable } from 'node:stream'
import { fileURLToPath } from 'node:url'
import { LogReadError } from '../errors.ts'
import { defaultReaders } from './default-readers.ts'
import { bestReader, readHead } from './detect.ts'
import { fileFromBytes, fileFromPath, fileFromStream, type LogFile } from './log-file.ts'
import type { LogHead, Reader } from './reader.ts'

/** A log: its path, a `file:` URL, its bytes, or a stream of them such as `process.stdin`. */
export type LogInput = string | URL | Uint8Array | Readable | AsyncIterable<Uint8Array | string>

/** A log whose files were found and whose beginning was read. */
export interface OpenLog {
  /** The main log, then the files beside it that belong to the session. */
  readonly files: readonly LogFile[]
  readonly head: LogHead
}

/** Options of `openLog`. */
export interface OpenLogOptions {
  /** Name of the log where the input has none. @default 'log' */
  readonly name?: string
  /** Reads the log as this format instead of looking at its content. */
  readonly format?: string
  /** @default all readers of this package */
  readonly readers?: readonly Reader[]
}

/** Finds the files of a log. Throws `LogReadError` where it is missing, empty, a folder or cannot be unpacked. */
export async function openLog(input: LogInput, options: OpenLogOptions = {}): Promise<OpenLog> {
  const path = pathOf(input)
  const main = path === undefined ? fileInMemory(input, options.name) : await fileFromPath(path, options.name)
  const head = await readHead(main)
  if (path === undefined) return { files: [main], head }
  const readers = options.readers ?? defaultReaders
  const reader =
    options.format === undefined
      ? bestReader(head, readers)
      : readers.find((candidate) => candidate.name === options.format)
  const beside = (await reader?.beside?.(path, head)) ?? []
  const files = await Promise.all(beside.map((other) => fileFromPath(other)))
  return { files: [main, ...files], head }
}

/** Tells an opened log from an input. */
export function isOpenLog(log: LogInput | OpenLog): log is OpenLog {
  return typeof log === 'object' && 'files' in log && 'head' in log
}

function pathOf(input: LogInput): string | undefined {
  if (typeof input === 'string') return input
  if (!(input instanceof URL)) return undefined
  if (input.protocol === 'file:') return fileURLToPath(input)
  throw new LogReadError(
    'log-unreadable',
    `${input.protocol} URLs cannot be read; expected a file: URL or a path.`,
  )
}

function fileInMemory(input: LogInput, name = 'log'): LogFile {
  if (input instanceof Uint8Array) return fileFromBytes(input, name)
  if (typeof input === 'object' && Symbol.asyncIterator in input) return fileFromStream(input, name)
  throw new TypeError('expected a path, a URL, bytes or a stream as log')
}
