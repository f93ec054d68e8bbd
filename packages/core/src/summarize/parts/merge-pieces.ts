import type { Decision, SessionSummary } from '../../bundle/session-summary.ts'
import { cleanLine } from '../../session/clean-text.ts'
import { type EventId, eventIndex } from '../../session/event.ts'
import type { Note } from '../../session/note.ts'
import { shortLine } from '../../session/short-line.ts'
import { askSummarizer, isSummarizerError } from '../ask-summarizer.ts'
import { eventsOf } from '../authors.ts'
import { sameness } from '../summary-lists.ts'
import { mergeSummaries, type SummarizedPart } from './merge-summaries.ts'
import {
  countSummary,
  isOut,
  type PartFailure,
  type Piece,
  type TranscriptWork,
} from './summarize-transcript.ts'
import { uniteViews } from './unite-views.ts'

/**
 * Merges the pieces into one summary: by code, then, if a summarizer of the chain can, by one more request that unites
 * it. If that request fails, only its own result is lost. Where parts disagree on a decision, the later evidence holds;
 * views of one matter that it left apart are united by code.
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
  if (summarizer === undefined)
    return {
      summary: merged,
      notes: [...settled, byCode(parts.length, 'together they are too large for one request')],
    }
  const { kind, facts } = plan
  const request = { kind, facts, items: [], maxTokens, earlier: merged }
  try {
    const { summary } = await askSummarizer(summarizer, request, items.length, work)
    return { summary: uniteViews(summary), notes: [...settled] }
  } catch (error) {
    if (!isSummarizerError(error)) throw error
    return { summary: merged, notes: [...settled, byCode(parts.length, error.message)] }
  }
}

function byCode(parts: number, reason: string): Note {
  return {
    code: 'merged-by-code',
    message: `the summaries of ${parts} parts were merged by code: ${reason}`,
  }
}

/** The summarized parts with their events; the earlier summary is one too, if no answer includes it. */
function partsOf(pieces: readonly Piece[], { earlier, items }: TranscriptWork): SummarizedPart[] {
  const parts = pieces.map(({ part, answer }) => ({ summary: answer.summary, ...eventsOf(part.items) }))
  if (earlier === undefined || pieces.some(({ updated }) => updated)) return parts
  const before = Math.max(1, eventIndex(eventsOf(items).first))
  return [{ summary: earlier, first: 'e1', last: `e${before}` satisfies EventId }, ...parts]
}

/**
 * Settles decisions on one topic that differ, as parts of a session that were summarized alone may: the one with the
 * later evidence holds, with the earlier choice among its alternatives, and a note names both. What the user decided is
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

/** Whether two decisions are on the same topic and choose otherwise; one that turned the other down says so itself. */
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
