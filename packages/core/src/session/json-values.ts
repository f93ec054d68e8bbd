/** An object from parsed JSON: any key may be missing, any value may be of any type. */
export type JsonObject = Readonly<Record<string, unknown>>

/** The value as an object, or `undefined` if it is a list, a scalar or `null`. */
export function asObject(value: unknown): JsonObject | undefined {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
    ? (value as JsonObject)
    : undefined
}

/** The fields of an object; none if the value is a list, a scalar or `null`. */
export function fieldsOf(value: unknown): JsonObject {
  return asObject(value) ?? {}
}

/** What is at a path of fields; `undefined` if it is not there. */
export function at(value: unknown, ...path: readonly string[]): unknown {
  return path.reduce<unknown>((inner, field) => asObject(inner)?.[field], value)
}

/** The non-empty string at a path of fields. */
export function textAt(value: unknown, ...path: readonly string[]): string | undefined {
  return asText(at(value, ...path))
}

/** The value as a list; empty if it is not one. */
export function asList(value: unknown): readonly unknown[] {
  return Array.isArray(value) ? value : []
}

/** The objects in a list; none if the value is not a list. */
export function objectsIn(value: unknown): JsonObject[] {
  return asList(value)
    .map(asObject)
    .filter((item) => item !== undefined)
}

/** The value as a non-empty string, or `undefined`. */
export function asText(value: unknown): string | undefined {
  return typeof value === 'string' && value !== '' ? value : undefined
}

/** The texts among values. */
export function textsIn(values: readonly unknown[]): string[] {
  return values.flatMap((value) => asText(value) ?? [])
}

/** The value as a finite number, or `undefined`. */
export function asNumber(value: unknown): number | undefined {
  return typeof value === 'number' && Number.isFinite(value) ? value : undefined
}

/** The value as a count of something: a whole number from 0, or `undefined`. */
export function asCount(value: unknown): number | undefined {
  return typeof value === 'number' && Number.isSafeInteger(value) && value >= 0 ? value : undefined
}

// A time between 1990 and 2200 that exists, for which most times need no parsing; the last days of months are left out.
const plainTime =
  /^(?:199|2[01]\d)\d-(?:0[1-9]|1[0-2])-(?:0[1-9]|1\d|2[0-8])T(?:[01]\d|2[0-3]):[0-5]\d:[0-5]\d(?:\.\d{1,9})?Z$/
const isoUtc = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(?:\.\d{1,9})?Z$/
const earliest = Date.UTC(1990, 0)
const latest = Date.UTC(2200, 0)

/** A date as ISO 8601 in UTC, unchanged if it already is; `undefined` if it is not a date of our age. */
export function asTime(value: unknown): string | undefined {
  if (typeof value !== 'string' || value.length < 10 || value.length > 40) return undefined
  if (plainTime.test(value)) return value
  const time = Date.parse(value)
  if (!(time >= earliest && time < latest)) return undefined
  return isoUtc.test(value) ? value : new Date(time).toISOString()
}

const millisLength = '2026-01-01T00:00:00.000Z'.length

/** Whether a time is before another one, both as {@link asTime} gives them. */
export function isBefore(time: string, other: string): boolean {
  // Of the same length, and with milliseconds at most, they sort as texts do.
  if (time.length === other.length && time.length <= millisLength) return time < other
  return Date.parse(time) < Date.parse(other)
}

/** The text as JSON, or `undefined` if it is not JSON. */
export function parseJson(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch (error) {
    if (error instanceof SyntaxError) return undefined
    throw error
  }
}
