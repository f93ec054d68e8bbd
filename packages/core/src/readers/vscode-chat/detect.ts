import { asNumber, asObject, asText, type JsonObject, objectsIn } from '../../session/json-values.ts'
import type { LogHead } from '../reader/reader.ts'

/** Scores a chat as one JSON document, or as lines that change one. */
export function detectChat({ document, records }: LogHead): number {
  const first = asObject(document) ?? asObject(records[0])
  if (first === undefined) return 0
  // A log of changes begins with a whole chat.
  const chat = isChange(first) ? asObject(first.v) : first
  return chat !== undefined && isChat(chat) ? 0.95 : 0
}

function isChat(chat: JsonObject): boolean {
  if (!Array.isArray(chat.requests)) return false
  const named = asText(chat.sessionId) !== undefined && asNumber(chat.creationDate) !== undefined
  const exported = asText(chat.responderUsername) !== undefined
  return (named || exported) && objectsIn(chat.requests).every((request) => 'message' in request)
}

/** Whether a line is a change: a whole value, a value at a path, items of a list, or the end of a value. */
export function isChange({ kind }: JsonObject): boolean {
  return kind === 0 || kind === 1 || kind === 2 || kind === 3
}
