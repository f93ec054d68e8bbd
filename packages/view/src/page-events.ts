import type { Session, SessionEvent } from '@tenfold/core'
import {
  cleanLine,
  cleanText,
  cutHead,
  editPairs,
  known,
  type Steps,
  toolTarget,
} from '@tenfold/core/internal'
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
  const { files } = session.source
  const { id, type, turn, time, copied, inContext } = event
  const { file, line: number } = event.source
  return {
    ...{ id, type, agent: agents.get(event.agent) ?? 0, turn, tokens },
    ...known({ time: timeOf(time) }),
    ...known(contentOf(event, session, agents)),
    ...(copied === true && { replayed: true }),
    ...(inContext === false && { rewound: true }),
    source: files.length === 1 ? `line ${number}` : `${cleanLine(files[file]?.name ?? '')}:${number}`,
  }
}

type Optional<T> = { readonly [K in keyof T]?: T[K] | undefined }

function contentOf(
  event: SessionEvent,
  { cwd }: Session,
  agents: ReadonlyMap<string, number>,
): Optional<PageEvent> {
  switch (event.type) {
    case 'user':
      return { text: cleanText(event.text), origin: event.origin, images: event.images }
    case 'context':
      return {
        text: cleanText(event.text),
        origin: event.origin,
        name: line(event.name),
        images: event.images,
      }
    case 'assistant':
      return { text: cleanText(event.text), model: line(event.model) }
    case 'reasoning':
      return { text: cleanText(event.text) }
    case 'tool_call': {
      const { callId, kind, name, input, model } = event
      const target = cutHead(toolTarget(event, cwd), maxTarget)
      return { callId, kind, name: line(name), target, ...argumentsOf(input), model: line(model) }
    }
    case 'tool_result': {
      const { callId, status, exitCode, images, changes = [] } = event
      const shown = changes.length > 0 ? changes.map(changeLine) : undefined
      return { text: cleanText(event.text), callId, status, exitCode, changes: shown, images }
    }
    case 'subagent_start':
    case 'subagent_end':
      return { child: agents.get(event.child), callId: event.callId }
    case 'compaction':
      return { text: cleanText(event.text), name: line(event.trigger), tokensBefore: event.tokensBefore }
    case 'rewind':
      return { turns: event.turns }
    case 'other':
      return { name: line(event.name), text: cleanText(JSON.stringify(event.raw, null, 2) ?? '') }
  }
}

function line(text: string | undefined): string | undefined {
  return text === undefined ? undefined : cleanLine(text)
}

/** Milliseconds since 1970, if a text is a time. */
export function timeOf(text: string | undefined): number | undefined {
  const time = Date.parse(text ?? '')
  return Number.isNaN(time) ? undefined : time
}

const maxTarget = 200

/** The arguments of a call: the replacements of an edit, and all others. */
function argumentsOf(input: unknown): Pick<PageEvent, 'input' | 'edits'> {
  const pairs = editPairs(input)
  const [first] = pairs
  const fields = Object.entries(Object(input))
  const [, list] = fields.find(([name]) => name === 'edits') ?? []
  const isList = Array.isArray(list)
  if (first === undefined || (isList && pairs.length < list.length)) return { input: inputOf(input) }
  const others = fields.filter(([name, value]) =>
    isList ? name !== 'edits' : value !== first.before && value !== first.after,
  )
  const edits = pairs.map(({ before, after }) => [cleanText(before), cleanText(after)] as const)
  return { input: inputOf(Object.fromEntries(others)), edits }
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
