/** One line without its line end; `bytes` is missing if the line was longer than the limit. */
export interface RawLine {
  readonly bytes?: Buffer
  readonly length: number
  /** Whether a line end followed; only the last line of a file may lack one. */
  readonly ended: boolean
}

const lineFeed = 10

/** Cuts blocks into lines on demand. Skips a line over `maxBytes` without holding it. */
export async function* splitLines(
  blocks: AsyncIterable<Uint8Array>,
  maxBytes: number,
): AsyncGenerator<Iterable<RawLine>> {
  let carried: Buffer[] = []
  let length = 0
  const take = (ended: boolean): RawLine => {
    const line =
      length > maxBytes
        ? { length, ended }
        : { bytes: carried.length === 1 ? carried[0]! : Buffer.concat(carried), length, ended }
    carried = []
    length = 0
    return line
  }
  const carry = (piece: Buffer): void => {
    length += piece.length
    if (length > maxBytes) carried = []
    else if (piece.length > 0) carried.push(piece)
  }
  function* linesOf(block: Uint8Array): Generator<RawLine> {
    const buffer = Buffer.from(block.buffer, block.byteOffset, block.byteLength)
    let start = 0
    for (let end = buffer.indexOf(lineFeed); end !== -1; end = buffer.indexOf(lineFeed, start)) {
      carry(buffer.subarray(start, end))
      yield take(true)
      start = end + 1
    }
    carry(buffer.subarray(start))
  }
  for await (const block of blocks) yield linesOf(block)
  if (length > 0) yield [take(false)]
}
