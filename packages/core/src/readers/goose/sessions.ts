import { appendTo } from '../../session/append-to.ts'
import type { SourcePosition } from '../../session/event.ts'
import {
  asCount,
  asNumber,
  asObject,
  asText,
  asTime,
  fieldsOf,
  type JsonObject,
  parseJson,
  textAt,
} from '../../session/json-values.ts'
import { known } from '../../session/known.ts'
import { parseShallow } from '../log/parse-line.ts'
import type { LogRow, SessionListing } from '../reader/reader.ts'
import type { Writer } from '../shared/writer.ts'

export interface GooseRow {
  readonly row: LogRow['row']
  readonly at: SourcePosition
}

export interface GooseSession extends SessionListing {
  readonly info: JsonObject
  readonly messages: readonly GooseRow[]
}

export function describeSession(state: Writer, info: JsonObject): void {
  const config = asObject(info.model_config) ?? parseJson(asText(info.model_config_json) ?? '')
  state.model = textAt(config, 'model_name') ?? asText(info.model) ?? state.model
  state.byAgent = info.session_type === 'sub_agent' || info.session_type === 'subAgent'
  const cwd = asText(info.working_dir)
  state.out.meta({ id: asText(info.id), title: titleOf(info), cwd, models: [state.model] })
  // Tokens of the whole session; without the accumulated numbers, only those of the last response are known.
  const sum = fieldsOf(info.accumulated_usage)
  state.usage('session', {
    inputTokens: asCount(sum.input_tokens) ?? info.accumulated_input_tokens,
    outputTokens: asCount(sum.output_tokens) ?? info.accumulated_output_tokens,
    cacheReadTokens: sum.cache_read_input_tokens,
    cacheWriteTokens: asCount(sum.cache_write_input_tokens) ?? sum.cache_creation_input_tokens,
  })
}

/** Sessions that are not subagents'; those are read only if asked for. */
export function rootsOf(sessions: readonly GooseSession[]): readonly GooseSession[] {
  const isHidden = ({ info }: GooseSession): boolean =>
    /^(?:sub_?agent|hidden)$/i.test(asText(info.session_type) ?? '')
  const roots = sessions.filter((session) => !isHidden(session))
  return roots.length > 0 ? roots : sessions
}

/** The title; a placeholder from before a title was made does not count. */
function titleOf(info: JsonObject): string | undefined {
  const titles = [info.name, info.description].map(asText)
  return titles.find((title) => title !== undefined && !/^(?:CLI Session|New [Ss]ession\b.*)$/.test(title))
}

/** The sessions of the database, oldest first; messages are joined by the id of their session. */
export function joinSessions(infos: readonly JsonObject[], rows: readonly GooseRow[] = []): GooseSession[] {
  // Rows are rewritten, in order, when a conversation is compacted.
  const orderOf = ({ row }: GooseRow): number => asNumber(row.id) ?? asNumber(row.created_timestamp) ?? 0
  const bySession = new Map<string, GooseRow[]>()
  for (const entry of [...rows].sort((a, b) => orderOf(a) - orderOf(b)))
    appendTo(bySession, asText(entry.row.session_id) ?? '', entry)
  const ids = new Set(infos.map((info) => asText(info.id) ?? ''))
  const lost = [...bySession.keys()].filter((id) => !ids.has(id)).map((id) => ({ id }))
  return [...lost, ...infos]
    .map((info: JsonObject): GooseSession => {
      const id = asText(info.id) ?? ''
      const times = { startedAt: timeOfRow(info.created_at), endedAt: timeOfRow(info.updated_at) }
      return { id, info, messages: bySession.get(id) ?? [], ...known({ title: titleOf(info), ...times }) }
    })
    .sort((a, b) => ((a.startedAt ?? '') < (b.startedAt ?? '') ? -1 : 1))
}

/** SQLite's own times are in UTC without saying so. */
function timeOfRow(value: unknown): string | undefined {
  const text = asText(value) ?? ''
  const isNaive = /^\d{4}-\d\d-\d\d \d\d:\d\d:\d\d(?:\.\d+)?$/.test(text)
  return asTime(isNaive ? `${text.replace(' ', 'T')}Z` : text)
}

/** A row as a message; `undefined` if its JSON cannot be read. */
export function messageOfRow({ row }: GooseRow): JsonObject | undefined {
  const [content, metadata] = [row.content_json, row.metadata_json].map((value) =>
    parseShallow(value instanceof Uint8Array ? Buffer.from(value).toString('utf8') : (asText(value) ?? '')),
  )
  return content === undefined
    ? undefined
    : { role: row.role, created: row.created_timestamp, content, metadata }
}
