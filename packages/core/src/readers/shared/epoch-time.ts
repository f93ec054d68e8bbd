import { asNumber } from '../../session/json-values.ts'

const earliestMillis = Date.UTC(1990, 0)
const latestMillis = Date.UTC(2200, 0)

/** A time in milliseconds since 1970 as ISO 8601 in UTC; `undefined` if it is not a date of our age. */
export function timeOfMillis(value: unknown): string | undefined {
  const millis = asNumber(value)
  if (millis === undefined || millis < earliestMillis || millis >= latestMillis) return undefined
  return new Date(millis).toISOString()
}

/** A time in seconds since 1970 as ISO 8601 in UTC; `undefined` if it is not a date of our age. */
export function timeOfSeconds(value: unknown): string | undefined {
  const seconds = asNumber(value)
  return seconds === undefined ? undefined : timeOfMillis(seconds * 1000)
}
