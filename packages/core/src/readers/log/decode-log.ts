import { pipeline, Readable } from 'node:stream'
import { createGunzip } from 'node:zlib'
import { LogReadError, messageOf } from '../../errors.ts'
import type { LogFile } from './log-file.ts'

/**
 * Yields the text of a log as UTF-8 blocks: unpacks gzip and zstd and converts UTF-16, recognized by the first bytes.
 * `note` is called for anything odd. Throws `LogReadError` if nothing can be unpacked, and `log-too-large` for more
 * text than `file.maxBytes`.
 */
export async function* decodeLog(
  file: Pick<LogFile, 'name' | 'maxBytes' | 'blocks'>,
  note: OddNote = () => {},
): AsyncGenerator<Uint8Array> {
  const { name, maxBytes = defaultMaxLogBytes } = file
  const source = file.blocks()[Symbol.asyncIterator]()
  const first = await source.next()
  const head: Uint8Array = first.done ? new Uint8Array() : first.value
  const packed = { name, maxBytes, blocks: rejoin(head, source) }
  const codec = codecOf(head)
  if (codec !== undefined) yield* unpack(packed, codec, note)
  else {
    const encoding = utf16Of(head)
    yield* encoding === undefined ? limited(packed) : recode(limited(packed), encoding, note)
  }
}

export function withoutByteOrderMark(text: string): string {
  return text.charCodeAt(0) === 0xfeff ? text.slice(1) : text
}

export function utf16Of(head: Uint8Array): 'utf-16le' | 'utf-16be' | undefined {
  if (startsWith(head, [0xff, 0xfe]) && !startsWith(head, [0xff, 0xfe, 0, 0])) return 'utf-16le'
  return startsWith(head, [0xfe, 0xff]) ? 'utf-16be' : undefined
}

export function codecOf(head: Uint8Array): Codec | undefined {
  if (startsWith(head, [0x1f, 0x8b])) return 'gzip'
  return startsWith(head, [0x28, 0xb5, 0x2f, 0xfd]) ? 'zstd' : undefined
}

async function* limited(file: PackedFile): AsyncGenerator<Uint8Array> {
  let size = 0
  for await (const block of file.blocks) {
    size += block.byteLength
    if (size > file.maxBytes) throw logTooLarge(file.name, file.maxBytes)
    yield block
  }
}

function startsWith(bytes: Uint8Array, magic: readonly number[]): boolean {
  return magic.every((value, index) => bytes[index] === value)
}

async function* rejoin(head: Uint8Array, rest: AsyncIterator<Uint8Array>): AsyncGenerator<Uint8Array> {
  try {
    if (head.byteLength > 0) yield head
    for (let next = await rest.next(); !next.done; next = await rest.next()) yield next.value
  } finally {
    await rest.return?.()
  }
}

async function* recode(blocks: AsyncIterable<Uint8Array>, encoding: 'utf-16le' | 'utf-16be', note: OddNote) {
  note('recoded', `the log is ${encoding.toUpperCase()} and was read as such`)
  const decoder = new TextDecoder(encoding)
  for await (const block of blocks) yield Buffer.from(decoder.decode(block, { stream: true }))
  yield Buffer.from(decoder.decode())
}

type Codec = 'gzip' | 'zstd'
type OddNote = (code: string, message: string) => void
type PackedFile = Readonly<{ name: string; maxBytes: number; blocks: AsyncIterable<Uint8Array> }>

/** Incomplete data ends with a note. Throws `LogReadError` if nothing can be unpacked. */
async function* unpack(file: PackedFile, codec: Codec, note: OddNote) {
  const meter = unpackMeter(file.name, file.maxBytes)
  let unpacked = 0
  try {
    for await (const block of await decoded(measured(file.blocks, meter), codec)) {
      meter.unpacked(block.byteLength)
      unpacked += block.byteLength
      yield block
    }
  } catch (cause) {
    if (meter.fault !== undefined) throw meter.fault
    if (cause instanceof LogReadError) throw cause
    const reason = messageOf(cause)
    const fault = `${file.name} looks like ${codec} but cannot be unpacked: ${reason}`
    if (unpacked === 0) throw new LogReadError('log-unreadable', fault, { cause })
    note('broken-archive', `${codec} breaks off after ${unpacked} unpacked bytes: ${reason}`)
  }
}

const sliceBytes = 16 * 1024

async function* measured(blocks: AsyncIterable<Uint8Array>, meter: UnpackMeter): AsyncGenerator<Uint8Array> {
  try {
    for await (const block of blocks) {
      // A whole block could unpack to far too much text before the next one is requested.
      for (let start = 0; start < block.byteLength; start += sliceBytes) {
        const slice = block.subarray(start, start + sliceBytes)
        meter.packed(slice.byteLength)
        yield slice
      }
    }
  } catch (error) {
    meter.fault = error
    throw error
  }
}

async function decoded(blocks: AsyncIterable<Uint8Array>, codec: Codec): Promise<AsyncIterable<Uint8Array>> {
  // The error is thrown by the loop over the transform.
  if (codec === 'gzip') return pipeline(Readable.from(blocks, { highWaterMark: 1 }), createGunzip(), () => {})
  // Node's own zstd (since 22.15) ends silently after the first frame, and in Node 22 also if the data is incomplete.
  const { plainZstd } = await import('./plain-zstd.ts')
  return plainZstd(blocks)
}

/** Maximum bytes of text in a log, over all its files, unless the caller sets another limit. */
export const defaultMaxLogBytes = 512 * 1024 * 1024

// Real logs shrink to between a tenth and a fiftieth. Small texts may be more repetitive.
const ratioFrom = 64 * 1000 * 1000
const maxRatio = 250

type UnpackMeter = ReturnType<typeof unpackMeter>

/**
 * Counts the bytes of one file while it is unpacked, before the next block is made. Allows `maxBytes` of text, and
 * above 64 MB at most 250 times the packed bytes.
 */
function unpackMeter(name: string, maxBytes: number) {
  let before = 0
  let after = 0
  return {
    /** Error of the source. */
    fault: undefined as unknown,
    packed(bytes: number): void {
      before += bytes
    },
    unpacked(bytes: number): void {
      after += bytes
      if (after > maxBytes) throw logTooLarge(name, maxBytes)
      const tooDense = `${name} unpacks to more than ${maxRatio} times its size, like a decompression bomb. If you trust it, unpack it with gzip -d or zstd -d and give the unpacked file.`
      if (after > ratioFrom && after > maxRatio * before) throw new LogReadError('log-too-large', tooDense)
    },
  }
}

/** Returns the maximum bytes of text that a meter allows for a packed file of this size. */
export function maxUnpackedBytes(packed: number): number {
  return Math.max(ratioFrom, maxRatio * packed)
}

export function logTooLarge(name: string, maxBytes: number): LogReadError {
  const power = [3, 2, 1].find((each) => maxBytes >= 1024 ** each && maxBytes % 1024 ** each === 0) ?? 0
  const size = `${maxBytes / 1024 ** power} ${['bytes', 'KiB', 'MiB', 'GiB'][power]}`
  const fault = `The text of ${name} is larger than ${size}.`
  const advice = 'If you trust the log, raise the limit (option maxLogBytes).'
  return new LogReadError('log-too-large', `${fault} ${advice}`)
}
