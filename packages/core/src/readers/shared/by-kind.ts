import * as json from '../../session/json.ts'
import type { LogRecord, SessionWriter } from '../reader/reader.ts'
import type { Writer } from './writer.ts'

type Handler<State, Record> = (state: State, record: Record, kind: string) => unknown

/**
 * A table from kinds of records, several separated by spaces, to what reads them: a function, or why such a record adds
 * nothing. The function that it returns is `false` for other kinds.
 */
export function byKind<State extends { readonly out: SessionWriter }, Record = json.Fields>(
  table: Readonly<globalThis.Record<string, string | Handler<State, Record>>>,
): (state: State, kind: unknown, record: Record) => boolean {
  const handlers = new Map(
    Object.entries(table).flatMap(([kinds, handler]) =>
      kinds.split(' ').map((kind) => [kind, handler] as const),
    ),
  )
  return (state, kind, record) => {
    const handler = handlers.get(json.text(kind) ?? '')
    if (handler === undefined) return false
    if (typeof handler !== 'string') return handler(state, record, kind as string) !== false
    state.out.absorb(handler)
    return true
  }
}

/** A table by names that a log gives: only its own fields are in it. */
export function tableOf<Value>(
  table: Readonly<globalThis.Record<string, Value>>,
): ReadonlyMap<unknown, Value> {
  return new Map(Object.entries(table))
}

/**
 * Reads records one by one: `read` gets each that is an object and returns `false` if it does not know its kind. Those,
 * and all other values, are kept as they are.
 */
export async function readRecords(
  records: AsyncIterable<LogRecord>,
  writer: Writer,
  read: (record: json.Fields, file: number) => unknown,
): Promise<void> {
  for await (const { value, file, line } of records) {
    writer.at = { file, line }
    writer.time = undefined
    const record = json.object(value)
    if (record === undefined || read(record, file) === false) writer.other(value)
  }
}
