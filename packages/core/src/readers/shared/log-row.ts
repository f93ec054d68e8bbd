import { asObject, asText } from '../../session/json-values.ts'
import type { LogRow } from '../reader/reader.ts'

/** The value of a record as a row of a database, or `undefined` if it is none. */
export function asRow(value: unknown): LogRow | undefined {
  const record = asObject(value)
  const row = asObject(record?.row)
  const table = asText(record?.table)
  return row === undefined || table === undefined ? undefined : { table, row }
}
