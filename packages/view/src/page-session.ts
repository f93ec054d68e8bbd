import type { Note, PriceTable, Session, SessionEvent } from '@tenfold/core'
import {
  cleanLine,
  cleanText,
  costOf,
  cutHead,
  defaultPrices,
  editPairs,
  known,
  type Steps,
  sessionTitle,
  toolTarget,
  totalUsage,
  usageBy,
} from '@tenfold/core/internal'
import type { SessionTokens } from '@tenfold/core/readers'
import type { Labelled, PageAgent, PageEvent, PageNote, PageSession } from './browser/page-data.ts'
import type { EventImages } from './with-images.ts'

export function pageSession(session: Session, tokens: SessionTokens): PageSession {
  const { agentVersion: version, cwd, branch, startedAt, endedAt, source } = session
  const { counter, total } = tokens
  const indexes = new Map(session.agents.map(({ id }, index) => [id, index]))
  const agents = session.agents.map(({ id, parent = '', type, title }): PageAgent => {
    const above = indexes.get(parent)
    return { id: cleanLine(id), ...known({ parent: above }), ...cleanFields({ type, title }) }
  })
  return {
    id: cleanLine(session.id),
    format: session.format,
    ...cleanFields({ version, title: sessionTitle(session), cwd, branch }),
    ...known({ started: timeOf(startedAt), ended: timeOf(endedAt) }),
    models: session.models.map(cleanLine),
    files: source.files.length,
    agents,
    tokens: { counter, total },
    usage: usageOf(session),
    ...priceOf(session),
    notes: session.notes.map((note) => noteOf(note, session)),
  }
}

function cleanFields<K extends string>(fields: Record<K, string | undefined>): { [P in K]?: string } {
  const clean: { [P in K]?: string } = {}
  for (const [key, value] of Object.entries(fields) as [K, string | undefined][])
    if (value !== undefined) clean[key] = cleanLine(value)
  return clean
}

function usageOf(session: Session): Labelled<number>[] {
  const used = totalUsage(session.usage)
  const parts: Labelled<number | undefined>[] = [
    ['input', used.inputTokens],
    ['output', used.outputTokens],
    ['reasoning', used.reasoningTokens],
    ['cache read', used.cacheReadTokens],
    ['cache write', used.cacheWriteTokens],
  ]
  return parts.filter((part): part is Labelled<number> => part[1] !== undefined)
}

/** A log does not say which of its calls had a prompt so long that it costs more. */
const basePrices: PriceTable = {
  ...defaultPrices,
  models: defaultPrices.models.map(({ above: _, ...price }) => price),
}

function priceOf({ usage }: Session): Pick<PageSession, 'cost'> {
  const calls = usageBy(usage, 'model').map(([model, used]) => ({ summarizer: '', model, usage: used }))
  const cost = costOf(calls, basePrices)
  if (cost === undefined || cost.atLeast === true || cost.amount === 0) return {}
  return { cost: { amount: cost.amount, currency: cost.currency, pricesOf: cost.pricesOf } }
}

function noteOf({ code, message, file, line, count }: Note, session: Session): PageNote {
  const after = line === undefined ? undefined : lastEventBefore(session, file, line)
  return { code, message: cleanLine(message), ...cleanFields({ file }), ...known({ line, count, after }) }
}

/** The last event at or before a line. Only few notes have a line. */
function lastEventBefore({ events, source }: Session, name: string | undefined, line: number) {
  const file = name === undefined ? 0 : source.files.findIndex((info) => info.name === name)
  const index = events.findLastIndex((event) => event.source.file === file && event.source.line <= line)
  return index === -1 ? undefined : index
}

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
    case 'context': {
      const { text, origin, images } = event
      return { text: cleanText(text), origin, name: 'name' in event ? line(event.name) : undefined, images }
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

function timeOf(text: string | undefined): number | undefined {
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
