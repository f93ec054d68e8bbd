import { cleanCommand, isTrackName } from '@tenfold/core/internal'
import { InvalidArgumentError } from 'commander'

// Parsers for option values. Each returns the value, or throws an error with what it expected.

export function bad(expected: string, value: string, hint = ''): InvalidArgumentError {
  return new InvalidArgumentError(`expected ${expected}, got ${JSON.stringify(value)}${hint}`)
}

export function listOf<T>(parse: (value: string) => T): (value: string, before?: readonly T[]) => T[] {
  return (value, before = []) => [...before, parse(value)]
}

/** Parses one of several words. `meant` maps other words to them, for the error message's suggestion. */
export function oneOf<const Choice extends string>(
  choices: readonly Choice[],
  meant: Readonly<Record<string, Choice>> = {},
): (value: string) => Choice {
  return (value) => {
    const found = choices.find((choice) => choice === value)
    if (found !== undefined) return found
    throw notOneOf(choices, value, Object.hasOwn(meant, value) ? meant[value] : undefined)
  }
}

/** Without `meant`, suggests choices with the same start, or those that differ by letters left out or added. */
export function notOneOf(choices: readonly string[], value: string, meant?: string): InvalidArgumentError {
  const said = value.trim().toLowerCase() || ' '
  const starts = choices.filter((choice) => choice.startsWith(said) || said.startsWith(choice))
  const like = choices.filter(
    (choice) => said.length > 3 && (isWithin(said, choice) || isWithin(choice, said)),
  )
  const likely = meant ?? (starts.length > 0 ? starts : like).join(' or ')
  return bad(`one of ${choices.join(', ')}`, value, likely === '' ? '' : `; did you mean ${likely}?`)
}

function isWithin(part: string, text: string): boolean {
  return [...text].reduce((left, letter) => (left.startsWith(letter) ? left.slice(1) : left), part) === ''
}

export function notEmpty(what: string): (value: string) => string {
  return (value) => {
    if (value.trim() !== '') return value
    throw new InvalidArgumentError(`expected ${what}, got an empty text`)
  }
}

export function wholeNumber(min: number, max = Number.MAX_SAFE_INTEGER): (value: string) => number {
  const range = max === Number.MAX_SAFE_INTEGER ? `of at least ${min}` : `from ${min} to ${max}`
  return (value) => {
    const number = /^\d+$/.test(value) ? Number(value) : Number.NaN
    if (number >= min && number <= max) return number
    throw bad(`a whole number ${range}`, value)
  }
}

export function share(min: 'zero' | 'above zero'): (value: string) => number {
  return (value) => {
    const number = /^\d*\.?\d+$/.test(value) ? Number(value) : Number.NaN
    if (number <= 1 && (min === 'zero' ? number >= 0 : number > 0)) return number
    throw bad(`a share ${min === 'zero' ? 'from 0' : 'above 0 and up'} to 1 (0.1 is 10 %)`, value)
  }
}

export function parseAmount(value: string): number {
  if (/^\d{0,200}\.?\d{1,100}$/.test(value)) return Number(value)
  throw bad('an amount such as 0.50', value)
}

export function parseUrl(value: string): string {
  if (URL.canParse(value) && /^https?:$/.test(new URL(value).protocol)) return value
  throw bad('a URL that begins with http:// or https://', value)
}

/** Parses a store's location: a folder or an `s3://` URL. The URL's parts are checked when the store is opened. */
export function parseStore(value: string): string {
  // A mistyped `s3:/bucket` must not become a folder. A single letter before the colon is a Windows drive.
  const scheme = /^[a-z][a-z0-9+.-]+:\/{1,2}/i.exec(value)?.[0]
  if (scheme === undefined) return notEmpty('a folder')(value)
  if (scheme.toLowerCase() !== 's3://') throw bad('a folder or an s3:// URL', scheme)
  // Invalid options are reported when the store is opened. The URL may contain credentials, so it is not quoted.
  if (/^s3:\/\/[a-z0-9][\w.-]+(?:[/?]|$)/i.test(value)) return value
  throw new InvalidArgumentError('expected a URL such as s3://bucket/prefix, with the name of a bucket')
}

export function parseTrack(value: string): string {
  if (isTrackName(value)) return value
  throw bad(
    'a name of letters, digits, ".", "_" and "-" that begins with a letter or a digit and that no file system reserves',
    value,
  )
}

export function parseCommand(value: string): string {
  const command = cleanCommand(value)
  if (command !== undefined) return command
  throw new InvalidArgumentError('expected one command on one line; join several with &&, or write a script')
}

const unitBytes = { '': 1, kb: 1e3, mb: 1e6, gb: 1e9, kib: 2 ** 10, mib: 2 ** 20, gib: 2 ** 30 }

export function parseSize(value: string): number {
  const [, number, unit = ''] = /^(\d{1,15}(?:\.\d{1,6})?) ?([a-z]*)$/i.exec(value) ?? []
  const bytes = Math.floor(Number(number) * numberOf(unitBytes, unit.toLowerCase()))
  if (bytes >= 1 && bytes <= Number.MAX_SAFE_INTEGER) return bytes
  throw bad('a size such as 800MB, 2GB or 2GiB', value)
}

const second = 1000
const hour = 3600 * second

export function duration(value: string): number {
  const [, count, unit = ''] = /^(\d{1,6})([hdw])$/.exec(value) ?? []
  if (count !== undefined) return Number(count) * numberOf({ h: hour, d: 24 * hour, w: 168 * hour }, unit)
  throw bad('hours, days or weeks such as 12h, 30d or 8w', value)
}

/** At least one second. */
export function timeLimit(value: string): number {
  const [, count, unit = ''] = /^(\d{1,6})([smh])$/.exec(value) ?? []
  const time = Number(count) * numberOf({ s: second, m: 60 * second, h: hour }, unit)
  if (time >= second) return time
  throw bad('seconds, minutes or hours such as 90s, 10m or 2h', value)
}

export function parseHours(value: string): number {
  if (/^\d{1,5}(?:\.\d+)?$/.test(value)) return Number(value) * hour
  throw bad('hours such as 4 or 0.5', value)
}

function numberOf(units: Readonly<Record<string, number>>, unit: string): number {
  return Object.hasOwn(units, unit) ? (units[unit] ?? Number.NaN) : Number.NaN
}

/** A date (its start, or its end, exclusive), a date with a time, both in UTC, or an age such as `7d`. */
export function timeAt(edge: 'start' | 'end'): (value: string) => Date {
  return (value) => {
    if (/^\d+[hdw]$/.test(value)) return new Date(Date.now() - duration(value))
    const [, date = '', clock] = /^(\d{4}-\d\d-\d\d)(?:T(\d\d:\d\d(?::\d\d)?))?Z?$/.exec(value) ?? []
    const time = Date.parse(`${date}T${clock ?? '00:00'}Z`)
    // `Date.parse` reads 2026-02-30 as a day in March.
    if (!Number.isNaN(time) && new Date(time).toISOString().startsWith(date))
      return new Date(time + (clock === undefined && edge === 'end' ? 24 * hour : 0))
    throw bad('a date such as 2026-03-04 or 2026-03-04T05:06 (UTC), or an age such as 7d', value)
  }
}
