import { createGzip } from 'node:zlib'

/** A zstd frame of blocks that each repeat one byte, 131,072 times unless told otherwise, in four bytes. */
export function zstdRuns(blocks: number, byte = 0x41, windowDescriptor = 0x38, times = 128 * 1024): Buffer {
  const header = Buffer.from([0x28, 0xb5, 0x2f, 0xfd, 0, windowDescriptor])
  const run = (last: number): Buffer => {
    const block = Buffer.alloc(4, byte)
    block.writeUIntLE((times << 3) | (1 << 1) | last, 0, 3)
    return block
  }
  return Buffer.concat([
    header,
    ...Array.from({ length: blocks }, (_, index) => run(index + 1 === blocks ? 1 : 0)),
  ])
}

/** A zstd frame of 21 bytes whose one block asks for 98,047 copies of 65,539 bytes, six billion steps. */
export function zstdSteps(): Buffer {
  const sequences = [0, 255, 255, 255]
  // One code for all literal lengths (0), offsets (the last one) and match lengths (65,539).
  const codes = [0x54, 0, 0, 52, 0, 0, 0, 1]
  const block = [...sequences, ...codes]
  return Buffer.from([0x28, 0xb5, 0x2f, 0xfd, 0, 0x38, (block.length << 3) | (2 << 1) | 1, 0, 0, ...block])
}

/** A zstd frame that holds bytes uncompressed, in blocks of at most `blockBytes`. */
export function zstdRaw(bytes: Uint8Array, blockBytes = 128 * 1024): Buffer {
  const parts: Uint8Array[] = [Buffer.from([0x28, 0xb5, 0x2f, 0xfd, 0, 0x38])]
  for (let start = 0; start < bytes.length; start += blockBytes) {
    const piece = bytes.subarray(start, start + blockBytes)
    const header = Buffer.alloc(3)
    header.writeUIntLE((piece.length << 3) | (start + blockBytes >= bytes.length ? 1 : 0), 0, 3)
    parts.push(header, piece)
  }
  return Buffer.concat(parts)
}

/** A text repeated up to `bytes`, packed with gzip; it is never whole in memory. */
export async function gzipOf(text: string, bytes: number): Promise<Buffer> {
  const gzip = createGzip({ level: 9 })
  const packed: Buffer[] = []
  gzip.on('data', (block: Buffer) => packed.push(block))
  const block = Buffer.from(text.repeat(Math.ceil(1_000_000 / text.length)))
  for (let written = 0; written < bytes; written += block.length)
    if (!gzip.write(block)) await new Promise((done) => gzip.once('drain', done))
  gzip.end()
  await new Promise((done) => gzip.once('end', done))
  return Buffer.concat(packed)
}
