import { appendTo } from '../../session/append-to.ts'
import type { SourcePosition } from '../../session/event.ts'
import * as json from '../../session/json.ts'
import { known } from '../../session/known.ts'
import { parseShallow } from '../log/parse-line.ts'
import type { LogRow, SessionListing } from '../reader/reader.ts'
import { columnText } from '../shared/framing.ts'
import { usageIn } from '../shared/usage.ts'
import { sortedBy } from '../shared/values.ts'
import type { Writer } from '../shared/writer.ts'

export type GooseRow = { readonly row: LogRow['row']; readonly at: SourcePosition }

export interface GooseSession extends SessionListing {
  readonly info: json.Fields
  readonly messages: readonly GooseRow[]
}

export function describeSession(state: Writer, info: json.Fields): void {
  const config = json.object(info.model_config) ?? json.parse(json.text(info.model_config_json) ?? '')
  state.model = json.text(config, 'model_name') ?? json.text(info.model) ?? state.model
  state.byAgent = info.session_type === 'sub_agent' || info.session_type === 'subAgent'
  const cwd = json.text(info.working_dir)
  state.out.meta({ id: json.text(info.id), title: titleOf(info), cwd, models: [state.model] })
  state.usage('session', usageIn(info, 'goose'))
}

/** Sessions that are not subagents'; those are read only if asked for. */
export function rootsOf(sessions: readonly GooseSession[]): readonly GooseSession[] {
  const isHidden = ({ info }: GooseSession): boolean =>
    /^(?:sub_?agent|hidden)$/i.test(json.text(info.session_type) ?? '')
  const roots = sessions.filter((session) => !isHidden(session))
  return roots.length > 0 ? roots : sessions
}

function titleOf(info: json.Fields): string | undefined {
  const titles = json.texts([info.name, info.description])
  return titles.find((title) => !/^(?:CLI Session|New [Ss]ession\b.*)$/.test(title))
}

export function joinSessions(infos: readonly json.Fields[], rows: readonly GooseRow[] = []): GooseSession[] {
  // Rows are rewritten, in order, when a conversation is compacted.
  const orderOf = ({ row }: GooseRow): number =>
    json.number(row.id) ?? json.number(row.created_timestamp) ?? 0
  const bySession = new Map<string, GooseRow[]>()
  for (const entry of [...rows].sort((a, b) => orderOf(a) - orderOf(b)))
    appendTo(bySession, json.text(entry.row.session_id) ?? '', entry)
  const ids = new Set(infos.map((info) => json.text(info.id) ?? ''))
  const lost = [...bySession.keys()].filter((id) => !ids.has(id)).map((id) => ({ id }))
  const sessions = [...lost, ...infos].map((info: json.Fields): GooseSession => {
    const id = json.text(info.id) ?? ''
    const times = { startedAt: timeOfRow(info.created_at), endedAt: timeOfRow(info.updated_at) }
    return { id, info, messages: bySession.get(id) ?? [], ...known({ title: titleOf(info), ...times }) }
  })
  return sortedBy(sessions, ({ startedAt = '' }) => startedAt)
}

/** SQLite's own times are in UTC without saying so. */
function timeOfRow(value: unknown): string | undefined {
  const text = json.text(value) ?? ''
  const isNaive = /^\d{4}-\d\d-\d\d \d\d:\d\d:\d\d(?:\.\d+)?$/.test(text)
  return json.time(isNaive ? `${text.replace(' ', 'T')}Z` : text)
}

export function messageOfRow({ row }: GooseRow): json.Fields | undefined {
  const { content_json, created_timestamp: created, metadata_json, role } = row
  const [content, metadata] = [content_json, metadata_json].map((value) => parseShallow(columnText(value)))
  return content === undefined ? undefined : { role, created, content, metadata }
}
