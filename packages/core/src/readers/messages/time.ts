import { asNumber, asText, type JsonObject } from '../../session/json-values.ts'

/** Time of a message under any of the keys that applications use: a date, or seconds or milliseconds since 1970. */
export function messageTime(message: JsonObject): string | undefined {
  for (const value of [message.timestamp, message.created_at, message.createdAt, message.created]) {
    const time = asText(value) ?? timeOfEpoch(value)
    if (time !== undefined) return time
  }
  return undefined
}

/** Seconds or milliseconds since 1970 as ISO 8601. */
export function timeOfEpoch(value: unknown): string | undefined {
  const number = asNumber(value)
  if (number === undefined || number <= 0) return undefined
  const ms = number < 1e11 ? number * 1000 : number
  return ms < 8e15 ? new Date(ms).toISOString() : undefined
}
