import type { Note, PriceTable, Session } from '@tenfold/core'
import { cleanLine, costOf, defaultPrices, sessionTitle, totalUsage, usageBy } from '@tenfold/core/internal'
import type { SessionTokens } from '@tenfold/core/readers'
import type { Labelled, PageAgent, PageNote, PageSession } from './browser/page-data.ts'

/** The head of the page: a session, its agents and the reader's notes. */
export function pageSession(session: Session, tokens: SessionTokens): PageSession {
  const { agentVersion, cwd, branch } = session
  const title = sessionTitle(session)
  return {
    id: cleanLine(session.id),
    format: session.format,
    ...cleanFields({ version: agentVersion, title, cwd, branch }),
    ...timesOf(session),
    models: session.models.map(cleanLine),
    files: session.source.files.map(({ name, bytes, lines }) => ({ name: cleanLine(name), bytes, lines })),
    agents: agentsOf(session),
    tokens: { counter: tokens.counter, total: tokens.total, byCategory: [...tokens.byCategory] },
    usage: usageOf(session),
    ...priceOf(session),
    notes: session.notes.map((note) => noteOf(note, session)),
  }
}

function cleanFields<K extends string>(fields: Record<K, string | undefined>): { [P in K]?: string } {
  const given = Object.entries<string | undefined>(fields).filter(
    (entry): entry is [string, string] => entry[1] !== undefined,
  )
  return Object.fromEntries(given.map(([key, value]) => [key, cleanLine(value)])) as { [P in K]?: string }
}

function timesOf({ startedAt, endedAt }: Session): { started?: number; ended?: number } {
  const started = Date.parse(startedAt ?? '')
  const ended = Date.parse(endedAt ?? '')
  return { ...(!Number.isNaN(started) && { started }), ...(!Number.isNaN(ended) && { ended }) }
}

function agentsOf({ agents }: Session): PageAgent[] {
  const indexes = new Map(agents.map((agent, index) => [agent.id, index]))
  return agents.map(({ id, parent, type, title }) => {
    const index = parent === undefined ? undefined : indexes.get(parent)
    return {
      id: cleanLine(id),
      ...(index !== undefined && { parent: index }),
      ...cleanFields({ type, title }),
    }
  })
}

function usageOf(session: Session): Labelled<number>[] {
  const { inputTokens, outputTokens, cacheReadTokens, cacheWriteTokens, reasoningTokens } = totalUsage(
    session.usage,
  )
  const parts: Labelled<number | undefined>[] = [
    ['input', inputTokens],
    ['output', outputTokens],
    ['reasoning', reasoningTokens],
    ['cache read', cacheReadTokens],
    ['cache write', cacheWriteTokens],
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
  return {
    code,
    message: cleanLine(message),
    ...(file !== undefined && { file: cleanLine(file) }),
    ...(line !== undefined && { line }),
    ...(count !== undefined && { count }),
    ...(after !== undefined && { after }),
  }
}

/** The last event at or before a line. Only few notes have a line. */
function lastEventBefore({ events, source }: Session, name: string | undefined, line: number) {
  const file = name === undefined ? 0 : source.files.findIndex((info) => info.name === name)
  const index = events.findLastIndex((event) => event.source.file === file && event.source.line <= line)
  return index === -1 ? undefined : index
}
