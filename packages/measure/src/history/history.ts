import type { ContextBundle, PriceTable } from '@tenfold/core'
import { costOf, defaultPrices } from '@tenfold/core/internal'
import { costsOf, groupBy } from '../report/group-rows.ts'
import { projectOf } from '../report/report-row.ts'
import type { ReportGroup } from '../report/report-schema.ts'

/** A statement from a session. */
export interface HistoryItem {
  /** The bundle's text. */
  readonly text: string
  /** Id of its session. */
  readonly session: string
  /** Folder of its session. */
  readonly project: string
  /** When the session ended, ISO 8601. */
  readonly at: string
}

/** A decision of a session. */
export interface HistoryDecision extends HistoryItem {
  /** Who decided. */
  readonly by: 'user' | 'agent'
}

/** Something that a session left open. */
export interface OpenItem extends HistoryItem {
  /** What it is. */
  readonly kind: 'next step' | 'question' | 'blocker' | 'task' | 'error'
}

/** A week or a project. */
export interface HistoryPart {
  /** Name of the project or agent. */
  readonly name: string
  /** Number of sessions. */
  readonly sessions: number
  /** Sessions by their state at the end, the most frequent first. */
  readonly states: readonly (readonly [state: string, sessions: number])[]
  /** Tokens of all their logs. */
  readonly sourceTokens: number
  /** Tokens of all their bundles. */
  readonly bundleTokens: number
  /** Tokens that the agents' models were billed for. */
  readonly billedTokens: number
  /** Cost of these tokens by the price table, without surcharges for long requests, whose sizes are unknown. */
  readonly costs: ReportGroup['costs']
  /** Billed tokens of models without a price. */
  readonly unpricedTokens: number
  /** Cost of the summaries. */
  readonly summaryCosts: ReportGroup['costs']
  /** Decisions of all its sessions. */
  readonly decisions: readonly HistoryDecision[]
  /** Open work of its sessions. */
  readonly open: readonly OpenItem[]
}

/** What sessions cost, decided and left open. */
export interface History {
  /** Version of this schema. */
  readonly schemaVersion: 1
  /** First day, ISO 8601. */
  readonly since?: string
  /** Sums over all projects. */
  readonly total: HistoryPart
  /** Weeks, newest first, named after their Monday. */
  readonly weeks: readonly HistoryPart[]
  /** Projects, the one with the newest session first. */
  readonly projects: readonly HistoryPart[]
}

/** Which bundles count. */
export interface HistoryOptions {
  /** Leave out earlier sessions. */
  readonly since?: Date | undefined
  /** @default defaultPrices */
  readonly prices?: PriceTable | undefined
}

/**
 * Sums up bundles by project and by the week, in UTC, in which their session ended. If a session has several bundles,
 * or another one continues it, only the last bundle counts, but the cost of all summaries does. Pure.
 */
export function historyOf(bundles: readonly ContextBundle[], options: HistoryOptions = {}): History {
  const { since, prices = defaultPrices } = options
  // Without surcharges, because the sum of all requests would count as one long request.
  const base = { ...prices, models: prices.models.map(({ above: _, ...price }) => price) }
  const newestFirst = bundles.toSorted((a, b) => (endOf(a) < endOf(b) ? 1 : -1))
  const part = (name: string, some: readonly ContextBundle[]) => partOf(name, some, base)
  return {
    schemaVersion: 1,
    ...(since !== undefined && { since: since.toISOString() }),
    total: part('all', newestFirst),
    weeks: groupBy(newestFirst, (bundle) => mondayOf(endOf(bundle))).map(([name, some]) => part(name, some)),
    projects: groupBy(newestFirst, ({ source }) => projectOf(source.cwd)).map(([name, some]) =>
      part(name, some),
    ),
  }
}

