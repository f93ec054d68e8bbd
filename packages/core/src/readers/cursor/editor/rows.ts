import { asText, parseJson } from '../../../session/json-values.ts'
import { isTooDeep } from '../../log/parse-line.ts'
import type { LogRow } from '../../reader/reader.ts'

/** The text in the column `value`, which SQLite may hold as bytes. */
export function rowText({ row }: LogRow): string {
  const { value } = row
  return value instanceof Uint8Array ? Buffer.from(value).toString('utf8') : (asText(value) ?? '')
}

/** The JSON in a text; `undefined` if there is none, or it is nested too deep. */
export function jsonIn(text: string): unknown {
  const data = text === '' ? undefined : parseJson(text)
  return data === undefined || isTooDeep(data, text) ? undefined : data
}
