import type { SourcePosition } from '../../session/event.ts'
import { asObject, asText, type JsonObject, parseJson } from '../../session/json-values.ts'
import { parseShallow } from '../log/parse-line.ts'
import type { LogRow, SessionWriter } from '../reader/reader.ts'
import type { Collection } from './collection.ts'

/** The tables of `opencode.db` with sessions. Others hold access tokens (`account`, `control_account`): never read. */
export const openCodeTables = ['project', 'session', 'message', 'part', 'todo'] as const

/** Collects a row, and absorbs it with the reason why it gives no event of its own. */
export function collectRow(
  { table, row }: LogRow,
  at: SourcePosition,
  into: Collection,
  out: SessionWriter,
): void {
  const id = asText(row.id)
  const session = asText(row.session_id) ?? ''
  if (table === 'session' && id !== undefined) {
    into.session(sessionInfo(row), at)
    out.absorb('session metadata')
  } else if (table === 'message' && id !== undefined) {
    into.message(id, session, row.time_created, () => dataOf(row, { id }), at)
    out.absorb('message, read with its session')
  } else if (table === 'part' && id !== undefined) {
    into.part(id, asText(row.message_id) ?? '', session, () => dataOf(row, { id }), at)
    out.absorb('part of a message, read with its session')
  } else if (table === 'todo') out.absorb('task list, in the calls that wrote it')
  else if (table === 'project') out.absorb('project metadata')
  else out.event({ type: 'other', name: `${table} row`, raw: row })
}

/** The JSON columns hold text; ids have columns of their own. */
function dataOf(row: LogRow['row'], ids: JsonObject): unknown {
  const text = row.data instanceof Uint8Array ? Buffer.from(row.data).toString('utf8') : row.data
  if (typeof text !== 'string') return row
  const data = parseShallow(text)
  if (data === undefined) return { ...ids, type: 'unreadable', text: text.slice(0, 2000) }
  const record = asObject(data)
  return record === undefined ? data : { ...record, ...ids }
}

function sessionInfo(row: LogRow['row']): JsonObject {
  const revert = typeof row.revert === 'string' ? parseJson(row.revert) : undefined
  return { ...row, revert }
}
