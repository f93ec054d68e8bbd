import { createHash } from 'node:crypto'
import { extractFacts, type Facts, type SummaryRequest } from '@tenfold/core'
import { answerSize } from '../../model/answer-size.ts'
import { repairRequest } from '../../model/repair-request.ts'
import { answerFrom, modelRequestFor } from '../../model/summary-call.ts'
import type { ModelRequest } from '../../provider/model.ts'
import type { BatchJob, JobSession, Range, SentRequest } from '../store/batch-job.ts'
import { readResult, readSessionOf, type StoredSession } from '../store/job-store.ts'
import type { BatchRow } from '../vendor/batch-provider.ts'
import type { Engine } from './engine.ts'
import { type PartStep, resolvePart } from './resolve-parts.ts'

/** A session in progress: what is stored of it, and what to do about each of its parts. */
export interface SessionWork {
  readonly entry: JobSession
  readonly stored: StoredSession
  readonly facts: Facts
  readonly kind: BatchJob['options']['kind']
  /** Requests that were sent for it, oldest first, with their rows. */
  readonly sent: readonly SentWithRow[]
  readonly parts: readonly PartStep[]
}

export interface SentWithRow extends SentRequest {
  readonly row?: BatchRow
}

/** Reads a session and its rows back and decides what to do about it. */
export async function loadWork(engine: Engine, job: BatchJob, entry: JobSession): Promise<SessionWork> {
  const stored = await readSessionOf(engine.storage, job.job, entry)
  const sent: SentWithRow[] = []
  for (const request of requestsOf(job, entry.n)) {
    const row = await readResult(engine.storage, job.job, request.customId)
    sent.push({ ...request, ...(row === undefined ? {} : { row }) })
  }
  const work = { entry, stored, facts: extractFacts(stored.session), kind: job.options.kind, sent, parts: [] }
  const parts = entry.parts.flatMap((range) =>
    resolvePart(range, {
      items: stored.items,
      sentFor: ({ first, last }) =>
        sent
          .filter((request) => request.first === first && request.last === last)
          .map((request) => ({ ...request, repair: request.repair ?? false })),
      summarize: (part, reply) =>
        answerFrom(summaryRequestOf(work, part), reply, { counter: engine.counter }),
      maySend: engine.resubmit && job.canceledAt === undefined,
      maxSends: engine.limits.maxSends,
    }),
  )
  return { ...work, parts }
}

/** Requests that were sent for a session and may have a row, oldest first. */
function requestsOf(job: BatchJob, session: number): SentRequest[] {
  return job.attempts
    .filter(({ state }) => state !== 'abandoned')
    .flatMap(({ requests }) => requests.filter((request) => request.session === session))
}

/** The request to a summarizer for a range of items. A half of a part counts as that part. */
export function summaryRequestOf(
  { entry, stored, facts, kind }: Omit<SessionWork, 'parts'>,
  range: Range,
): SummaryRequest {
  const of = entry.parts.length
  return {
    kind,
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

/** The request that a step asks for, the same at any time; undefined if nothing is to be sent. */
export function modelRequestOf(
  engine: Engine,
  job: BatchJob,
  work: Omit<SessionWork, 'parts'>,
  step: PartStep,
): ModelRequest | undefined {
  if (step.step !== 'send' && step.step !== 'repair') return undefined
  const { first, last } = step.range
  const { maxOutputTokens, maxInputTokens, tokenFactor, sizedOutput } = job.options
  const wanted = summaryRequestOf(work, step.range)
  const request = modelRequestFor(wanted, {
    counter: engine.counter,
    maxOutputTokens: sizedOutput
      ? Math.min(maxOutputTokens, answerSize(wanted, tokenFactor))
      : maxOutputTokens,
    maxInputTokens,
    tokenFactor,
    random: seeded(`${job.nonce} ${work.entry.n} ${first} ${last}`),
  })
  return step.step === 'send' ? request : repairRequest(request, step.reply, step.problem)
}

/** Numbers from 0 up to 1 that only someone with the seed can predict; the nonce in it is random. */
function seeded(seed: string): () => number {
  let n = 0
  return () => createHash('sha256').update(`${seed} ${n++}`).digest().readUInt32BE(0) / 2 ** 32
}
