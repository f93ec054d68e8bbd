import {
  type CompressedLog,
  type ErrorCode,
  finishLog,
  type Note,
  planBundle,
  type SummarizedPlan,
  type Summarizer,
  type SummarizerCall,
  SummarizerError,
  TenfoldError,
} from '@tenfold/core'
import { cleanLine, costOf, findMemory, mergeSummaries, type SummarizedPart } from '@tenfold/core/internal'
import { createRedaction } from '@tenfold/core/redact'
import { known } from '../../provider/fields.ts'
import type { BatchJob } from '../store/batch-job.ts'
import { type DoneSession, type FallbackSummary, fallbackOnce, putDone } from '../store/job-store.ts'
import type { Engine } from './engine.ts'
import { planOptionsOf } from './plan-session.ts'
import type { PartStep } from './resolve-parts.ts'
import { partNumber, type SentWithRow, type SessionWork, summaryRequestOf } from './session-work.ts'

type FailedPart = Extract<PartStep, { step: 'failed' }>

/**
 * Makes the bundle of a session whose parts are all summarized or failed, and saves it unless the session left nothing
 * to remember; the fallback summarizes the parts that failed. Without one, or if it fails too, the session is recorded as
 * failed, with everything that was billed for it.
 */
export async function finishSession(engine: Engine, job: BatchJob, work: SessionWork): Promise<DoneSession> {
  const { entry } = work
  const calls = work.sent.flatMap((request) => callOf(job, work, request))
  const failed = work.parts.filter((part) => part.step === 'failed')
  const summarized = await summarizedBy(engine, job, work, failed)
  const all = [...calls, ...summarized.calls]
  const made = isSummarizerError(summarized)
    ? summarized
    : await finish(engine, job, work, { ...summarized, calls: all, ...costIn(engine, all) }).catch(
        asSessionFault,
      )
  const done = { n: entry.n, calls: all }
  if (TenfoldError.isInstance(made))
    return await putDone(engine.storage, job.job, { ...done, state: 'failed', reason: made.message })
  if (made.stored === undefined) return await putDone(engine.storage, job.job, { ...done, state: 'trivial' })
  return await putDone(engine.storage, job.job, {
    ...done,
    state: 'saved',
    bundleId: made.bundle.id,
    ...('fallback' in summarized ? { fallback: summarized.fallback } : {}),
  })
}

async function summarizedBy(
  engine: Engine,
  job: BatchJob,
  work: SessionWork,
  failed: readonly FailedPart[],
): Promise<SummarizedPlan | SummarizerError> {
  const why = failed.map((part) => `${placeOf(work, part)}${part.reason}: ${part.message}`).join('; ')
  const { fallback } = engine
  if (failed.length > 0 && fallback === undefined)
    return new SummarizerError(`${why}; with a fallback, collecting again saves the session`, {
      reason: failed[0]?.reason ?? 'unknown',
    })
  const summarized: SummarizedPart[] = []
  const others: FallbackSummary[] = []
  for (const part of work.parts) {
    if (part.step === 'summarized') summarized.push({ summary: part.summary, ...eventsOf(work, part) })
    if (part.step !== 'failed' || fallback === undefined) continue
    const other = await fallbackFor(engine, fallback, work, part)
    if (isSummarizerError(other)) return other
    summarized.push({ summary: other.summary, ...eventsOf(work, part) })
    others.push(other)
  }
  const first = others.length > 0 && others.length === summarized.length ? others[0] : undefined
  const model = first === undefined ? job.model : first.model
  const promptVersion = first === undefined ? job.promptVersion : first.promptVersion
  return {
    summary: mergeSummaries(summarized, { maxTokens: work.stored.summaryBudget, counter: engine.counter }),
    summarizer: first?.summarizer ?? job.provider,
    ...known({ model, promptVersion }),
    calls: others.flatMap((other) => other.calls),
    notes: failed.map((part) => failureNote(job, work, part)),
    ...(failed.length === 0 ? {} : { fallback: fallbackLine(job, work, failed) }),
    settled: settledBy(work),
  }
}

/** What the answers say of carried items, with each item in its full length. */
function settledBy({ parts, stored }: SessionWork): NonNullable<SummarizedPlan['settled']> {
  const whole = new Map(stored.carried.map((item) => [item.id, item]))
  return parts
    .flatMap((part) => (part.step === 'summarized' ? part.settled : []))
    .map(({ id, event }) => {
      const item = whole.get(id)
      return { id, event, ...(item !== undefined && { item }) }
    })
}

