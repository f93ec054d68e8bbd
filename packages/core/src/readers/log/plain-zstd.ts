import { createContext, Script } from 'node:vm'
import { Decompress } from 'fzstd'

/** Ordinary data unpacks at 30 MB/s on a slow machine, a frame with the largest window at 3 to 10 MB/s. */
const bytesPerMs = 1000
/** A timed call costs as much as a few small pieces. Each piece gives at most 128 KiB of text. */
const piecesPerCall = 16

/**
 * Unpacks all frames of zstd, on every Node. A block of a few bytes can claim billions of steps, and a large window
 * makes small blocks slow: throws if the time exceeds what the size of the text explains by more than `reserveMs`.
 */
export async function* plainZstd(blocks: AsyncIterable<Uint8Array>, { reserveMs = 10_000 } = {}) {
  let made: Uint8Array[] = []
  const decoder = new Decompress((block) => {
    if (block.byteLength > 0) made.push(block)
  })
  const inTime = timer()
  let leftMs = reserveMs
  for await (const { pieces, last } of batches(zstdPieces(blocks))) {
    made = []
    const start = performance.now()
    const fault = inTime(leftMs, () => {
      for (const piece of pieces) decoder.push(piece)
      if (last) decoder.push(new Uint8Array(), true)
    })
    leftMs -= performance.now() - start
    for (const block of made) leftMs += block.byteLength / bytesPerMs
    yield* made
    if (fault !== undefined) throw fault
    if (leftMs < 1) throw tooSlow()
  }
}

/** Joins pieces into few calls. An error of the source is thrown after the pieces before it. */
async function* batches(source: AsyncIterable<Uint8Array>) {
  let pieces: Uint8Array[] = []
  let fault: unknown
  try {
    for await (const piece of source) {
      pieces.push(piece)
      if (pieces.length < piecesPerCall) continue
      yield { pieces, last: false }
      pieces = []
    }
  } catch (error) {
    fault = error
  }
  yield { pieces, last: fault === undefined }
  if (fault !== undefined) throw fault
}

/** Returns a function that runs another one and returns its error, if any. It stops even a running loop at the timeout. */
function timer() {
  const context = createContext({ run: () => {} })
  const call = new Script('run()')
  return (timeout: number, run: () => void): Error | undefined => {
    context.run = run
    try {
      call.runInContext(context, { timeout: Math.max(1, Math.ceil(timeout)) })
      return undefined
    } catch (error) {
      return (error as Error & { code?: string }).code === 'ERR_SCRIPT_EXECUTION_TIMEOUT'
        ? tooSlow()
        : (error as Error)
    }
  }
}

function tooSlow(): Error {
  return new Error('it takes far too long for the size of its text; unpack it with zstd -d')
}

/** Maximum bytes that one block of a zstd frame can hold (RFC 8878, 3.1.1.2.4). */
const maxBlockLength = 128 * 1024
/** Maximum accepted window; above it, the zstd tool also requires an option. */
const largestWindow = 128 * 1024 * 1024

const frameMagic = 0xfd2fb528
const skippableMagic = 0x184d2a50
const runBlock = 1
const reservedBlock = 3

/** Cuts zstd data so that a decoder makes at most one block of text, 128 KiB, from each piece. */
async function* zstdPieces(blocks: AsyncIterable<Uint8Array>): AsyncGenerator<Uint8Array> {
  const bytes = byteSource(blocks)
  try {
    for (let start = await bytes.peek(4); start.length > 0; start = await bytes.peek(4)) {
      if (start.length < 4) yield bytes.take(start.length)
      else if (start.readUInt32LE() === frameMagic) yield* framePieces(bytes)
      else if ((start.readUInt32LE() & 0xfffffff0) >>> 0 === skippableMagic) yield* skippablePieces(bytes)
      else throw new Error('invalid zstd data')
    }
  } finally {
    await bytes.close()
  }
}

async function* framePieces(bytes: ByteSource): AsyncGenerator<Uint8Array> {
  const head = await bytes.peek(18)
  const { length, window, hasChecksum } = frameHeader(head)
  if (window > largestWindow)
    throw new Error(`the zstd window is ${window} bytes; at most ${largestWindow} are accepted`)
  yield bytes.take(length)
  if (length > head.length) return
  for (let last = false; !last; ) {
    const header = await bytes.peek(3)
    if (header.length < 3) return yield bytes.take(header.length)
    const fields = header.readUIntLE(0, 3)
    const type = (fields >> 1) & 3
    const size = fields >> 3
    last = (fields & 1) === 1
    if (type === reservedBlock || size > maxBlockLength) throw new Error('invalid zstd data')
    const stored = 3 + (type === runBlock ? 1 : size)
    const block = await bytes.peek(stored)
    yield bytes.take(block.length)
    if (block.length < stored) return
  }
  if (hasChecksum) yield bytes.take((await bytes.peek(4)).length)
}

function frameHeader(bytes: Buffer) {
  const flags = bytes[4] ?? 0
  const isSingleSegment = (flags & 0x20) !== 0
  const idLength = [0, 1, 2, 4][flags & 3] ?? 0
  const sizeLength = [isSingleSegment ? 1 : 0, 2, 4, 8][flags >> 6] ?? 0
  const sizeAt = (isSingleSegment ? 5 : 6) + idLength
  const length = sizeAt + sizeLength
  const hasChecksum = (flags & 4) !== 0
  if (bytes.length < length) return { length, window: 0, hasChecksum }
  const descriptor = bytes[5] ?? 0
  const windowSize = 2 ** (10 + (descriptor >> 3)) * (1 + (descriptor & 7) / 8)
  if (!isSingleSegment) return { length, window: windowSize, hasChecksum }
  const isLong = sizeLength === 8
  const size = isLong ? Number(bytes.readBigUInt64LE(sizeAt)) : bytes.readUIntLE(sizeAt, sizeLength)
  return { length, window: size + (sizeLength === 2 ? 256 : 0), hasChecksum }
}

/** A skippable frame is for other programs; the decoder skips it. */
async function* skippablePieces(bytes: ByteSource): AsyncGenerator<Uint8Array> {
  const head = await bytes.peek(8)
  yield bytes.take(head.length)
  if (head.length < 8) return
  let left = head.readUInt32LE(4)
  while (left > 0) {
    const piece = await bytes.peek(Math.min(left, maxBlockLength))
    if (piece.length === 0) return
    yield bytes.take(piece.length)
    left -= piece.length
  }
}

type ByteSource = ReturnType<typeof byteSource>

function byteSource(blocks: AsyncIterable<Uint8Array>) {
  const source = blocks[Symbol.asyncIterator]()
  let held: Buffer = Buffer.alloc(0)
  return {
    async peek(count: number): Promise<Buffer> {
      while (held.length < count) {
        const next = await source.next()
        if (next.done) break
        held = Buffer.concat([held, next.value])
      }
      return held.subarray(0, count)
    },
    take(count: number): Buffer {
      const taken = held.subarray(0, count)
      held = held.subarray(count)
      return taken
    },
    close: async () => void (await source.return?.()),
  }
}
