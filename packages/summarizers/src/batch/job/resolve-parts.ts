import type { SummarizerFailure, TranscriptItem } from '@tenfold/core/summarizer'
import type { ReadAnswer } from '../../model/summary-call.ts'
import { ModelError, type ModelReply } from '../../provider/model.ts'
import type { Range } from '../store/batch-job.ts'
import type { BatchRow } from '../vendor/batch-provider.ts'

/** A request that was sent for a range of items, with its row if that has arrived. */
interface SentPart {
  readonly customId: string
  readonly repair: boolean
  readonly row?: BatchRow
}

/** Next step for a range of items that one request covers. */
export type PartStep = { readonly range: Range } & (
  | { readonly step: 'wait' }
  | { readonly step: 'send' }
  | { readonly step: 'repair'; readonly reply: ModelReply; readonly problem: ModelError }
  | ({ readonly step: 'summarized' } & ReadAnswer)
  | { readonly step: 'failed'; readonly reason: SummarizerFailure; readonly message: string }
)

export interface ResolveOptions {
  readonly items: readonly TranscriptItem[]
  /** Requests that were sent for exactly this range, oldest first. */
  readonly sentFor: (range: Range) => readonly SentPart[]
  /** Parses a reply; throws ModelError if it is not a summary. */
  readonly summarize: (range: Range, reply: ModelReply) => ReadAnswer
  /** False if nothing may be sent any more. */
  readonly maySend: boolean
  /** Most requests for one range. */
  readonly maxSends: number
}

/** How often a part may be halved: all halves are sent at once, so each time doubles the requests. */
const maxHalvings: { readonly [K in SummarizerFailure]?: number } = {
  'prompt-too-long': 3,
  truncated: 3,
  inflated: 3,
}

/** Decides what to do about a part: one step, or those of its halves if it was too long. Pure. */
export function resolvePart(range: Range, options: ResolveOptions, halvings = 0): PartStep[] {
  const sent = options.sentFor(range)
  const last = sent.at(-1)
  if (last === undefined)
    return options.maySend
      ? [{ range, step: 'send' }]
      : [{ range, step: 'failed', reason: 'over-budget', message: 'it was never sent' }]
  if (last.row === undefined) return [{ range, step: 'wait' }]
  const outcome = outcomeOf(range, last.row, options)
  if (outcome.answer !== undefined) return [{ range, step: 'summarized', ...outcome.answer }]
  if (halvings < (maxHalvings[outcome.reason] ?? 0) && range.last - range.first > 1)
    return halvesOf(range, options.items).flatMap((half) => resolvePart(half, options, halvings + 1))
  const { reason, message } = outcome
  if (!options.maySend || isEnough(sent, options.maxSends))
    return [{ range, step: 'failed', reason, message }]
  if (reason !== 'invalid-output' && outcome.retryable && !last.repair) return [{ range, step: 'send' }]
  // A repair that got no reply is sent again; one that was no summary either is the last.
  const broken = last.repair && last.row.reply === undefined && outcome.retryable ? firstReply(sent) : last
  if (broken?.row?.reply !== undefined && !broken.repair) {
    const { problem } = outcomeOf(range, broken.row, options)
    if (problem?.reason === 'invalid-output')
      return [{ range, step: 'repair', reply: broken.row.reply, problem }]
  }
  return [{ range, step: 'failed', reason, message }]
}

/** Whether the vendor refused the batch for lack of capacity. That is not a try, but does not go on forever. */
const maxRefusals = 12

function isEnough(sent: readonly SentPart[], maxSends: number): boolean {
  const refused = sent.filter(({ row }) => row?.error?.reason === 'rate-limited').length
  return sent.length - refused >= maxSends || refused > maxRefusals
}

function firstReply(sent: readonly SentPart[]): SentPart | undefined {
  return sent.findLast(({ row, repair }) => row?.reply !== undefined && !repair)
}

/** Both halves of a range, cut where half of the text is before; each contains an item. */
function halvesOf(range: Range, items: readonly TranscriptItem[]): [Range, Range] {
  const lengths = items.slice(range.first, range.last).map(({ text }) => text.length)
  const half = lengths.reduce((sum, length) => sum + length, 0) / 2
  let middle = range.first
  for (let before = 0; middle < range.last && before < half; middle++)
    before += lengths[middle - range.first] ?? 0
  middle = Math.min(Math.max(middle, range.first + 1), range.last - 1)
  return [
    { first: range.first, last: middle },
    { first: middle, last: range.last },
  ]
}

interface Outcome {
  readonly answer?: ReadAnswer
  readonly reason: SummarizerFailure
  readonly retryable: boolean
  readonly message: string
  /** Set if there is a reply. */
  readonly problem?: ModelError
}

function outcomeOf(range: Range, row: BatchRow, options: ResolveOptions): Outcome {
  if (row.reply === undefined) return row.error
  try {
    const answer = options.summarize(range, row.reply)
    return { answer, reason: 'unknown', retryable: false, message: '' }
  } catch (error) {
    if (!(error instanceof ModelError)) throw error
    const { reason, retryable, message } = error
    return { reason, retryable, message, problem: error }
  }
}
