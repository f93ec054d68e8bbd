import type { SessionSummary } from '../../bundle/session-summary.ts'
import type { EventId } from '../../session/event.ts'
import { eventIndex } from '../../session/event.ts'
import type { Note } from '../../session/note.ts'
import { askSummarizer, isSummarizerError } from '../ask-summarizer.ts'
import { eventsOf } from '../fallback-line.ts'
import { mergeSummaries, type SummarizedPart } from './merge-summaries.ts'
import { settleDecisions } from './settle-decisions.ts'
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
