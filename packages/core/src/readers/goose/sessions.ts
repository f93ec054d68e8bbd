import { appendTo } from '../../session/append-to.ts'
import type { SourcePosition } from '../../session/event.ts'
import {
  asCount,
  asNumber,
  asObject,
  asText,
  asTime,
  type JsonObject,
  parseJson,
} from '../../session/json-values.ts'
import { known } from '../../session/known.ts'
import { parseShallow } from '../log/parse-line.ts'
import type { LogRow, SessionListing } from '../reader/reader.ts'
import type { Writer } from '../shared/writer.ts'

/** A row of the table `messages`. */
export interface GooseRow {
  readonly row: LogRow['row']
  readonly at: SourcePosition
}

/** A session of the database, with its messages in order. */
export interface GooseSession extends SessionListing {
  readonly info: JsonObject
  readonly messages: readonly GooseRow[]
}

/** Describes the session by its metadata, which have the same names in all stores. */
export function describeSession(state: Writer, info: JsonObject): void {
  const config = asObject(info.model_config) ?? asObject(parseJson(asText(info.model_config_json) ?? ''))
  state.model = asText(config?.model_name) ?? asText(info.model) ?? state.model
  state.byAgent = info.session_type === 'sub_agent' || info.session_type === 'subAgent'
  state.out.meta({
    id: asText(info.id),
    title: titleOf(info),
    cwd: asText(info.working_dir),
    models: [state.model],
  })
  // Tokens of the whole session; without the accumulated numbers, only those of the last response are known.
  const sum = asObject(info.accumulated_usage)
  state.usage('session', {
    inputTokens: asCount(sum?.input_tokens) ?? info.accumulated_input_tokens,
    outputTokens: asCount(sum?.output_tokens) ?? info.accumulated_output_tokens,
    cacheReadTokens: sum?.cache_read_input_tokens,
    cacheWriteTokens: asCount(sum?.cache_write_input_tokens) ?? sum?.cache_creation_input_tokens,
  })
}

/** Sessions that are not subagents'; those are read only if asked for. */
export function rootsOf(sessions: readonly GooseSession[]): readonly GooseSession[] {
  const roots = sessions.filter(
    ({ info }) => !/^(?:sub_?agent|hidden)$/i.test(asText(info.session_type) ?? ''),
  )
  return roots.length > 0 ? roots : sessions
}

export function listingOf({ info: _, messages: _messages, ...listing }: GooseSession): SessionListing {
  return listing
}

/** The title; a placeholder from before a title was made does not count. */
function titleOf(info: JsonObject): string | undefined {
  const titles = [info.name, info.description].map(asText)
  return titles.find((title) => title !== undefined && !/^(?:CLI Session|New [Ss]ession\b.*)$/.test(title))
}

/** The sessions of the database, oldest first; messages are joined by the id of their session. */
export function joinSessions(infos: readonly LogRow['row'][], rows: readonly GooseRow[]): GooseSession[] {
  const bySession = new Map<string, GooseRow[]>()
  for (const entry of rows) appendTo(bySession, asText(entry.row.session_id) ?? '', entry)
  for (const list of bySession.values()) list.sort((a, b) => orderOf(a) - orderOf(b))
  const described = infos.map((info) => sessionOf(info, bySession.get(asText(info.id) ?? '') ?? []))
  const ids = new Set(described.map(({ id }) => id))
  const lost = [...bySession]
    .filter(([id]) => !ids.has(id))
    .map(([id, messages]) => sessionOf({ id }, messages))
  return [...lost, ...described].sort((a, b) => ((a.startedAt ?? '') < (b.startedAt ?? '') ? -1 : 1))
}

/** Position of a row. Rows are rewritten, in order, when a conversation is compacted. */
function orderOf({ row }: GooseRow): number {
  return asNumber(row.id) ?? asNumber(row.created_timestamp) ?? 0
}

function sessionOf(info: JsonObject, messages: readonly GooseRow[]): GooseSession {
  const startedAt = timeOfRow(info.created_at)
  const endedAt = timeOfRow(info.updated_at)
  const title = titleOf(info)
  return {
    id: asText(info.id) ?? '',
    info,
    messages,
    ...known({ title, startedAt, endedAt }),
  }
}

/** SQLite's own times are in UTC without saying so. */
function timeOfRow(value: unknown): string | undefined {
  const text = asText(value)
  const naive = text !== undefined && /^\d{4}-\d\d-\d\d \d\d:\d\d:\d\d(?:\.\d+)?$/.test(text)
  return asTime(naive ? `${text.replace(' ', 'T')}Z` : text)
}

/** A row as a message; `undefined` if its JSON cannot be read. */
export function messageOfRow({ row }: GooseRow): JsonObject | undefined {
  const content = jsonOf(row.content_json)
  if (content === undefined) return undefined
  const metadata = jsonOf(row.metadata_json)
  return {
    role: row.role,
    created: row.created_timestamp,
    content,
    ...(metadata !== undefined && { metadata }),
  }
}

function jsonOf(value: unknown): unknown {
  const text = value instanceof Uint8Array ? Buffer.from(value).toString('utf8') : asText(value)
  return text === undefined ? undefined : parseShallow(text)
}
