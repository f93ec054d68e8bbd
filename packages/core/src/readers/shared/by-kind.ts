import * as json from '../../session/json.ts'
import type { LogRecord, SessionWriter } from '../reader/reader.ts'
import type { Writer } from './writer.ts'

/** Reads a record: `false` if its form is not known, a text if it adds nothing for that reason. */
type Handler<State, Record> = (state: State, record: Record, kind: string) => unknown

/** What reads each kind of record, or why it adds nothing; kinds are separated by blanks. `false`: none. */
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

/** A table by names that a log gives: only its own fields are in it. */
export function tableOf<Value>(table: { readonly [name: string]: Value }): ReadonlyMap<unknown, Value> {
  return new Map(Object.entries(table))
}

type Read = (record: json.Fields, file: number) => unknown

/** `read` gets each record that is an object; what it does not know, and any other value, is kept. */
export async function readRecords(records: AsyncIterable<LogRecord>, writer: Writer, read: Read) {
  for await (const { value, file, line } of records) {
    writer.at = { file, line }
    writer.time = undefined
    const record = json.object(value)
    if (record === undefined || read(record, file) === false) writer.other(value)
  }
}
