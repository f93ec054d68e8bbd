import type { Judgement } from '../../bundle/session-summary.ts'
import type { EventId } from '../../session/event.ts'
import { eventIndex } from '../../session/event.ts'
import type { Note } from '../../session/note.ts'
import { askSummarizer, isSummarizerError } from '../ask-summarizer.ts'
import { eventsOf } from '../fallback-line.ts'
import { type JudgedPart, mergeJudgements } from './merge-summaries.ts'
import { type Failure, isOut, judgementTokens, type Piece, type ReadingWork } from './summarize-transcript.ts'

/**
 * Makes one judgement of the pieces: by code, then, where a summarizer of the chain can, by one more request that brings
 * it into one. That request failing costs only itself.
 */
export async function mergePieces(
  pieces: readonly Piece[],
  failures: readonly Failure[],
  work: ReadingWork,
): Promise<{ judgement: Judgement; notes: Note[] }> {
  const { plan, chain, counter, maxTokens, items } = work
  const parts = partsOf(pieces, work)
  const merged = mergeJudgements(parts, { maxTokens, counter })
  const able = chain.filter((summarizer) => summarizer.updates === true && !isOut(summarizer, failures))
  const tokens = judgementTokens(merged, counter)
  const summarizer = able.find(({ contextWindow = Number.POSITIVE_INFINITY }) => tokens <= contextWindow)
  if (parts.length < 2 || able.length === 0) return { judgement: merged, notes: [] }
  if (summarizer === undefined)
    return { judgement: merged, notes: [byCode(parts.length, 'together they are too large for one request')] }
  const { kind, facts } = plan
  const request = { kind, facts, items: [], maxTokens, earlier: merged }
  try {
    const { judgement } = await askSummarizer(summarizer, request, items.length, work)
    return { judgement, notes: [] }
  } catch (error) {
    if (!isSummarizerError(error)) throw error
    return { judgement: merged, notes: [byCode(parts.length, error.message)] }
  }
}

function byCode(parts: number, reason: string): Note {
  return {
    code: 'merged-by-code',
    message: `the judgements of ${parts} parts were merged by code: ${reason}`,
  }
}

/** The judged parts with their events; what was judged before them is one too, where no answer holds it. */
function partsOf(pieces: readonly Piece[], { earlier, items }: ReadingWork): JudgedPart[] {
  const parts = pieces.map(({ part, answer }) => ({ judgement: answer.judgement, ...eventsOf(part.items) }))
  if (earlier === undefined || pieces.some(({ updated }) => updated)) return parts
  const before = Math.max(1, eventIndex(eventsOf(items).first))
  return [{ judgement: earlier, first: 'e1', last: `e${before}` satisfies EventId }, ...parts]
}