/** First and last event of a part. */
function eventsOf({ stored }: SessionWork, { range }: PartStep): Pick<SummarizedPart, 'first' | 'last'> {
  const first = stored.items[range.first]?.event ?? 'e1'
  const end = stored.items[range.last - 1]
  return { first, last: end?.until ?? end?.event ?? first }
}

async function fallbackFor(
  engine: Engine,
  fallback: Summarizer,
  work: SessionWork,
  part: FailedPart,
): Promise<FallbackSummary | SummarizerError> {
  const place = { job: engine.job, n: work.entry.n, range: part.range }
  try {
    return await fallbackOnce(engine.storage, place, async () => {
      const { carried: _, ...request } = summaryRequestOf(work, part.range)
      const result = await fallback.summarize(request, { signal: engine.signal })
      return {
        summarizer: fallback.name,
        model: fallback.model,
        promptVersion: result.promptVersion,
        summary: result.summary,
        calls: [...result.calls],
      }
    })
  } catch (error) {
    if (isSummarizerError(error)) return error
    throw error
  }
}

/** Which parts the fallback wrote, and why, in few words: the notes give the details. */
function fallbackLine({ provider }: BatchJob, work: SessionWork, failed: readonly FailedPart[]): string {
  const reasons = failed.map((part) => `${placeOf(work, part)}${part.reason}`)
  return cleanLine(`${provider}: ${[...new Set(reasons)].join('; ')}`)
}

function failureNote({ provider }: BatchJob, work: SessionWork, part: FailedPart): Note {
  return { code: 'summarizer-failed', message: `${provider}: ${placeOf(work, part)}${part.message}` }
}

function placeOf(work: SessionWork, part: PartStep): string {
  const of = work.entry.parts.length
  return of > 1 ? `part ${partNumber(work.entry, part.range)} of ${of}, ` : ''
}

/** Recognises an error by brand and code, so that it works across copies of the package. */
function isSummarizerError(value: unknown): value is SummarizerError {
  return TenfoldError.isInstance(value) && value.code === 'summarizer-failed'
}

function costIn({ prices }: Engine, calls: readonly SummarizerCall[]): Pick<SummarizedPlan, 'cost'> {
  const cost = costOf(calls, prices)
  return cost === undefined ? {} : { cost }
}

/** Makes the bundle and saves it, as for any other log: at the time that the job fixed, its archive made by `submitBatch`. */
async function finish(
  engine: Engine,
  job: BatchJob,
  { entry, stored: { session }, facts }: SessionWork,
  summarized: SummarizedPlan,
): Promise<CompressedLog> {
  const { track, task, dropUnverified } = job.options
  const { createdAt, random, archived } = entry
  const { store, signal } = engine
  const options = planOptionsOf(job.options, engine.counter)
  const plan = planBundle(session, facts, options)
  const redaction = createRedaction(engine.redactors)
  const memory = await findMemory(session, store, track)
  return await finishLog({ session, facts, plan, redaction, ...(memory && { memory }) }, summarized, {
    ...options,
    track,
    task,
    dropUnverified,
    store,
    signal,
    archived,
    now: new Date(createdAt),
    random: () => random,
    keepStored: true,
  })
}

/** What is wrong with the session itself: it would fail again, and must not stop the others. */
const sessionFaults: readonly ErrorCode[] = ['invalid-bundle', 'budget-too-small', 'secret-left']

function asSessionFault(error: unknown): TenfoldError {
  if (TenfoldError.isInstance(error) && sessionFaults.includes(error.code)) return error
  throw error
}

/** The call that a row represents; none if no answer began, because then nothing was billed. */
function callOf(job: BatchJob, work: SessionWork, request: SentWithRow): SummarizerCall[] {
  const { row } = request
  if (row === undefined || (row.reply === undefined && row.error.usage === undefined)) return []
  const { reply, error } = row
  const of = work.entry.parts.length
  const purpose = of > 1 ? `part ${partNumber(work.entry, request)}/${of}` : 'summarize'
  const requestId = reply?.requestId ?? error?.requestId
  return [
    {
      summarizer: job.provider,
      model: reply?.model ?? job.model,
      purpose: request.repair === true ? `${purpose} repair` : purpose,
      ...(requestId === undefined ? {} : { requestId: cleanLine(requestId) }),
      ...(reply === undefined ? {} : { stop: reply.stop }),
      tier: 'batch',
      ...(error === undefined ? {} : { error: cleanLine(`${error.reason}: ${error.message}`), begun: true }),
      usage: reply?.usage ?? error?.usage ?? {},
    },
  ]
}
