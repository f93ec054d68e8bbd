import { appendTo } from '../../session/append-to.ts'
import type { SourcePosition } from '../../session/event.ts'
import { asNumber, asObject, asText, type JsonObject } from '../../session/json-values.ts'
import { known } from '../../session/known.ts'
import type { SessionListing } from '../reader/reader.ts'
import { timeOfMillis } from '../shared/epoch-time.ts'

/** A message part; `load` returns its value, because rows of a database hold it as text. */
interface OpenCodePart {
  readonly id: string
  readonly at: SourcePosition
  load(): unknown
}

/** A message with its parts in order. */
export interface OpenCodeMessage {
  readonly id: string
  readonly at: SourcePosition
  readonly created: number
  readonly parts: OpenCodePart[]
  load(): unknown
}

/** A session with its messages in order. */
export interface OpenCodeSession extends SessionListing {
  readonly info: JsonObject
  readonly at: SourcePosition
  readonly parent?: string
  readonly messages: readonly OpenCodeMessage[]
}

/** Joins what a store keeps separately: sessions, messages and parts, in any order. */
export interface Collection {
  session(info: JsonObject, at: SourcePosition): void
  message(id: string, session: string, created: unknown, load: () => unknown, at: SourcePosition): void
  part(id: string, message: string, session: string, load: () => unknown, at: SourcePosition): void
  /** All sessions, oldest first. */
  sessions(): OpenCodeSession[]
}

/** An empty collection. */
export function createCollection(): Collection {
  const infos = new Map<string, { info: JsonObject; at: SourcePosition }>()
  const messages = new Map<string, OpenCodeMessage & { session: string }>()
  const parts = new Map<string, { session: string; list: OpenCodePart[] }>()

  return {
    session(info, at) {
      infos.set(asText(info.id) ?? '', { info, at })
    },
    message(id, session, created, load, at) {
      messages.set(id, { id, session, created: asNumber(created) ?? 0, parts: [], load, at })
    },
    part(id, message, session, load, at) {
      const known = parts.get(message) ?? { session, list: [] }
      parts.set(message, known)
      known.list.push({ id, load, at })
    },
    sessions() {
      const bySession = new Map<string, OpenCodeMessage[]>([...infos.keys()].map((id) => [id, []]))
      for (const [id, { session, list }] of parts) {
        list.sort((a, b) => compare(a.id, b.id))
        const message = messages.get(id)
        const [first] = list
        if (message !== undefined) message.parts.push(...list)
        else if (first !== undefined) add(bySession, session, orphan(id, list, first.at))
      }
      for (const message of messages.values()) add(bySession, message.session, message)
      const sessions = [...bySession].map(([id, list]): OpenCodeSession => {
        const stored = infos.get(id)
        const at = stored?.at ?? list[0]?.at ?? { file: 0, line: 0 }
        list.sort((a, b) => a.created - b.created || compare(a.id, b.id))
        return sessionOf({ ...stored?.info, id }, at, list)
      })
      return sessions.sort((a, b) => compare(a.startedAt ?? '', b.startedAt ?? ''))
    },
  }
}

/** A session from its `info`, with the given messages. */
export function sessionOf(
  info: JsonObject,
  at: SourcePosition,
  messages: readonly OpenCodeMessage[],
): OpenCodeSession {
  const time = asObject(info.time)
  const startedAt = timeOfMillis(time?.created ?? info.time_created)
  const endedAt = timeOfMillis(time?.updated ?? info.time_updated)
  // Redaction may have replaced an id.
  const parent = [info.parentID, info.parent_id].map(asText).find((id) => id?.startsWith('ses_'))
  const title = titleOf(info.title)
  return {
    id: asText(info.id) ?? '',
    info,
    at,
    messages,
    ...known({ title, startedAt, endedAt, parent }),
  }
}

/** The title; a placeholder from before a title was made does not count. */
function titleOf(value: unknown): string | undefined {
  const title = asText(value)
  return title === undefined || /^(?:New|Child) session - \d{4}-/.test(title) ? undefined : title
}

/** A message for parts whose own message is missing. */
function orphan(id: string, parts: OpenCodePart[], at: SourcePosition): OpenCodeMessage {
  return { id, at, created: 0, parts, load: () => ({ role: 'assistant' }) }
}

function add(lists: Map<string, OpenCodeMessage[]>, session: string, message: OpenCodeMessage): void {
  appendTo(lists, session, message)
}

function compare(a: string, b: string): number {
  return a < b ? -1 : a > b ? 1 : 0
}
