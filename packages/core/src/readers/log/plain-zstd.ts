import { createContext, Script } from 'node:vm'
import { Decompress } from 'fzstd'
import { zstdPieces } from './zstd-pieces.ts'

/** Options of {@link plainZstd}. */
export interface PlainZstdOptions {
  /** Time that may pass beyond what the size of the text explains. @default 10,000 */
  readonly reserveMs?: number
}

/** Ordinary data gives 30 MB a second on a slow machine, a frame with the largest window 3 to 10. */
const bytesPerMs = 1000
/** A timed call costs as much as a few small pieces. Each piece gives at most 128 KiB of text. */
const piecesPerCall = 16

/**
 * Unpacks zstd, all frames, on every Node. A block of a few bytes can claim billions of steps, and a large window makes
 * small blocks slow: throws if the time is far beyond what the size of the text explains.
 */
export async function* plainZstd(
  blocks: AsyncIterable<Uint8Array>,
  { reserveMs = 10_000 }: PlainZstdOptions = {},
): AsyncGenerator<Uint8Array> {
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

/** Joins pieces into few calls. A fault of the source comes after the pieces before it. */
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

/** A function that runs another one and returns its error, if any. It ends it in the middle of a loop when time is up. */
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
