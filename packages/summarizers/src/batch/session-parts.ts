import { createHash } from 'node:crypto'
import type { Facts, SummaryRequest } from '@tenfold/core'
import { extractFacts } from '@tenfold/core/facts'
import type { SummarizerFailure, TranscriptItem } from '@tenfold/core/summarizer'
import { answerSize } from '../model/length-text.ts'
import { answerFrom, modelRequestFor, type ReadAnswer, repairRequest } from '../model/summary-call.ts'
import { ModelError, type ModelReply, type ModelRequest } from '../provider/model.ts'
import type { Engine } from './engine.ts'
import type { BatchJob, JobSession, Range, SentRequest, StoredSession } from './job.ts'
import { readRow, readSession } from './job-store.ts'
import type { BatchRow } from './provider.ts'

/** A stored session of a job. */
export interface JobWork {
  readonly job: BatchJob
  readonly entry: JobSession
  readonly stored: StoredSession
  readonly facts: Facts
}

/** A session in progress, with the next step for each of its parts. */
export interface SessionWork extends JobWork {
  /** Requests that were sent for the session, oldest first, with their rows. */
  readonly sent: readonly SentWithRow[]
  readonly parts: readonly PartStep[]
}

export interface SentWithRow extends SentRequest {
  readonly row: BatchRow | undefined
}

/** Next step for a range of items that one request covers. */
export type PartStep = { readonly range: Range } & (
  | { readonly step: 'wait' }
  | { readonly step: 'send' }
  | { readonly step: 'repair'; readonly reply: ModelReply; readonly problem: ModelError }
  | ({ readonly step: 'summarized' } & ReadAnswer)
  | { readonly step: 'failed'; readonly reason: SummarizerFailure; readonly message: string }
)

/** Reads a session with its rows and decides the next step for each part. */
export async function loadWork(engine: Engine, job: BatchJob, entry: JobSession): Promise<SessionWork> {
  const stored = await readSession(engine, entry)
  const sent: SentWithRow[] = []
  for (const { state, requests } of job.attempts)
    if (state !== 'abandoned')
      for (const request of requests)
        if (request.session === entry.n)
          sent.push({ ...request, row: await readRow(engine, request.customId) })
  const work = { job, entry, stored, facts: extractFacts(stored.session), sent }
  return { ...work, parts: entry.parts.flatMap((range) => stepsOf(range, work, engine)) }
}

/** How often a part may be halved. Each time doubles the requests, because all halves are sent at once. */
const maxHalvings: { readonly [K in SummarizerFailure]?: number } = {
  'prompt-too-long': 3,
  truncated: 3,
  inflated: 3,
}

/** The next step for a part, or the steps for its halves if it was too long. */
function stepsOf(
  range: Range,
  work: Omit<SessionWork, 'parts'>,
  engine: Engine,
  halvings = 0,
): readonly PartStep[] {
  const sent = work.sent.filter(({ first, last }) => first === range.first && last === range.last)
  const last = sent.at(-1)
  const failed = (reason: SummarizerFailure, message: string) =>
    [{ range, step: 'failed', reason, message }] as const
  const maySend = engine.resubmit && work.job.canceledAt === undefined
  if (last === undefined)
    return maySend ? [{ range, step: 'send' }] : failed('over-budget', 'it was never sent')
  if (last.row === undefined) return [{ range, step: 'wait' }]
  const outcome = read(last.row, range, work, engine)
  if ('summary' in outcome) return [{ range, step: 'summarized', ...outcome }]
  const { reason, retryable, message } = outcome
  if (halvings < (maxHalvings[reason] ?? 0) && range.last - range.first > 1)
    return halvesOf(range, work.stored.items).flatMap((half) => stepsOf(half, work, engine, halvings + 1))
  if (!maySend || isEnough(sent, engine.limits.maxSends)) return failed(reason, message)
  if (reason !== 'invalid-output' && retryable && !last.repair) return [{ range, step: 'send' }]
  // A repair without a reply is sent again. There is no second repair after another invalid answer.
  const unanswered = last.repair && last.row.reply === undefined && retryable
  const broken = unanswered ? sent.findLast(({ row, repair }) => row?.reply !== undefined && !repair) : last
  if (broken?.row?.reply === undefined || broken.repair) return failed(reason, message)
  const problem = read(broken.row, range, work, engine)
  return problem instanceof ModelError && problem.reason === 'invalid-output'
    ? [{ range, step: 'repair', reply: broken.row.reply, problem }]
    : failed(reason, message)
}

