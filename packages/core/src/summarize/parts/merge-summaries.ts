import { emptySummary } from '../../bundle/section-contents.ts'
import type { SessionSummary } from '../../bundle/session-summary.ts'
import { type EventId, eventIndex } from '../../session/event.ts'
import { shorten } from '../../tokens/shorten.ts'
import type { TokenCounter } from '../../tokens/token-counter.ts'
import { appendStatements, joinEntries, rulesOf, sameness } from '../summary-lists.ts'
import { phaseOf, reasonsByPath } from '../update-summary.ts'
import { uniteViews } from './unite-views.ts'

/** The summary of the events from `first` to `last`. */
export interface SummarizedPart {
  readonly summary: SessionSummary
  readonly first: EventId
  readonly last: EventId
}

export interface MergeOptions {
  /** Approximate maximum tokens of the merged summary: half of it is for the overview. @default no limit */
  readonly maxTokens?: number | undefined
  readonly counter?: TokenCounter | undefined
}

/** Next steps of much earlier parts are mostly done: this many are kept, the last ones. */
const maxNextSteps = 12

/**
 * Merges the summaries of several parts into one, by code; their order does not matter. Statements are in log order,
 * those that say the same, or are views of one matter, are joined; the later word on tasks and decisions holds; statements about the present come
 * from the last part that has any.
 */
export function mergeSummaries(parts: readonly SummarizedPart[], options: MergeOptions = {}): SessionSummary {
  const [first, ...rest] = parts.toSorted(byPlace)
  if (first === undefined) return emptySummary()
  if (rest.length === 0) return first.summary
  const ordered = [first, ...rest]
  const summaries = ordered.map(({ summary }) => summary)
  const last = summaries.toReversed()
  const merged = summaries.reduce(appendStatements)
  const summaryTokens = options.maxTokens === undefined ? Number.POSITIVE_INFINITY : options.maxTokens / 2
  const joined = (text: (summary: SessionSummary) => string | undefined) =>
    inOrder(ordered, text, summaryTokens, options.counter)
  const { plan, progress } = merged
  let { workflow } = merged
  for (const summary of summaries) workflow = { ...workflow, ...phaseOf(summary) }
  return uniteViews({
    ...merged,
    overview: joined(({ overview }) => overview),
    workflow,
    nextSteps: joinEntries(last.flatMap(openSteps(merged)), []).slice(0, maxNextSteps),
    resumeInstructions: firstText(last, ({ resumeInstructions }) => resumeInstructions),
    fileReasons: reasonsByPath(summaries.flatMap(({ fileReasons }) => fileReasons)),
    ...rulesOf(summaries),
    ...(plan && { plan: { ...plan, approach: joined((summary) => summary.plan?.approach) } }),
    ...(progress && {
      progress: {
        ...progress,
        currentState: firstText(last, (summary) => summary.progress?.currentState),
      },
    }),
    ...(summaries.some(({ research }) => research) && {
      research: { decision: firstText(last, ({ research }) => research?.decision) },
    }),
  })
}

function byPlace(a: SummarizedPart, b: SummarizedPart): number {
  return (
    eventIndex(a.first) - eventIndex(b.first) ||
    eventIndex(a.last) - eventIndex(b.last) ||
    // Parts of the same events do not come from a split; this only makes their order deterministic.
    (JSON.stringify(a.summary) < JSON.stringify(b.summary) ? -1 : 1)
  )
}

function openSteps({ workflow, progress }: SessionSummary) {
  const done = new Set([...workflow.tasksCompleted, ...(progress?.completed ?? [])].map(sameness))
  return ({ nextSteps }: SessionSummary) => nextSteps.filter((step) => !done.has(sameness(step)))
}

function firstText(
  summaries: readonly SessionSummary[],
  text: (summary: SessionSummary) => string | undefined,
): string {
  return summaries.map(text).find((value) => value !== undefined && value !== '') ?? ''
}

/** Texts of the parts in order, each after its events, cut if they are too long, so that the short ones stay whole. */
function inOrder(
  parts: readonly SummarizedPart[],
  textOf: (summary: SessionSummary) => string | undefined,
  maxTokens: number,
  counter: TokenCounter | undefined,
): string {
  const texts = parts.flatMap(({ summary, first, last }) => {
    const text = textOf(summary)
    if (text === undefined || text === '') return []
    return [range.test(text) ? text : `${first === last ? first : `${first}-${last}`}: ${text}`]
  })
  return fairly(texts, maxTokens, counter).join('\n\n')
}

const range = /^e\d+(-e\d+)?: /

function fairly(
  texts: readonly string[],
  maxTokens: number,
  counter: TokenCounter | undefined,
): readonly string[] {
  if (counter === undefined || maxTokens === Number.POSITIVE_INFINITY) return texts
  const sizes = texts.map((text) => counter.count(text))
  let left = maxTokens
  let share = Number.POSITIVE_INFINITY
  for (const [index, size] of sizes.toSorted((a, b) => a - b).entries()) {
    share = left / (sizes.length - index)
    if (size > share) break
    left -= size
    share = Number.POSITIVE_INFINITY
  }
  return texts
    .map((text, index) => shorten(text, Math.floor(share), counter, sizes[index]).trim())
    .filter((text) => text !== '')
}
