import { bundleKinds, defaultReaders } from '@tenfold/core'
import { InvalidArgumentError, Option } from 'commander'

// Options that several commands share, with the checks of their values.

const defaultStore = '.agents/bundles'
const counters = ['o200k_base', 'cl100k_base'] as const
export type CounterName = (typeof counters)[number]

export function storeOption(): Option {
  return new Option('--store <folder>', 'folder of the bundle store')
    .env('TENFOLD_STORE')
    .default(defaultStore)
    .argParser(notEmpty('a folder'))
}

export function trackOption(description: string): Option {
  return new Option('--track <name>', description).argParser(parseTrack)
}

export function kindOption(description: string): Option {
  return new Option('--kind <kind>', description).choices(bundleKinds)
}

export function counterOption(): Option {
  return new Option('--counter <encoding>', 'what tokens are counted with')
    .choices(counters)
    .default('o200k_base')
}

export function formatOption(): Option {
  return new Option(
    '--format <reader>',
    'read logs as this format instead of looking at their content',
  ).choices(defaultReaders.map((reader) => reader.name))
}

/** Parses a whole number of at least `min`. */
export function wholeNumber(min: number, max = Number.MAX_SAFE_INTEGER): (value: string) => number {
  const range = max === Number.MAX_SAFE_INTEGER ? `of at least ${min}` : `from ${min} to ${max}`
  return (value) => {
    const number = /^\d+$/.test(value) ? Number(value) : Number.NaN
    if (number >= min && number <= max) return number
    throw new InvalidArgumentError(`expected a whole number ${range}, got ${JSON.stringify(value)}`)
  }
}

/** Parses a share such as `0.1`, from `min` (or above 0) up to 1. */
export function share(min: 'zero' | 'above zero'): (value: string) => number {
  return (value) => {
    const number = /^\d*\.?\d+$/.test(value) ? Number(value) : Number.NaN
    if (number <= 1 && (min === 'zero' ? number >= 0 : number > 0)) return number
    const from = min === 'zero' ? 'from 0' : 'above 0 and up'
    throw new InvalidArgumentError(
      `expected a share ${from} to 1 (0.1 is 10 %), got ${JSON.stringify(value)}`,
    )
  }
}

export function notEmpty(what: string): (value: string) => string {
  return (value) => {
    if (value.trim() !== '') return value
    throw new InvalidArgumentError(`expected ${what}, got an empty text`)
  }
}

function parseTrack(value: string): string {
  // The schema's rule for a track, without the names that are no file name everywhere.
  const good = /^[A-Za-z0-9](?:[A-Za-z0-9._-]{0,126}[A-Za-z0-9_-])?$/.test(value)
  const reserved = /^(?:con|prn|aux|nul|com\d|lpt\d)(?:\.|$)/i.test(value)
  if (good && !reserved) return value
  throw new InvalidArgumentError(
    `expected a name of letters, digits, ".", "_" and "-" that begins with a letter or a digit, got ${JSON.stringify(value)}`,
  )
}
