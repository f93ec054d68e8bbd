import { LogReadError } from '../../errors.ts'

/** Maximum bytes of text in a log, over all its files, unless the caller sets another limit. */
export const defaultMaxLogBytes = 512 * 1024 * 1024

// Real logs shrink to a tenth or a fiftieth. Small texts may be more repetitive than that.
const ratioFrom = 64 * 1000 * 1000
const maxRatio = 250

/** Counts the bytes of one file while it is unpacked. Both functions are called before the next block is made. */
export interface UnpackMeter {
  /** Counts bytes as they are stored. */
  packed(bytes: number): void
  /** Counts bytes of text. Throws `LogReadError` `log-too-large` if the file has too many. */
  unpacked(bytes: number): void
}

/** A meter that allows `maxBytes` of text, and above 64 MB at most 250 times the packed bytes. */
export function unpackMeter(name: string, maxBytes: number): UnpackMeter {
  let before = 0
  let after = 0
  return {
    packed: (bytes) => {
      before += bytes
    },
    unpacked: (bytes) => {
      after += bytes
      if (after > maxBytes) throw logTooLarge(name, maxBytes)
      if (after > ratioFrom && after > maxRatio * before) throw tooDense(name)
    },
  }
}

/** Maximum bytes of text that a meter allows for a packed file of this size. */
export function maxUnpackedBytes(packed: number): number {
  return Math.max(ratioFrom, maxRatio * packed)
}

/** The error for a log whose text is over the limit. */
export function logTooLarge(name: string, maxBytes: number): LogReadError {
  return new LogReadError(
    'log-too-large',
    `The text of ${name} is larger than ${sizeInWords(maxBytes)}. If you trust the log, raise the limit (option maxLogBytes).`,
  )
}

function tooDense(name: string): LogReadError {
  return new LogReadError(
    'log-too-large',
    `${name} unpacks to more than ${maxRatio} times its size, like a decompression bomb. If you trust it, unpack it with gzip -d or zstd -d and give the unpacked file.`,
  )
}

function sizeInWords(bytes: number): string {
  for (const [unit, size] of [
    ['GiB', 2 ** 30],
    ['MiB', 2 ** 20],
    ['KiB', 2 ** 10],
  ] as const) {
    if (bytes >= size && bytes % size === 0) return `${bytes / size} ${unit}`
  }
  return `${bytes} bytes`
}
