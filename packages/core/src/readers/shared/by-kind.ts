import * as json from '../../session/json.ts'
import type { LogRecord, SessionWriter } from '../reader/reader.ts'
import type { Writer } from './writer.ts'

/** Reads a record. Returns `false` if its form is unknown, or the reason as text if it adds nothing. */
type Handler<State, Record> = (state: State, record: Record, kind: string) => unknown

/** Reads records by a table of handlers, or of reasons to add nothing. Blanks separate kinds. Returns `false` if unknown. */
export function byKind<State extends { readonly out: SessionWriter }, Record = json.Fields>(
  table: Readonly<globalThis.Record<string, string | Handler<State, Record>>>,
): (state: State, kind: unknown, record: Record) => boolean {
  const handlers = new Map<string, string | Handler<State, Record>>()
  for (const [kinds, handler] of Object.entries(table))
    for (const kind of kinds.split(' ')) handlers.set(kind, handler)
  return (state, kind, record) => {
    const handler = handlers.get(json.text(kind) ?? '')
    if (handler === undefined) return false
    const result = typeof handler === 'string' ? handler : handler(state, record, kind as string)
    if (typeof result === 'string') state.out.absorb(result)
    return result !== false
  }
}

/** Makes a table for lookups by names from a log, without inherited properties. */
export function tableOf<Value>(table: { readonly [name: string]: Value }): ReadonlyMap<unknown, Value> {
  return new Map(Object.entries(table))
}

type Read = (record: json.Fields, file: number) => unknown

/** Passes each object to `read`; objects that it does not recognize, and other values, are kept raw. */
export async function readRecords(records: AsyncIterable<LogRecord>, writer: Writer, read: Read) {
  for await (const { value, file, line } of records) {
    writer.at = { file, line }
    writer.time = undefined
    const record = json.object(value)
    if (record === undefined || read(record, file) === false) writer.other(value)
  }
}
