import type { LogFile } from './log-file.ts'
import { type Codec, defaultMaxLogBytes, type PackedFile, unpack, unpackMeter } from './unpack.ts'

/**
 * The text of a log as UTF-8 blocks: unpacks gzip and zstd and converts UTF-16, both recognised by the first bytes.
 * `note` is called for anything odd. Throws `LogReadError` if nothing can be unpacked, and `log-too-large` for more
 * text than `file.maxBytes`.
 */
export async function* decodeLog(
  file: Pick<LogFile, 'name' | 'maxBytes' | 'blocks'>,
  note: (code: string, message: string) => void,
): AsyncGenerator<Uint8Array> {
  const { name, maxBytes = defaultMaxLogBytes } = file
  const source = file.blocks()[Symbol.asyncIterator]()
  const first = await source.next()
  const head: Uint8Array = first.done ? new Uint8Array() : first.value
  const packed = { name, maxBytes, blocks: rejoin(head, source) }
  const codec = codecOf(head)
  if (codec !== undefined) yield* unpack(packed, codec, note)
  else {
    const all = limited(packed)
    if (startsWith(head, [0xff, 0xfe]) && !startsWith(head, [0xff, 0xfe, 0, 0]))
      yield* recode(all, 'utf-16le', note)
    else if (startsWith(head, [0xfe, 0xff])) yield* recode(all, 'utf-16be', note)
    else yield* all
  }
}

export function withoutByteOrderMark(text: string): string {
  return text.charCodeAt(0) === 0xfeff ? text.slice(1) : text
}

export function codecOf(head: Uint8Array): Codec | undefined {
  if (startsWith(head, [0x1f, 0x8b])) return 'gzip'
  return startsWith(head, [0x28, 0xb5, 0x2f, 0xfd]) ? 'zstd' : undefined
}

async function* limited(file: PackedFile): AsyncGenerator<Uint8Array> {
  const meter = unpackMeter(file.name, file.maxBytes)
  for await (const block of file.blocks) {
    meter.packed(block.byteLength)
    meter.unpacked(block.byteLength)
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

async function* recode(
  blocks: AsyncIterable<Uint8Array>,
  encoding: 'utf-16le' | 'utf-16be',
  note: (code: string, message: string) => void,
): AsyncGenerator<Uint8Array> {
  note('recoded', `the log is ${encoding.toUpperCase()} and was read as such`)
  const decoder = new TextDecoder(encoding)
  for await (const block of blocks) yield Buffer.from(decoder.decode(block, { stream: true }))
  yield Buffer.from(decoder.decode())
}
