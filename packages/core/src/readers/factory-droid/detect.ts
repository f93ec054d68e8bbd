import { asObject, asText, type JsonObject } from '../../session/json-values.ts'
import type { LogHead } from '../reader/reader.ts'

/** How likely a log is one of Droid. */
export function detectDroid({ records }: LogHead): number {
  let score = 0
  for (const value of records) {
    const record = asObject(value)
    if (record?.type === 'session_start' && asText(record.id) !== undefined) {
      const marks = [record.sessionTitle, record.owner, record.version, record.cwd, record.title]
      if (marks.filter((mark) => mark !== undefined).length >= 2) return 1
    }
    const role = asObject(record?.message)?.role
    const isMessage =
      record?.type === 'message' && asText(record.id) !== undefined && !('uuid' in (record ?? {}))
    // pi writes the same kind of record, in a session with another beginning.
    if (record?.type === 'session') return 0
    if (isMessage && (role === 'user' || role === 'assistant')) score = 0.55
  }
  return score
}

/** Whether a document is the settings of a session. */
export function isSettings(value: unknown): value is JsonObject {
  const object = asObject(value)
  return object !== undefined && object.type === undefined && ('tokenUsage' in object || 'model' in object)
}
