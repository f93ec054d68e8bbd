import { InvalidArgumentError, Option } from 'commander'

/** `--max-log-size`: the most text to read from one log. */
export function maxLogSizeOption(): Option {
  return new Option(
    '--max-log-size <size>',
    'largest log to read, by its unpacked size: bytes, or 800MB, 2GB, 2GiB (default: 512MiB)',
  )
    .env('TENFOLD_MAX_LOG_SIZE')
    .argParser(parseSize)
}

const sizeUnits = new Map([
  ['', 1],
  ['kb', 1e3],
  ['mb', 1e6],
  ['gb', 1e9],
  ['kib', 2 ** 10],
  ['mib', 2 ** 20],
  ['gib', 2 ** 30],
])

/** Parses bytes, or a size with a unit such as `800MB`. */
export function parseSize(value: string): number {
  const [, number, unit = ''] = /^(\d{1,15}(?:\.\d{1,6})?) ?([a-z]*)$/i.exec(value) ?? []
  const bytes = Math.floor(Number(number) * (sizeUnits.get(unit.toLowerCase()) ?? Number.NaN))
  if (bytes >= 1 && bytes <= Number.MAX_SAFE_INTEGER) return bytes
  throw new InvalidArgumentError(`expected a size such as 800MB, 2GB or 2GiB, got ${JSON.stringify(value)}`)
}
