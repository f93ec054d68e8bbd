import {
  assembleClean,
  type ContextBundle,
  cleanLine,
  costOf,
  createRedaction,
  findMemory,
  isTrivial,
  type MadeBundle,
  mergeSummaries,
  type Note,
  planBundle,
  type SummarizedPart,
  type SummarizedPlan,
  type Summarizer,
  type SummarizerCall,
  SummarizerError,
  TenfoldError,
} from '@tenfold/core'
import type { BatchJob } from '../store/batch-job.ts'
import { type DoneSession, type FallbackSummary, fallbackOnce, putDone } from '../store/job-store.ts'
import type { Engine } from './engine.ts'
import { planOptionsOf } from './plan-session.ts'
import type { PartStep } from './resolve-parts.ts'
import { partNumber, type SentWithRow, type SessionWork, summaryRequestOf } from './session-work.ts'

type FailedPart = Extract<PartStep, { step: 'failed' }>

/**
 * Makes the bundle of a session whose parts are all summarized or failed, and saves it unless the session left nothing
 * to remember; the fallback summarizes the parts that failed. Without one, or if it fails too, the session is recorded as failed, with everything that was billed for
 * it.
 */
export async function finishSession(engine: Engine, job: BatchJob, work: SessionWork): Promise<DoneSession> {
  const { entry } = work
  const calls = work.sent.flatMap((request) => callOf(job, work, request))
  const failed = work.parts.filter((part) => part.step === 'failed')
  const summarized = await summarizedBy(engine, job, work, failed)
  const all = [...calls, ...summarized.calls]
  const made = isSummarizerError(summarized)
    ? summarized
    : await bundleOrFault(engine, job, work, { ...summarized, calls: all, ...costIn(engine, all) })
  if (TenfoldError.isInstance(made))
    return await putDone(engine.storage, job.job, {
      n: entry.n,
      state: 'failed',
      reason: made.message,
      calls: all,
    })
  if (isTrivial(made))
    return await putDone(engine.storage, job.job, { n: entry.n, state: 'trivial', calls: all })
  const saved = await saveOnce(engine, made.bundle)
  return await putDone(engine.storage, job.job, {
    n: entry.n,
    state: 'saved',
    bundleId: saved.id,
    ...('fallback' in summarized ? { fallback: summarized.fallback } : {}),
    calls: all,
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
    ...(model === undefined ? {} : { model }),
    ...(promptVersion === undefined ? {} : { promptVersion }),
    calls: others.flatMap((other) => other.calls),
    notes: failed.map((part) => failureNote(job, work, part)),
    ...(failed.length === 0 ? {} : { fallback: fallbackLine(job, work, failed) }),
  }
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
      const result = await fallback.summarize(summaryRequestOf(work, part.range), { signal: engine.signal })
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

/** Records the failure of a session for which no bundle can be made, so that it does not stop the others. */
async function bundleOrFault(
  engine: Engine,
  job: BatchJob,
  work: SessionWork,
  summarized: SummarizedPlan,
): Promise<MadeBundle | TenfoldError> {
  try {
    return await makeBundle(engine, job, work, summarized)
  } catch (error) {
    if (TenfoldError.isInstance(error)) return error
    throw error
  }
}

async function makeBundle(
  engine: Engine,
  job: BatchJob,
  work: SessionWork,
  summarized: SummarizedPlan,
): Promise<MadeBundle> {
  const { track, task, dropUnverified } = job.options
  const { createdAt, random, archived } = work.entry
  const { session } = work.stored
  const { facts } = work
  const options = planOptionsOf(job.options, engine.counter)
  const plan = planBundle(session, facts, options)
  const redaction = createRedaction(engine.redactors)
  const memory = await findMemory(session, engine.store, track)
  const made = assembleClean({ session, facts, plan, redaction }, summarized, {
    ...options,
    track,
    task,
    dropUnverified,
    now: new Date(createdAt),
    random: () => random,
    archived,
    ...(memory !== undefined && { memory }),
  })
  return { ...made, memory }
}

/** Saves a bundle. If an earlier run saved it with other content (by another version), that one is kept. */
async function saveOnce(engine: Engine, bundle: ContextBundle): Promise<ContextBundle> {
  try {
    await engine.store.save(bundle, { signal: engine.signal })
    return bundle
  } catch (error) {
    if (!(TenfoldError.isInstance(error) && error.code === 'storage-conflict')) throw error
    const stored = await engine.store.load(bundle.id)
    await engine.store.save(stored, { signal: engine.signal })
    return stored
  }
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
