import * as json from '../../session/json.ts'

const earliestMillis = Date.UTC(1990, 0)
const latestMillis = Date.UTC(2200, 0)

/** A time in milliseconds since 1970 as ISO 8601 in UTC; `undefined` if it is not a date of our age. */
export function timeOfMillis(value: unknown): string | undefined {
  const millis = json.number(value)
  if (millis === undefined || millis < earliestMillis || millis >= latestMillis) return undefined
  return new Date(millis).toISOString()
}

/** A time in seconds since 1970 as ISO 8601 in UTC; `undefined` if it is not a date of our age. */
export function timeOfSeconds(value: unknown): string | undefined {
  const seconds = json.number(value)
  return seconds === undefined ? undefined : timeOfMillis(seconds * 1000)
}

/** Time of a message under any of the keys that applications use: a date, or seconds or milliseconds since 1970. */
export function messageTime(message: json.Fields): string | undefined {
  for (const value of [message.timestamp, message.created_at, message.createdAt, message.created]) {
    const time = json.text(value) ?? timeOfEpoch(value)
    if (time !== undefined) return time
  }
  return undefined
}

/** Seconds or milliseconds since 1970 as ISO 8601. */
export function timeOfEpoch(value: unknown): string | undefined {
  const number = json.number(value)
  if (number === undefined || number <= 0) return undefined
  const ms = number < 1e11 ? number * 1000 : number
  return ms < 8e15 ? new Date(ms).toISOString() : undefined
}
