import { createWriteStream } from 'node:fs'
import { Readable, type Transform } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import { createGzip } from 'node:zlib'

/** A log that is made to take memory or time. */
export interface Bomb {
  readonly name: string
  /** The expected outcome: the code of an error, or `<n> events`. */
  readonly becomes: string
  write(path: string): Promise<void>
}

const tooLarge = 'log-too-large'

/** Logs that would take gigabytes or minutes without limits. */
export const bombs: readonly Bomb[] = [
  { name: 'runs-1.jsonl.zst', becomes: tooLarge, write: (path) => write(path, zstdRuns(8192)) },
  { name: 'runs-12.jsonl.zst', becomes: tooLarge, write: (path) => write(path, zstdRuns(90_000)) },
  { name: 'window.jsonl.zst', becomes: 'log-unreadable', write: (path) => write(path, zstdRuns(1, 20 << 3)) },
  {
    name: 'one-letter.jsonl.gz',
    becomes: tooLarge,
    write: (path) => write(path, repeat(Buffer.alloc(2 ** 20, 65), 1024), createGzip({ level: 9 })),
  },
  {
    name: 'events.jsonl.gz',
    becomes: tooLarge,
    write: (path) => write(path, tinyEvents(3_000_000), createGzip({ level: 1 })),
  },
  { name: 'million.jsonl', becomes: '1000000 events', write: (path) => write(path, tinyEvents(1_000_000)) },
  {
    name: 'backslashes.jsonl',
    becomes: '2 events',
    write: (path) => write(path, message('a\\\n'.repeat(700_000))),
  },
  {
    name: 'base64.jsonl',
    becomes: '2 events',
    write: (path) => write(path, message(noise(4_000_000).toString('base64'))),
  },
  {
    name: 'one-line.jsonl',
    becomes: '1 events',
    write: (path) => write(path, message('x'.repeat(200_000_000))),
  },
  {
    name: 'nested.jsonl',
    becomes: '1 events',
    write: (path) => write(path, [event(0, 'hi'), `${'[{"a":'.repeat(1_000_000)}\n`]),
  },
]

async function write(path: string, pieces: Iterable<string | Uint8Array>, packer?: Transform): Promise<void> {
  const file = createWriteStream(path)
  const source = Readable.from(pieces, { highWaterMark: 1 })
  if (packer === undefined) await pipeline(source, file)
  else await pipeline(source, packer, file)
}

function* repeat(block: Uint8Array, times: number): Generator<Uint8Array> {
  for (let time = 0; time < times; time++) yield block
}

/** A zstd frame of blocks that each expand from four bytes to 128 KiB of one letter. */
function* zstdRuns(blocks: number, windowDescriptor = 0x38): Generator<Uint8Array> {
  yield Buffer.from([0x28, 0xb5, 0x2f, 0xfd, 0, windowDescriptor])
  for (let number = 1; number <= blocks; number++) {
    const block = Buffer.alloc(4, 0x41)
    block.writeUIntLE(((128 * 1024) << 3) | (1 << 1) | Number(number === blocks), 0, 3)
    yield block
  }
}

/** A record of Claude Code's format. */
function event(number: number, content: unknown): string {
  const type = number % 2 === 0 ? 'user' : 'assistant'
  const record = {
    parentUuid: number === 0 ? null : `u${number - 1}`,
    isSidechain: false,
    type,
    uuid: `u${number}`,
    timestamp: new Date(Date.UTC(2026, 0, 1) + number * 1000).toISOString(),
    cwd: '/srv/app',
    sessionId: '0b1c2d3e-0000-4000-8000-000000000001',
    version: '2.1.0',
    message: { role: type, ...(type === 'assistant' && { id: `m${number}` }), content },
  }
  return `${JSON.stringify(record)}\n`
}

function* tinyEvents(count: number): Generator<string> {
  let block = ''
  for (let number = 0; number < count; number++) {
    block += event(number, number % 2 === 0 ? `hi ${number}` : [{ type: 'text', text: `ok ${number}` }])
    if (block.length < 2 ** 20) continue
    yield block
    block = ''
  }
  yield block
}

function message(text: string): string[] {
  return [event(0, 'hi'), event(2, text)]
}

/** Bytes without a pattern, the same each time. */
function noise(length: number): Buffer {
  const bytes = Buffer.alloc(length)
  let state = 1
  for (let at = 0; at < length; at++) {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0
    bytes[at] = state >>> 24
  }
  return bytes
}
