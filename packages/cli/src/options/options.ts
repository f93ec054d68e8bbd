import { bundleKinds, cleanCommand, isTrackName } from '@tenfold/core'
import { InvalidArgumentError, Option } from 'commander'
import { defaultStore } from '../store/project-store.ts'

// Options that several commands share, and the parsers of their values.

export const counters = ['o200k_base', 'cl100k_base'] as const
export type CounterName = (typeof counters)[number]

export function storeOption(): Option {
  return new Option('--store <store>', 'bundle store: a folder, or s3://bucket/prefix?endpoint=…')
    .env('TENFOLD_STORE')
    .default(defaultStore(), '.agents/bundles of the project')
    .argParser(parseStore)
}

/** Parses the place of a store: a folder, or an `s3://` URL. The parts of a URL are checked when it is opened. */
export function parseStore(value: string): string {
  // A mistyped `s3:/bucket` would become a folder; one letter before the colon is a drive of Windows.
  const scheme = /^[a-z][a-z0-9+.-]+:\/{1,2}/i.exec(value)?.[0]
  if (scheme !== undefined && scheme.toLowerCase() !== 's3://')
    throw new InvalidArgumentError(
      `expected a folder or an s3:// URL, got a URL that begins with ${JSON.stringify(scheme)}`,
    )
  return notEmpty('a folder')(value)
}

export function trackOption(description: string): Option {
  return new Option('--track <name>', description).argParser(parseTrack)
}

export function kindOption(description: string): Option {
  return new Option('--kind <kind>', description).choices(bundleKinds)
}

/** The kind of bundles that are made; `auto` is that of the phase in which a session ended. */
export function madeKindOption(): Option {
  const choices = [...bundleKinds, 'auto']
  return kindOption('kind of the bundles; auto: of the phase that the session is in')
    .choices(choices)
    .default('context')
}

export function counterOption(): Option {
  return new Option('--counter <encoding>', 'encoding to count tokens with')
    .choices(counters)
    .default('o200k_base')
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

export function parseTrack(value: string): string {
  if (isTrackName(value)) return value
  throw new InvalidArgumentError(
    `expected a name of letters, digits, ".", "_" and "-" that begins with a letter or a digit and that no file system reserves, got ${JSON.stringify(value)}`,
  )
}

/** Parses a next command: one line, without control characters. */
export function parseCommand(value: string): string {
  const command = cleanCommand(value)
  if (command !== undefined) return command
  throw new InvalidArgumentError(
    'expected one command on one line; join several with && or put them in a script',
  )
}
