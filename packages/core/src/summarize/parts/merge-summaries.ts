import { emptySummary } from '../../bundle/section-contents.ts'
import type { Decision, SessionSummary } from '../../bundle/session-summary.ts'
import { cleanLine } from '../../session/clean-text.ts'
import { type EventId, eventIndex } from '../../session/event.ts'
import type { Note } from '../../session/note.ts'
import { shortLine } from '../../session/short-line.ts'
import { shorten } from '../../tokens/shorten.ts'
import type { TokenCounter } from '../../tokens/token-counter.ts'
import { askSummarizer, isSummarizerError } from '../ask-summarizer.ts'
import { eventsOf } from '../authors.ts'
import { appendStatements, joinEntries, rulesOf, sameness } from '../summary-lists.ts'
import { phaseOf, reasonsByPath } from '../update-summary.ts'
import {
  countSummary,
  isOut,
  type PartFailure,
  type Piece,
  type TranscriptWork,
} from './summarize-transcript.ts'
import { uniteViews } from './unite-views.ts'

/** The summary of the events from `first` to `last`. */
export interface SummarizedPart {
  readonly summary: SessionSummary
  readonly first: EventId
  readonly last: EventId
}

export interface MergeOptions {
  /** Approximate maximum tokens of the merged summary, half of them for the overview. @default no limit */
  readonly maxTokens?: number | undefined
  readonly counter?: TokenCounter | undefined
}

/** Maximum number of next steps, the last ones: those of much earlier parts are mostly done. */
const maxNextSteps = 12

/**
 * Merges the summaries of several parts into one, by code, whatever their order. Statements are in log order; equal
 * ones, and views of one matter, are joined; the later word on tasks and decisions counts; statements about the present
 * come from the last part that has any.
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
    // Parts of the same events never come from a split; this only makes their order deterministic.
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

/** Returns the texts of the parts in order, each after its events; long ones are cut so that short ones stay whole. */
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

/**
 * Merges the pieces into one summary: by code, then, if a summarizer of the chain can, by one more request that unites
 * them. If that request fails, only its result is lost. If parts disagree on a decision, the later evidence counts;
 * remaining views of one matter are united by code.
 */
export async function mergePieces(
  pieces: readonly Piece[],
  failures: readonly PartFailure[],
  work: TranscriptWork,
): Promise<{ summary: SessionSummary; notes: Note[] }> {
  const { plan, chain, counter, maxTokens, items } = work
  const parts = partsOf(pieces, work)
  const { summary: merged, notes: settled } = settleDecisions(mergeSummaries(parts, { maxTokens, counter }))
  const able = chain.filter((summarizer) => summarizer.incremental === true && !isOut(summarizer, failures))
  const tokens = countSummary(merged, counter)
  const summarizer = able.find(({ contextWindow = Number.POSITIVE_INFINITY }) => tokens <= contextWindow)
  if (parts.length < 2) {
    const only = parts[0]?.summary ?? merged
    return { summary: work.earlier === undefined ? only : uniteViews(only), notes: [] }
  }
  if (able.length === 0) return { summary: merged, notes: [...settled] }
  const byCode = (reason: string) => {
    const message = `the summaries of ${parts.length} parts were merged by code: ${reason}`
    return { summary: merged, notes: [...settled, { code: 'merged-by-code', message }] }
  }
  if (summarizer === undefined) return byCode('together they are too large for one request')
  const { kind, facts } = plan
  const request = { kind, facts, items: [], maxTokens, earlier: merged }
  try {
    const { summary } = await askSummarizer(summarizer, request, items.length, work)
    return { summary: uniteViews(summary), notes: [...settled] }
  } catch (error) {
    if (!isSummarizerError(error)) throw error
    return byCode(error.message)
  }
}

/** Returns the summarized parts with their events. The earlier summary is a part too, unless an answer includes it. */
function partsOf(pieces: readonly Piece[], { earlier, items }: TranscriptWork): SummarizedPart[] {
  const parts = pieces.map(({ part, answer }) => ({ summary: answer.summary, ...eventsOf(part.items) }))
  if (earlier === undefined || pieces.some(({ updated }) => updated)) return parts
  const before = Math.max(1, eventIndex(eventsOf(items).first))
  return [{ summary: earlier, first: 'e1', last: `e${before}` satisfies EventId }, ...parts]
}

/**
 * Resolves different decisions on one topic, which parts summarized separately may contain: the one with the later
 * evidence stays, with the earlier choice among its alternatives, and a note names both. A decision of the user is
 * overruled only by the user.
 */
export function settleDecisions(summary: SessionSummary): {
  readonly summary: SessionSummary
  readonly notes: readonly Note[]
} {
  const notes: Note[] = []
  const kept: Decision[] = []
  for (const decision of summary.decisions) {
    const at = kept.findIndex((other) => contradicts(other, decision))
    const other = kept[at]
    if (other === undefined) {
      kept.push(decision)
      continue
    }
    const [earlier, later] = newest(other) <= newest(decision) ? [other, decision] : [decision, other]
    if (earlier.by === 'user' && later.by === 'agent') {
      kept.push(decision)
      continue
    }
    kept[at] = { ...later, alternatives: [...new Set([...later.alternatives, earlier.choice])] }
    notes.push({
      code: 'decision-overruled',
      message: cleanLine(
        `parts of the session disagree on ${shortLine(later.topic ?? '', 60)}: ${said(later)} holds over ${said(earlier)}`,
      ),
    })
  }
  return notes.length === 0 ? { summary, notes } : { summary: { ...summary, decisions: kept }, notes }
}

/** Whether two decisions have the same topic and different choices. */
function contradicts(a: Decision, b: Decision): boolean {
  if (a.topic === undefined || b.topic === undefined) return false
  return plain(a.topic) === plain(b.topic) && plain(a.choice) !== plain(b.choice)
}

function plain(text: string): string {
  return sameness({ text, evidence: [] })
}

function newest({ evidence }: Decision): number {
  return Math.max(-1, ...evidence.map(eventIndex))
}

function said({ choice, evidence }: Decision): string {
  const event = evidence.at(-1)
  return `"${shortLine(choice, 80)}"${event === undefined ? '' : ` (${event})`}`
}
