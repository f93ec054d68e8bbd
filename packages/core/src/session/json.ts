/** An object from parsed JSON: any key may be missing, and any value may be of any type. */
export type Fields = Readonly<Record<string, unknown>>

/** Returns the value at a path of keys; `undefined` if there is none. The other functions here take such a path too. */
export function at(value: unknown, ...path: readonly string[]): unknown {
  let inner = value
  for (const field of path) inner = object(inner)?.[field]
  return inner
}

export function object(value: unknown, ...path: readonly string[]): Fields | undefined {
  const found = path.length === 0 ? value : at(value, ...path)
  return typeof found === 'object' && found !== null && !Array.isArray(found) ? (found as Fields) : undefined
}

/** Returns the fields of an object; none for a list, a scalar or `null`. */
export function fields(value: unknown, ...path: readonly string[]): Fields {
  return object(value, ...path) ?? {}
}

export function list(value: unknown, ...path: readonly string[]): readonly unknown[] {
  const found = path.length === 0 ? value : at(value, ...path)
  return Array.isArray(found) ? found : []
}

export function objects(value: unknown, ...path: readonly string[]): Fields[] {
  return list(value, ...path)
    .map((item) => object(item))
    .filter((item) => item !== undefined)
}

/** Returns a text unless it is empty. */
export function text(value: unknown, ...path: readonly string[]): string | undefined {
  const found = path.length === 0 ? value : at(value, ...path)
  return typeof found === 'string' && found !== '' ? found : undefined
}

export function texts(values: readonly unknown[]): string[] {
  return values.flatMap((value) => text(value) ?? [])
}

export function number(value: unknown, ...path: readonly string[]): number | undefined {
  const found = path.length === 0 ? value : at(value, ...path)
  return typeof found === 'number' && Number.isFinite(found) ? found : undefined
}

/** Returns a whole number from 0. */
export function count(value: unknown, ...path: readonly string[]): number | undefined {
  const found = number(value, ...path)
  return found !== undefined && Number.isSafeInteger(found) && found >= 0 ? found : undefined
}

// Matches times between 1990 and 2200 that surely exist, so that they need no parsing; days after the 28th do not
// match.
const plainTime =
  /^(?:199|2[01]\d)\d-(?:0[1-9]|1[0-2])-(?:0[1-9]|1\d|2[0-8])T(?:[01]\d|2[0-3]):[0-5]\d:[0-5]\d(?:\.\d{1,9})?Z$/
const isoUtc = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(?:\.\d{1,9})?Z$/
const earliest = Date.UTC(1990, 0)
const latest = Date.UTC(2200, 0)

/** Returns a date as ISO 8601 in UTC, unchanged if it is that already; `undefined` unless it is between 1990 and 2200. */
export function time(value: unknown): string | undefined {
  if (typeof value !== 'string' || value.length < 10 || value.length > 40) return undefined
  if (plainTime.test(value)) return value
  const date = Date.parse(value)
  if (!(date >= earliest && date < latest)) return undefined
  return isoUtc.test(value) ? value : new Date(date).toISOString()
}

const millisLength = '2026-01-01T00:00:00.000Z'.length

/** Whether a time is before another one; both are results of {@link time}. */
export function isBefore(first: string, second: string): boolean {
  // Times of equal length and at most milliseconds sort as texts.
  if (first.length === second.length && first.length <= millisLength) return first < second
  return Date.parse(first) < Date.parse(second)
}

/** Parses JSON; returns `undefined` if it is invalid. */
export function parse(value: string): unknown {
  try {
    return JSON.parse(value)
  } catch (error) {
    if (error instanceof SyntaxError) return undefined
    throw error
  }
}