/** The summary in a row, or the error. */
function read(row: BatchRow, range: Range, work: JobWork, { counter }: Engine) {
  if (row.reply === undefined) return row.error
  try {
    return answerFrom(summaryRequestOf(work, range), row.reply, { counter })
  } catch (error) {
    if (error instanceof ModelError) return error
    throw error
  }
}

/** Maximum refusals for lack of capacity, which do not count as tries. */
const maxRefusals = 12

function isEnough(sent: readonly SentWithRow[], maxSends: number): boolean {
  const refused = sent.filter(({ row }) => row?.error?.reason === 'rate-limited').length
  return sent.length - refused >= maxSends || refused > maxRefusals
}

/** Both halves of a range, cut at half of its text. Each has at least one item. */
function halvesOf({ first, last }: Range, items: readonly TranscriptItem[]): [Range, Range] {
  const lengths = items.slice(first, last).map(({ text }) => text.length)
  const half = lengths.reduce((sum, length) => sum + length, 0) / 2
  let middle = first
  for (let before = 0; middle < last && before < half; middle++) before += lengths[middle - first] ?? 0
  middle = Math.min(Math.max(middle, first + 1), last - 1)
  return [
    { first, last: middle },
    { first: middle, last },
  ]
}

/** The request to a summarizer for a range of items. A half has the number of its part. */
export function summaryRequestOf({ job, entry, stored, facts }: JobWork, range: Range): SummaryRequest {
  const of = entry.parts.length
  return {
    kind: job.options.kind,
    facts,
    items: stored.items.slice(range.first, range.last),
    maxTokens: stored.summaryBudget,
    ...(of > 1 ? { part: { number: partNumber(entry, range), of } } : { sourceTokens: stored.sourceTokens }),
    ...(range.last === stored.items.length && stored.shown.length > 0 ? { carried: stored.shown } : {}),
  }
}

/** Number of the part that contains a range, from 1. */
export function partNumber(entry: JobSession, range: Range): number {
  return entry.parts.findIndex(({ last }) => range.first < last) + 1
}

/** The request for a step, which is always the same. Undefined if nothing is to be sent. */
export function modelRequestOf({ counter }: Engine, work: JobWork, step: PartStep): ModelRequest | undefined {
  if (step.step !== 'send' && step.step !== 'repair') return undefined
  const { nonce, options } = work.job
  const { first, last } = step.range
  const { maxOutputTokens, maxInputTokens, tokenFactor, sizedOutput } = options
  const wanted = summaryRequestOf(work, step.range)
  const request = modelRequestFor(wanted, {
    counter,
    maxOutputTokens: sizedOutput
      ? Math.min(maxOutputTokens, answerSize(wanted, tokenFactor))
      : maxOutputTokens,
    maxInputTokens,
    tokenFactor,
    random: seeded(`${nonce} ${work.entry.n} ${first} ${last}`),
  })
  return step.step === 'send' ? request : repairRequest(request, step.reply, step.problem)
}

/** Generates numbers from 0 to 1, exclusive, that nobody can predict without the seed, which has a random nonce. */
function seeded(seed: string): () => number {
  let n = 0
  return () => createHash('sha256').update(`${seed} ${n++}`).digest().readUInt32BE(0) / 2 ** 32
}
