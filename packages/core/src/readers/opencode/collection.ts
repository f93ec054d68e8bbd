import { appendTo } from '../../session/append-to.ts'
import type { SourcePosition } from '../../session/event.ts'
import * as json from '../../session/json.ts'
import { known } from '../../session/known.ts'
import { parseShallow } from '../log/parse-line.ts'
import type { LogRow, SessionListing, SessionWriter } from '../reader/reader.ts'
import { compareTexts, sortedBy, timeOfMillis, titleText } from '../shared/values.ts'

/** A stored message or part. `load` returns its value, because rows of a database hold it as text. */
interface Stored {
  readonly id: string
  readonly at: SourcePosition
  load(): unknown
}

export type OpenCodeMessage = Stored & { readonly created: number; readonly parts: Stored[] }

export interface OpenCodeSession extends SessionListing {
  readonly info: json.Fields
  readonly at: SourcePosition
  readonly parent?: string
  readonly messages: readonly OpenCodeMessage[]
}

export type Collection = ReturnType<typeof createCollection>

export function createCollection() {
  const infos = new Map<string, { info: json.Fields; at: SourcePosition }>()
  const messages = new Map<string, OpenCodeMessage & { session: string }>()
  const parts = new Map<string, { session: string; list: Stored[] }>()

  return {
    session(info: json.Fields, at: SourcePosition): void {
      infos.set(json.text(info.id) ?? '', { info, at })
    },
    message(stored: Stored, session: string, created: unknown): void {
      messages.set(stored.id, { ...stored, session, created: json.number(created) ?? 0, parts: [] })
    },
    part(stored: Stored, message: string, session: string): void {
      const siblings = parts.get(message) ?? { session, list: [] }
      parts.set(message, siblings)
      siblings.list.push(stored)
    },
    sessions(): OpenCodeSession[] {
      const bySession = new Map<string, OpenCodeMessage[]>([...infos.keys()].map((id) => [id, []]))
      for (const [id, { session, list }] of parts) {
        list.sort((a, b) => compareTexts(a.id, b.id))
        const message = messages.get(id)
        const at = list[0]?.at ?? { file: 0, line: 0 }
        // Parts without their message are an answer.
        const load = (): unknown => ({ role: 'assistant' })
        if (message !== undefined) message.parts.push(...list)
        else appendTo(bySession, session, { id, at, created: 0, parts: list, load })
      }
      for (const message of messages.values()) appendTo(bySession, message.session, message)
      const sessions = [...bySession].map(([id, list]): OpenCodeSession => {
        const { info, at = list[0]?.at ?? { file: 0, line: 0 } } = infos.get(id) ?? {}
        list.sort((a, b) => a.created - b.created || compareTexts(a.id, b.id))
        return sessionOf({ ...info, id }, at, list)
      })
      return sortedBy(sessions, ({ startedAt = '' }) => startedAt)
    },
  }
}

export function sessionOf(info: json.Fields, at: SourcePosition, messages: OpenCodeSession['messages']) {
  const title = titleText(info.title)
  return known<OpenCodeSession>({
    id: json.text(info.id) ?? '',
    info,
    at,
    messages,
    // Ignores the placeholder title.
    title: /^(?:New|Child) session - \d{4}-/.test(title ?? '') ? undefined : title,
    startedAt: timeOfMillis(json.at(info.time, 'created') ?? info.time_created),
    endedAt: timeOfMillis(json.at(info.time, 'updated') ?? info.time_updated),
    // Redaction may have replaced an id.
    parent: json.texts([info.parentID, info.parent_id]).find((id) => id.startsWith('ses_')),
  })
}

export function collectRow({ table, row }: LogRow, at: SourcePosition, into: Collection, out: SessionWriter) {
  const id = json.text(row.id)
  const session = json.text(row.session_id) ?? ''
  const stored = { id: id ?? '', at, load: () => dataOf(row, { id }) }
  if (table === 'session' && id !== undefined) {
    into.session({ ...row, revert: typeof row.revert === 'string' ? json.parse(row.revert) : undefined }, at)
    out.absorb('session metadata')
  } else if (table === 'message' && id !== undefined) {
    into.message(stored, session, row.time_created)
    out.absorb('message, read with its session')
  } else if (table === 'part' && id !== undefined) {
    into.part(stored, json.text(row.message_id) ?? '', session)
    out.absorb('part of a message, read with its session')
  } else if (table === 'todo') out.absorb('task list, in the calls that wrote it')
  else if (table === 'project') out.absorb('project metadata')
  else out.event({ type: 'other', name: `${table} row`, raw: row })
}

/** Returns the JSON of a row, whose ids are in separate columns. */
function dataOf(row: LogRow['row'], ids: json.Fields): unknown {
  const text = row.data instanceof Uint8Array ? Buffer.from(row.data).toString('utf8') : row.data
  if (typeof text !== 'string') return row
  const data = parseShallow(text)
  if (data === undefined) return { ...ids, type: 'unreadable', text: text.slice(0, 2000) }
  const record = json.object(data)
  return record === undefined ? data : { ...record, ...ids }
}
