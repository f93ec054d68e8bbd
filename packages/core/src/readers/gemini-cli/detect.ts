import { asList, asObject, asText, type JsonObject } from '../../session/json-values.ts'
import type { LogHead } from '../reader/reader.ts'

/** The first line of a recording of lines, or the head of a document. */
export function isHeader({ sessionId, projectHash }: JsonObject): boolean {
  return asText(sessionId) !== undefined && asText(projectHash) !== undefined
}

/** Contents that `/chat save` writes: a list of Gemini API contents, bare or as `{history}`. */
export function contentsOf(value: unknown): readonly unknown[] | undefined {
  const list = Array.isArray(value) ? value : asObject(value)?.history
  if (!Array.isArray(list)) return undefined
  const contents = list.slice(0, 20).map(asObject)
  const isContent = (item: JsonObject | undefined): boolean =>
    (item?.role === 'user' || item?.role === 'model') && Array.isArray(item.parts)
  return contents.some((item) => item?.role === 'model') && contents.every(isContent) ? list : undefined
}

/** Scores a recording of Gemini CLI by its header, or otherwise by the marks of its lines. */
export function detectGemini({ document, records }: LogHead): number {
  const whole = asObject(document)
  if (whole !== undefined && isHeader(whole) && Array.isArray(whole.messages))
    return looksOwn(asList(whole.messages)) ? 1 : 0.7
  if (contentsOf(document) !== undefined) return 0.85
  const first = asObject(records[0])
  if (first !== undefined && isHeader(first)) return 0.95
  // The head was cut off.
  const marks = records.map(asObject).filter((record) => record !== undefined && isUpdate(record)).length
  return marks > 0 && looksOwn(records.filter((record) => !isUpdate(asObject(record) ?? {}))) ? 0.8 : 0
}

function isUpdate(record: JsonObject): boolean {
  return asObject(record.$set) !== undefined || asText(record.$rewindTo) !== undefined
}

function looksOwn(messages: readonly unknown[]): boolean {
  return messages.every((value) => {
    const message = asObject(value)
    return message !== undefined && ('type' in message || isHeader(message))
  })
}
