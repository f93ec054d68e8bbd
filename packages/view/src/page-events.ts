import type { Session, SessionEvent } from '@tenfold/core'
import { cleanLine, cleanText, type Steps } from '@tenfold/core/internal'
import type { Labelled, PageEvent } from './browser/page-data.ts'
import type { EventImages } from './with-images.ts'

/** The events of a session as the page shows them; `tokens` is by position. Can pause at each. */
export function* pageEvents(
  session: Session,
  tokens: readonly number[],
  images: EventImages = new Map(),
): Steps<PageEvent[]> {
  const shown: PageEvent[] = []
  const agents = new Map(session.agents.map((agent, index) => [agent.id, index]))
  for (const [index, event] of session.events.entries()) {
    yield
    const pictures = images.get(event.id)
    const own = pageEvent(event, session, agents, tokens[index] ?? 0)
    shown.push(pictures === undefined ? own : { ...own, pictures })
  }
  return shown
}

function pageEvent(
  event: SessionEvent,
  session: Session,
  agents: ReadonlyMap<string, number>,
  tokens: number,
): PageEvent {
  const time = event.time === undefined ? Number.NaN : Date.parse(event.time)
  const file = session.source.files[event.source.file]?.name ?? ''
  return {
    id: event.id,
    type: event.type,
    agent: agents.get(event.agent) ?? 0,
    turn: event.turn,
    tokens,
    ...(!Number.isNaN(time) && { time }),
    ...contentOf(event, agents),
    ...(event.copied === true && { replayed: true }),
    ...(event.inContext === false && { rewound: true }),
    source: `${cleanLine(file)}:${event.source.line}`,
  }
}

function contentOf(event: SessionEvent, agents: ReadonlyMap<string, number>): Partial<PageEvent> {
  switch (event.type) {
    case 'user':
      return { text: cleanText(event.text), origin: event.origin, ...images(event) }
    case 'context': {
      const name = event.name === undefined ? {} : { name: cleanLine(event.name) }
      return { text: cleanText(event.text), origin: event.origin, ...name, ...images(event) }
    }
    case 'assistant':
      return { text: cleanText(event.text), ...model(event) }
    case 'reasoning':
      return { text: cleanText(event.text) }
    case 'tool_call': {
      const { callId, kind, name, input } = event
      return { callId, kind, name: cleanLine(name), input: inputOf(input), ...model(event) }
    }
    case 'tool_result': {
      const { callId, status, exitCode, changes = [] } = event
      return {
        text: cleanText(event.text),
        callId,
        status,
        ...(exitCode !== undefined && { exitCode }),
        ...(changes.length > 0 && { changes: changes.map(changeLine) }),
        ...images(event),
      }
    }
    case 'subagent_start':
    case 'subagent_end': {
      const child = agents.get(event.child)
      return {
        ...(child !== undefined && { child }),
        ...(event.callId !== undefined && { callId: event.callId }),
      }
    }
    case 'compaction': {
      const { text, trigger, tokensBefore } = event
      return {
        text: cleanText(text),
        ...(trigger !== undefined && { name: cleanLine(trigger) }),
        ...(tokensBefore !== undefined && { tokensBefore }),
      }
    }
    case 'rewind':
      return { turns: event.turns }
    case 'other':
      return { name: cleanLine(event.name), text: cleanText(JSON.stringify(event.raw, null, 2) ?? '') }
  }
}

function images({ images: count }: { readonly images?: number }): { images?: number } {
  return count === undefined ? {} : { images: count }
}

function model({ model: name }: { readonly model?: string }): { model?: string } {
  return name === undefined ? {} : { model: cleanLine(name) }
}

/** Arguments with their names, strings as they are and other values as JSON. */
function inputOf(input: unknown): Labelled<string>[] {
  if (input === undefined || input === null) return []
  if (typeof input !== 'object' || Array.isArray(input)) return [['', valueText(input)]]
  return Object.entries(input).map(([key, value]) => [cleanLine(key), valueText(value)])
}

function valueText(value: unknown): string {
  return cleanText(typeof value === 'string' ? value : (JSON.stringify(value, null, 2) ?? ''))
}

type Change = NonNullable<Extract<SessionEvent, { type: 'tool_result' }>['changes']>[number]

function changeLine({ path, action, from, added, removed }: Change): string {
  const moved = from === undefined ? '' : ` (from ${from})`
  const size = `${added === undefined ? '' : ` +${added}`}${removed === undefined ? '' : ` −${removed}`}`
  return cleanLine(`${action} ${path}${moved}${size}`)
}
