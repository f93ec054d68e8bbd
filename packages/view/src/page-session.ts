import type { Note, PriceTable, Session } from '@tenfold/core'
import {
  cleanLine,
  costOf,
  defaultPrices,
  known,
  sessionTitle,
  totalUsage,
  usageBy,
} from '@tenfold/core/internal'
import type { SessionTokens } from '@tenfold/core/readers'
import type { Labelled, PageAgent, PageNote, PageSession } from './browser/page-data.ts'
import { timeOf } from './page-events.ts'

/** The head of the page: a session, its agents and the reader's notes. */
export function pageSession(session: Session, tokens: SessionTokens): PageSession {
  const { agentVersion: version, cwd, branch, startedAt, endedAt, source } = session
  const { counter, total, byCategory } = tokens
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
    files: source.files.map(({ name, bytes, lines }) => ({ name: cleanLine(name), bytes, lines })),
    agents,
    tokens: { counter, total, byCategory: [...byCategory] },
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
