import { pipeline, Readable, type Transform } from 'node:stream'
import { createGunzip } from 'node:zlib'
import { LogReadError, messageOf } from '../../errors.ts'
import { type UnpackMeter, unpackMeter } from './unpack-limit.ts'

/** Compression of a log. */
export type Codec = 'gzip' | 'zstd'

/** A packed log. */
export interface PackedFile {
  readonly name: string
  /** Maximum bytes of text. */
  readonly maxBytes: number
  readonly blocks: AsyncIterable<Uint8Array>
}

/**
 * Unpacks a log block by block. Data that breaks off ends with a note. Throws `LogReadError` if nothing can be
 * unpacked, and `log-too-large` as soon as the text is too large, or far larger than its packed bytes.
 */
export async function* unpack(
  file: PackedFile,
  codec: Codec,
  note: (code: string, message: string) => void,
): AsyncGenerator<Uint8Array> {
  const meter = unpackMeter(file.name, file.maxBytes)
  let unpacked = 0
  let sourceError: unknown
  const source = measured(file.blocks, meter, (error) => {
    sourceError = error
  })
  try {
    for await (const block of await decoded(source, codec)) {
      meter.unpacked(block.byteLength)
      unpacked += block.byteLength
      yield block
    }
  } catch (cause) {
    if (sourceError !== undefined) throw sourceError
    if (cause instanceof LogReadError) throw cause
    const reason = messageOf(cause)
    if (unpacked === 0) {
      throw new LogReadError(
        'log-unreadable',
        `${file.name} looks like ${codec} but cannot be unpacked: ${reason}`,
        { cause },
      )
    }
    note('broken-archive', `${codec} breaks off after ${unpacked} unpacked bytes: ${reason}`)
  }
}

const sliceBytes = 16 * 1024

async function* measured(
  blocks: AsyncIterable<Uint8Array>,
  meter: UnpackMeter,
  failed: (error: unknown) => void,
): AsyncGenerator<Uint8Array> {
  try {
    for await (const block of blocks) {
      // A whole block may unpack to far too much text before the next one is requested.
      for (let start = 0; start < block.byteLength; start += sliceBytes) {
        const slice = block.subarray(start, start + sliceBytes)
        meter.packed(slice.byteLength)
        yield slice
      }
    }
  } catch (error) {
    failed(error)
    throw error
  }
}

async function decoded(blocks: AsyncIterable<Uint8Array>, codec: Codec): Promise<AsyncIterable<Uint8Array>> {
  if (codec === 'gzip') return through(blocks, createGunzip())
  // Node's own zstd (since 22.15) ends silently after the first frame, and in 22 where the data breaks off.
  const { plainZstd } = await import('./plain-zstd.ts')
  return plainZstd(blocks)
}

function through(blocks: AsyncIterable<Uint8Array>, transform: Transform): AsyncIterable<Uint8Array> {
  // The error reaches the loop over the transform.
  pipeline(Readable.from(blocks, { highWaterMark: 1 }), transform, () => {})
  return transform as AsyncIterable<Uint8Array>
}
