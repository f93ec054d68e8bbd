import { InvalidArgumentError } from 'commander'

const unitHours = new Map([
  ['h', 1],
  ['d', 24],
  ['w', 7 * 24],
])
const hour = 60 * 60 * 1000

/** Parses `12h`, `30d` or `8w` to milliseconds. */
export function duration(value: string): number {
  const [, count, unit = ''] = /^(\d{1,6})([hdw])$/.exec(value) ?? []
  const hours = unitHours.get(unit)
  if (count !== undefined && hours !== undefined) return Number(count) * hours * hour
  throw new InvalidArgumentError(
    `expected hours, days or weeks such as 12h, 30d or 8w, got ${JSON.stringify(value)}`,
  )
}

const unitSeconds = new Map([
  ['s', 1],
  ['m', 60],
  ['h', 3600],
])

/** Parses `90s`, `10m` or `2h` to milliseconds; at least one second. */
export function timeLimit(value: string): number {
  const [, count, unit = ''] = /^(\d{1,6})([smh])$/.exec(value) ?? []
  const seconds = Number(count) * (unitSeconds.get(unit) ?? Number.NaN)
  if (seconds >= 1) return seconds * 1000
  throw new InvalidArgumentError(
    `expected seconds, minutes or hours such as 90s, 10m or 2h, got ${JSON.stringify(value)}`,
  )
}

/**
 * Parses a date (its first moment, or the one after its last), a date with a time of day, both in UTC, or an age such
 * as `7d`.
 */
export function timeAt(edge: 'start' | 'end'): (value: string) => Date {
  return (value) => {
    if (/^\d+[hdw]$/.test(value)) return new Date(Date.now() - duration(value))
    const [, date = '', clock] = /^(\d{4}-\d\d-\d\d)(?:T(\d\d:\d\d(?::\d\d)?))?Z?$/.exec(value) ?? []
    const time = Date.parse(`${date}T${clock ?? '00:00'}Z`)
    // `Date.parse` takes a day that the month does not have for one of the next month.
    if (!Number.isNaN(time) && new Date(time).toISOString().startsWith(date))
      return new Date(time + (clock === undefined && edge === 'end' ? 24 * hour : 0))
    throw new InvalidArgumentError(
      `expected a date such as 2026-03-04 or 2026-03-04T05:06 (UTC), or an age such as 7d, got ${JSON.stringify(value)}`,
    )
  }
}