function partOf(name: string, bundles: readonly ContextBundle[], prices: PriceTable): HistoryPart {
  const current = lastOfSessions(bundles)
  const states = groupBy(current, ({ state }) => state ?? 'unknown').map(
    ([state, same]) => [state, same.length] as const,
  )
  const usages = current.flatMap((bundle) => usagesOf(bundle))
  const priced = usages.map((usage) => ({ usage, cost: costOf([usage], prices) }))
  const sum = (values: readonly number[]) => values.reduce((total, value) => total + value, 0)
  return {
    name,
    sessions: current.length,
    states: states.sort((a, b) => b[1] - a[1]),
    sourceTokens: sum(current.map(({ compression }) => compression.sourceTokens)),
    bundleTokens: sum(current.map(({ compression }) => compression.bundleTokens)),
    billedTokens: sum(usages.map(billedTokens)),
    costs: costsOf(priced.flatMap(({ cost }) => cost ?? [])),
    unpricedTokens: sum(
      priced.filter(({ cost }) => cost === undefined).map(({ usage }) => billedTokens(usage)),
    ),
    summaryCosts: costsOf(bundles.flatMap(({ compression }) => compression.cost ?? [])),
    decisions: current.flatMap((bundle) =>
      bundle.decisions.map(({ topic, choice, by }) => ({
        ...itemOf(bundle, topic === undefined ? choice : `${topic}: ${choice}`),
        by,
      })),
    ),
    open: current.flatMap(openItems),
  }
}

/** The newest bundle of each session, without those that another one continues. */
function lastOfSessions(newestFirst: readonly ContextBundle[]): ContextBundle[] {
  const continued = new Set(newestFirst.map(({ previous }) => previous))
  const seen = new Set<string>()
  return newestFirst.filter(({ id, source }) => {
    const session = JSON.stringify([source.format, source.sessionId])
    if (seen.has(session) || continued.has(id)) return false
    seen.add(session)
    return true
  })
}

function openItems(bundle: ContextBundle): OpenItem[] {
  const { workflow, nextSteps, openQuestions, errors, state } = bundle
  const steps = state === 'finished' ? [] : nextSteps
  const open: Record<OpenItem['kind'], readonly string[]> = {
    blocker: workflow.blockers.map(({ text }) => text),
    question: openQuestions.map(({ text }) => text),
    'next step': steps.map(({ action, command }) =>
      command === undefined ? action : `${action} (${command})`,
    ),
    task: workflow.tasksRemaining.map(({ text }) => text),
    error: errors.flatMap(({ message, resolution }) => (resolution === undefined ? [message] : [])),
  }
  return Object.entries(open).flatMap(([kind, texts]) =>
    texts.map((text) => ({ ...itemOf(bundle, text), kind: kind as OpenItem['kind'] })),
  )
}

function itemOf(bundle: ContextBundle, text: string): HistoryItem {
  const { title, sessionId, cwd } = bundle.source
  return { text, session: title ?? sessionId, project: projectOf(cwd), at: endOf(bundle) }
}

type Usage = Parameters<typeof costOf>[0][number]

/** A session's usage by model. */
function usagesOf({ usage, source }: ContextBundle): Usage[] {
  const summarizer = source.format
  if (usage.byModel.length > 0)
    return usage.byModel.map(({ model, ...tokens }) => ({
      summarizer,
      model,
      usage: tokens as Usage['usage'],
    }))
  if (Object.keys(usage.total).length === 0) return []
  const [model] = source.models
  return [{ summarizer, usage: usage.total as Usage['usage'], ...(model !== undefined && { model }) }]
}

function billedTokens({ usage }: Usage): number {
  return (usage.inputTokens ?? 0) + (usage.outputTokens ?? 0)
}

function endOf({ source, createdAt }: ContextBundle): string {
  return source.endedAt ?? createdAt
}

/** Date of the Monday on which a week begins: https://www.iso.org/iso-8601-date-and-time-format.html */
function mondayOf(at: string): string {
  const date = new Date(at)
  date.setUTCDate(date.getUTCDate() - ((date.getUTCDay() + 6) % 7))
  return date.toISOString().slice(0, 10)
}
