import { createReadStream } from 'node:fs'
import { stat } from 'node:fs/promises'
import { basename } from 'node:path'
import { LogReadError } from '../../errors.ts'
import { regularFileBlocks } from '../../regular-file.ts'

/** One file of a log, as bytes on disk. Its blocks can be read repeatedly. */
export interface LogFile {
  readonly name: string
  readonly path?: string
  readonly bytes?: number
  /** Maximum bytes of its decompressed text. @default 512 MiB */
  readonly maxBytes?: number
  /** Yields the stored bytes; a block is never modified afterwards. */
  blocks(): AsyncIterable<Uint8Array>
}

/** Small enough that V8 frees a block before it promotes it to the old generation. */
const readBytes = 64 * 1024

/** Opens a file on disk. Throws `LogReadError` if there is none, or it is not a file. */
export async function fileFromPath(path: string, name = basename(path)): Promise<LogFile> {
  const info = await stat(path).catch((cause: NodeJS.ErrnoException) => {
    if (cause.code === 'ENOENT' || cause.code === 'ENOTDIR')
      throw new LogReadError('log-missing', `There is no log at ${path}; check the path.`, { cause })
    throw new LogReadError('log-unreadable', `The log at ${path} cannot be read: ${cause.message}`, { cause })
  })
  if (info.isDirectory())
    throw new LogReadError('log-unreadable', `${path} is a folder; give one log file in it.`)
  if (info.isFile()) return { name, path, bytes: info.size, blocks: () => blocksOfPath(path) }
  if (!openDescriptor.test(path))
    throw new LogReadError('log-unreadable', `${path} is a pipe or a device; give a file, or - for stdin.`)
  // A pipe can be read only once.
  return fileFromStream(createReadStream(path, { highWaterMark: 1024 * 1024 }), name)
}

/** Path that a shell passes for `<(command)`, which was opened by whoever started the process. */
const openDescriptor = /^\/(?:dev|proc\/(?:self|\d+))\/fd\/\d+$/

async function* blocksOfPath(path: string): AsyncGenerator<Uint8Array> {
  try {
    yield* regularFileBlocks(path, { blockBytes: readBytes })
  } catch (cause) {
    if (!(cause instanceof Error && 'syscall' in cause)) throw cause
    throw new LogReadError('log-unreadable', `The log at ${path} cannot be read: ${cause.message}`, { cause })
  }
}

const journalEnd = '-wal'

/** Returns the name or path of a database's write-ahead log; that of a packed database is packed too. */
export function walName(database: string): string {
  return `${unpackedName(database)}${journalEnd}${packing.exec(database)?.[0] ?? ''}`
}

export function isWal(file: LogFile): boolean {
  return unpackedName(file.name).endsWith(journalEnd)
}

export function walOf(files: readonly LogFile[], database: LogFile): LogFile | undefined {
  return files.find(({ name }) => name === walName(database.name))
}

export async function walPath(path: string, name: string): Promise<LogFile | undefined> {
  const journal = walName(path)
  const info = await stat(journal).catch((cause: NodeJS.ErrnoException) => {
    if (cause.code === 'ENOENT') return undefined
    throw new LogReadError('log-unreadable', `${journal} cannot be read: ${cause.message}`, { cause })
  })
  if (info === undefined || info.size === 0) return undefined
  return await fileFromPath(journal, walName(name))
}

export function fileFromBytes(bytes: Uint8Array, name: string): LogFile {
  return {
    name,
    bytes: bytes.byteLength,
    async *blocks() {
      for (let start = 0; start < bytes.byteLength; start += readBytes)
        yield bytes.subarray(start, start + readBytes)
    },
  }
}

/** Joins blocks, up to the first one that reaches `maxBytes`. */
export async function joined(blocks: AsyncIterable<Uint8Array>, maxBytes = Infinity): Promise<Buffer> {
  const kept: Uint8Array[] = []
  let size = 0
  for await (const block of blocks) {
    kept.push(block)
    size += block.byteLength
    if (size >= maxBytes) break
  }
  return Buffer.concat(kept)
}

/** Keeps a stream in memory as it is read, so that it can be read again, also by readers in parallel. */
export function fileFromStream(stream: AsyncIterable<Uint8Array | string>, name: string): LogFile {
  const source = stream[Symbol.asyncIterator]()
  const kept: Promise<IteratorResult<Uint8Array | string>>[] = []
  return {
    name,
    async *blocks() {
      for (let index = 0; ; index++) {
        kept[index] ??= source.next()
        const next = await kept[index]
        if (next === undefined || next.done === true) return
        yield typeof next.value === 'string' ? Buffer.from(next.value) : next.value
      }
    },
  }
}

const packing = /\.(?:gz|zst)$/i

export function unpackedName(name: string): string {
  return name.replace(packing, '')
}
