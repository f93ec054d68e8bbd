import type { ContextBundle } from '../bundle/schema.ts'
import { cleanText } from '../session/clean-text.ts'
import type { EventId, SessionEvent, ToolCallEvent, ToolResultEvent } from '../session/event.ts'
import { eventText } from '../session/event-text.ts'
import { isHarnessText } from '../session/harness-text.ts'
import { known } from '../session/known.ts'
import type { Steps } from '../session/pauses.ts'
import type { Session } from '../session/session.ts'

/** An event as searched: clean text that is not shortened. */
export interface SearchEntry {
  /** Id of the event. */
  readonly id: EventId
  /** Type of the event. */
  readonly kind: SessionEvent['type']
  /** `main`, or the id of a subagent. */
  readonly agent: string
  /** Text of the event that a search looks through. */
  readonly text: string
  /** Number of user messages before the event. */
  readonly turn?: number
  /** ISO 8601; absent if the log has no time. */
  readonly time?: string
  /** Name of the tool, for a call and its result. */
  readonly tool?: string
  /** How a call ended. */
  readonly status?: ToolResultEvent['status']
  /** Text of the call, for a result. */
  readonly call?: string
  /** Set for history repeated from a parent session. */
  readonly copied?: true
  /** The harness's own text, such as the brief of an earlier session, which is found only by its id. */
  readonly harness?: true
  /** Name of the log file. */
  readonly file?: string
  /** Line in the file, counted from 1. */
  readonly line?: number
}

/** Returns the events of a session in order; entry `i` is event `e(i + 1)`. */
export function* entriesOfSession(session: Session): Steps<SearchEntry[]> {
  const entries: SearchEntry[] = []
  for (const entry of eachEntry(session)) {
    entries.push(entry)
    yield
  }
  return entries
}

/** Yields the entries of {@link entriesOfSession} one by one, because those of a million events take 200 MB. */
export function* eachEntry(session: Session): Generator<SearchEntry, void> {
  const calls = new Map<string, { readonly event: ToolCallEvent; readonly text: string }>()
  for (const event of session.events) {
    const text = cleanText(textOf(event))
    if (event.type === 'tool_call') calls.set(event.callId, { event, text })
    const call = event.type === 'tool_result' ? calls.get(event.callId) : undefined
    const tool = event.type === 'tool_call' ? event.name : call?.event.name
    const { id, type, agent, turn, time, copied, source } = event
    const file = session.source.files[source.file]?.name
    yield {
      id,
      kind: type,
      agent: cleanText(agent),
      text,
      turn,
      line: source.line,
      ...known({
        time,
        tool: tool === undefined ? undefined : cleanText(tool),
        status: event.type === 'tool_result' ? event.status : undefined,
        call: call?.text,
        copied,
        harness: isHarnessText(event) || undefined,
        file: file === undefined ? undefined : cleanText(file),
      }),
    }
  }
}

/** Returns the text of an event with other searchable content: paths that a tool changed, records kept raw. */
function textOf(event: SessionEvent): string {
  switch (event.type) {
    case 'tool_result': {
      const changed = (event.changes ?? []).map(({ action, path }) => `${action} ${path}`)
      return [event.text, ...changed].filter((text) => text !== '').join('\n')
    }
    case 'subagent_start':
    case 'subagent_end':
      return `agent ${event.child}`
    case 'rewind':
      return `${event.turns} turns taken back`
    case 'other':
      return `${event.name}\n${JSON.stringify(event.raw) ?? ''}`
    default:
      return eventText(event)
  }
}

const plainKinds: ReadonlySet<string> = new Set(['user', 'assistant', 'context', 'compaction', 'reasoning'])

/** Returns what a bundle itself holds of the log: its trail, then commands and errors, under the events they cite. */
export function entriesOfBundle({ trail, commands, errors }: ContextBundle): SearchEntry[] {
  const excerpts = trail.map(({ event, agent, label, text }): SearchEntry => {
    const isKind = plainKinds.has(label)
    const kind = isKind ? (label as SearchEntry['kind']) : 'tool_call'
    return { id: event, kind, agent, text, ...(isKind ? {} : { tool: label }) }
  })
  const cite = (evidence: readonly EventId[], kind: SearchEntry['kind'], text: string): SearchEntry[] => {
    const [id] = evidence
    return id === undefined ? [] : [{ id, kind, agent: 'main', text }]
  }
  return [
    ...excerpts,
    ...commands.flatMap(({ command, evidence }) => cite(evidence, 'tool_call', command)),
    ...errors.flatMap(({ message, resolution, evidence }) =>
      cite(
        evidence,
        'tool_result',
        resolution === undefined ? message : `${message}\nresolved: ${resolution}`,
      ),
    ),
  ]
}
