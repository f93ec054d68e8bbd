import { asText } from '../../../session/json-values.ts'
import type { LogRow } from '../../reader/reader.ts'

/** The text in the column `value`, which SQLite may hold as bytes. */
export function rowText({ row }: LogRow): string {
  const { value } = row
  return value instanceof Uint8Array ? Buffer.from(value).toString('utf8') : (asText(value) ?? '')
}
