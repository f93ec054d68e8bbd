import {
  type ErrorCode,
  finishLog,
  type SummarizedPlan,
  type Summarizer,
  type SummarizerCall,
  SummarizerError,
  TenfoldError,
} from '@tenfold/core'
import { planBundle } from '@tenfold/core/facts'
import { cleanLine, costOf, findMemory, mergeSummaries, type SummarizedPart } from '@tenfold/core/internal'
import { known } from '@tenfold/core/internal/summarizer'
import { createRedaction } from '@tenfold/core/redact'
import type { Engine } from './engine.ts'
import type { DoneSession, FallbackSummary, Range } from './job.ts'
import { fallbackOnce, putDone } from './job-store.ts'
import {
  type PartStep,
  partNumber,
  type SentWithRow,
  type SessionWork,
  summaryRequestOf,
} from './session-parts.ts'

type FailedPart = Extract<PartStep, { step: 'failed' }>

/** Errors of the session itself, which would recur and must not stop the others. */
const sessionFaults: readonly ErrorCode[] = [
  'summarizer-failed',
  'invalid-bundle',
  'budget-too-small',
  'secret-left',
]

/**
 * Makes and saves the bundle of a session whose parts are all summarized or failed; does not save it if the session had
 * nothing to remember. The fallback summarizes failed parts. Without a fallback, or if it fails too, the session is
 * recorded as failed, with all billed calls.
 */
export async function finishSession(engine: Engine, work: SessionWork): Promise<DoneSession> {
  const { n } = work.entry
  const calls = work.sent.flatMap((request) => callOf(work, request))
  try {
    const summarized = await summarizedBy(engine, work)
    calls.push(...summarized.calls)
    const { bundle, stored } = await finish(engine, work, { ...summarized, calls })
    if (stored === undefined) return await putDone(engine, { n, state: 'trivial', calls })
    const { fallback } = summarized
    return await putDone(engine, { n, state: 'saved', bundleId: bundle.id, ...known({ fallback }), calls })
  } catch (error) {
    // Recognized by brand and code, so that it works across copies of the package.
    if (!TenfoldError.isInstance(error) || !sessionFaults.includes(error.code)) throw error
    if (error.code === 'summarizer-failed') calls.push(...(error as SummarizerError).calls)
    return await putDone(engine, { n, state: 'failed', reason: error.message, calls })
  }
}

/** Combines the parts of a session. Throws SummarizerError if a part failed and no fallback summarizes it. */
async function summarizedBy({ fallback, ...engine }: Engine, work: SessionWork): Promise<SummarizedPlan> {
  const { job } = work
  const failed = work.parts.filter((part) => part.step === 'failed')
  const because = (part: FailedPart) => `${placeOf(work, part.range)}${part.reason}`
  if (failed[0] !== undefined && fallback === undefined) {
    const why = failed.map((part) => `${because(part)}: ${part.message}`).join('; ')
    const { reason } = failed[0]
    throw new SummarizerError(`${why}; with a fallback, collecting again saves the session`, { reason })
  }
  const summarized: SummarizedPart[] = []
  const others: FallbackSummary[] = []
  for (const part of work.parts) {
    if (part.step === 'summarized') summarized.push({ summary: part.summary, ...eventsOf(work, part.range) })
    if (part.step !== 'failed' || fallback === undefined) continue
    const other = await fallbackFor({ ...engine, fallback }, work, part.range)
    summarized.push({ summary: other.summary, ...eventsOf(work, part.range) })
    others.push(other)
  }
  const first = others.length === summarized.length ? others[0] : undefined
  const { summarizer, model, promptVersion } = first ?? { ...job, summarizer: job.provider }
  const reasons = [...new Set(failed.map(because))].join('; ')
  return {
    summary: mergeSummaries(summarized, { maxTokens: work.stored.summaryBudget, counter: engine.counter }),
    summarizer,
    ...known({ model, promptVersion }),
    calls: others.flatMap(({ calls }) => calls),
    notes: failed.map(({ range, message }) => ({
      code: 'summarizer-failed',
      message: `${job.provider}: ${placeOf(work, range)}${message}`,
    })),
    ...(reasons !== '' && { fallback: cleanLine(`${job.provider}: ${reasons}`) }),
    settled: settledBy(work),
  }
}

/** The answers' claims about carried items, with each item in full length. */
function settledBy({ parts, stored }: SessionWork): NonNullable<SummarizedPlan['settled']> {
  const whole = new Map(stored.carried.map((item) => [item.id, item]))
  return parts
    .flatMap((part) => (part.step === 'summarized' ? part.settled : []))
    .map(({ id, event }) => ({ id, event, ...known({ item: whole.get(id) }) }))
}

/** First and last event of a part. */
function eventsOf({ stored }: SessionWork, range: Range): Pick<SummarizedPart, 'first' | 'last'> {
  const first = stored.items[range.first]?.event ?? 'e1'
  const end = stored.items[range.last - 1]
  return { first, last: end?.until ?? end?.event ?? first }
}

async function fallbackFor(
  engine: Engine & { readonly fallback: Summarizer },
  work: SessionWork,
  range: Range,
): Promise<FallbackSummary> {
  const { fallback, signal } = engine
  return await fallbackOnce(engine, work.entry.n, range, async () => {
    const { carried: _, ...request } = summaryRequestOf(work, range)
    const { promptVersion, summary, calls } = await fallback.summarize(request, { signal })
    return { summarizer: fallback.name, model: fallback.model, promptVersion, summary, calls: [...calls] }
  })
}

/** Such as `part 2 of 3, `. Empty if the session has only one part. */
function placeOf({ entry }: SessionWork, range: Range): string {
  const of = entry.parts.length
  return of > 1 ? `part ${partNumber(entry, range)} of ${of}, ` : ''
}

/** Makes and saves the bundle, with the time that the job fixed. `submitBatch` already archived the log. */
async function finish(
  { counter, store, signal, redactors, prices }: Engine,
  { job, entry, stored: { session }, facts }: SessionWork,
  summarized: SummarizedPlan,
): ReturnType<typeof finishLog> {
  const options = { ...job.options, counter }
  const plan = planBundle(session, facts, options)
  const redaction = createRedaction(redactors)
  const memory = await findMemory(session, store, options.track)
  const prepared = { session, facts, plan, redaction, ...(memory && { memory }) }
  const cost = costOf(summarized.calls, prices)
  const { createdAt, random, archived } = entry
  return await finishLog(
    prepared,
    { ...summarized, ...known({ cost }) },
    {
      ...options,
      store,
      signal,
      archived,
      now: new Date(createdAt),
      random: () => random,
      keepStored: true,
    },
  )
}

/** The call of a row. None if no answer began, because then nothing was billed. */
function callOf({ job, entry }: SessionWork, { row, repair, ...range }: SentWithRow): SummarizerCall[] {
  if (row === undefined || (row.reply === undefined && row.error.usage === undefined)) return []
  const { reply, error } = row
  const of = entry.parts.length
  const purpose = of > 1 ? `part ${partNumber(entry, range)}/${of}` : 'summarize'
  const requestId = reply?.requestId ?? error?.requestId
  return [
    {
      summarizer: job.provider,
      model: reply?.model ?? job.model,
      purpose: repair ? `${purpose} repair` : purpose,
      ...(requestId !== undefined && { requestId: cleanLine(requestId) }),
      ...(reply !== undefined && { stop: reply.stop }),
      tier: 'batch',
      ...(error !== undefined && { error: cleanLine(`${error.reason}: ${error.message}`), begun: true }),
      usage: reply?.usage ?? error?.usage ?? {},
    },
  ]
}
