import { randomBytes, randomInt } from 'node:crypto'
import {
  type ArchivableLog,
  type BudgetOptions,
  type BundleKind,
  type CallEstimate,
  carriedBeside,
  condenseTranscript,
  createRedaction,
  extractFacts,
  newBundleId,
  planBundle,
  type Session,
  type Summarizer,
  splitTranscript,
  summaryBudget,
  type TokenCounter,
  tiktokenCounter,
  transcriptTokens,
} from '@tenfold/core'
import { modelSummarizer } from '../../model/model-summarizer.ts'
import { promptVersion } from '../../model/prompt.ts'
import { wireJsonSchema } from '../../model/wire-schema.ts'
import { ModelError } from '../../provider/model.ts'
import { BatchError } from '../batch-error.ts'
import {
  type BatchJob,
  canonicalHash,
  customIdOf,
  type JobOptions,
  type JobSession,
  type Range,
} from '../store/batch-job.ts'
import { jobPrefix } from '../store/job-keys.ts'
import { withLease } from '../store/job-lease.ts'
import { createJob, putSession, readJob } from '../store/job-store.ts'
import type { BatchProvider, BatchRequest } from '../vendor/batch-provider.ts'
import { advanceJob } from './advance-job.ts'
import { carriedFor } from './carried-for.ts'
import { checkBatchOptions, type Engine, type EngineOptions, makeEngine } from './engine.ts'
import { planOptionsOf } from './plan-session.ts'
import { withRetries } from './retry.ts'
import { sizeOf } from './send-requests.ts'
import { modelRequestOf } from './session-work.ts'

/** A session to be summarized in a batch. */
export interface BatchSession {
  /** Redacted: it is stored with the job, and the part to be read goes to the vendor. */
  readonly session: Session
  /** Name of the log. */
  readonly name: string
  /** The log itself, to be archived in the store before anything is sent. @default not archived */
  readonly log?: ArchivableLog
}

export interface SubmitBatchOptions extends EngineOptions, BudgetOptions {
  readonly sessions: AsyncIterable<BatchSession> | Iterable<BatchSession>
  /** @default 'context' */
  readonly kind?: BundleKind | undefined
  /** @default 'main' */
  readonly track?: string | undefined
  readonly task?: string | undefined
  /** Drop statements that the log does not confirm instead of flagging them. @default false */
  readonly dropUnverified?: boolean | undefined
  /** Called for every request before any is sent; throws if the limits of the caller do not allow it. */
  readonly admit?: ((estimate: CallEstimate) => void) | undefined
  /**
   * Have the vendor check the first request before anything is sent, if that is free: Anthropic checks the
   * requests of a batch only when it runs them. @default true
   */
  readonly check?: boolean | undefined
}

/** A batch job that was sent, with what is known of it at once. */
export interface SubmittedBatch {
  readonly job: string
  readonly sessions: number
  readonly requests: number
  /** Summed over all requests. */
  readonly estimate: { readonly inputTokens: number; readonly maxOutputTokens: number }
  /** Batches at the vendor. */
  readonly batches: readonly string[]
  /** Batches whose submission got no answer; whether they exist is known when the vendor has ended them. */
  readonly unconfirmed: number
}

/**
 * Stores the sessions as a job, then sends all requests in as few batches as the vendor's limits allow. If anything
 * fails after the job is stored, {@link collectBatch} continues from there. Throws TypeError or RangeError for invalid
 * options before a session is read; what `admit` throws, with nothing sent or kept; and BatchError `batch-refused` if
 * the vendor accepts no batch and `batch-call-failed` if it is not reached.
 */
export async function submitBatch(options: SubmitBatchOptions): Promise<SubmittedBatch> {
  checkBatchOptions(options)
  const { store, provider, signal } = options
  const nonce = newNonce()
  const createdAt = new Date().toISOString()
  const id = `${createdAt.replace(/[-:]|\.\d+/g, '')}-${nonce}`
  const draft = jobOf(id, nonce, createdAt, options)
  const engine = makeEngine(draft, { ...options, counter: options.counter ?? tiktokenCounter() })
  const redaction = createRedaction(engine.redactors)
  const summarizer = sizesOf(provider, engine.counter)
  const estimate = { inputTokens: 0, maxOutputTokens: 0 }
  const sessions: JobSession[] = []
  const ids = new Set<string>()
  let requests = 0
  let first: BatchRequest | undefined
  try {
    for await (const one of options.sessions) {
      signal?.throwIfAborted()
      const archived = one.log !== undefined
      if (one.log !== undefined)
        await store.archive(one.log, one.session.source, signal === undefined ? {} : { signal })
      const facts = extractFacts(one.session)
      const plan = planBundle(one.session, facts, planOptionsOf(draft.options, engine.counter))
      const { items, parts } = partsOf(condenseTranscript(plan, plan.transcript, summarizer), {
        maxTokens: summarizer.contextWindow ?? 0,
        counter: engine.counter,
      })
      const carried = await carriedFor(one.session, facts, { ...options, redaction })
      const tokens = transcriptTokens(items.slice(parts.at(-1)?.first), engine.counter)
      const stored = {
        session: one.session,
        items,
        summaryBudget: summaryBudget(plan.budget),
        sourceTokens: plan.tokens.total,
        carried,
        shown: carriedBeside(carried, { tokens, contextWindow: summarizer.contextWindow }, engine.counter),
      }
      const n = sessions.length + 1
      const entry: JobSession = {
        n,
        name: one.name,
        title: one.session.title,
        source: one.session.source.sha256,
        digest: await putSession(store.storage, id, n, stored),
        ...newBundle(ids, await timeOf(options, one.session)),
        archived,
        parts,
      }
      for (const range of parts) {
        const work = { entry, stored, facts, kind: draft.options.kind, sent: [] }
        const request = modelRequestOf(engine, draft, work, { range, step: 'send' })
        if (request === undefined) continue
        const row = { customId: customIdOf(nonce, 1, n, range), request }
        sizeOf(engine, row, n)
        first ??= row
        const { inputTokens, maxOutputTokens } = request
        options.admit?.({
          summarizer: provider.name,
          model: provider.model,
          inputTokens,
          maxOutputTokens,
          tier: 'batch',
        })
        estimate.inputTokens += inputTokens
        estimate.maxOutputTokens += maxOutputTokens
      }
      sessions.push(entry)
      requests += parts.length
      engine.report({ step: 'session-stored', n, name: one.name, requests: parts.length })
    }
    if (first !== undefined && (options.check ?? true)) await checkRequest(engine, first)
  } catch (error) {
    // Objects that cannot be deleted belong to no job and do no harm.
    await deleteObjects(options, id).catch(() => undefined)
    throw error
  }
  if (sessions.length === 0) throw new RangeError('expected at least one session, got none')
  await createJob(store.storage, { ...draft, sessions })
  engine.report({ step: 'job-stored', job: id, requests })
  const lease = { signal: engine.signal, leaseMs: engine.limits.leaseMs, wait: true }
  await withLease(store.storage, id, lease, (inner) => advanceJob({ ...engine, signal: inner }))
  const { attempts } = await readJob(store.storage, id)
  return {
    job: id,
    sessions: sessions.length,
    requests,
    estimate,
    batches: attempts.flatMap(({ batchId }) => (batchId === undefined ? [] : [batchId])),
    unconfirmed: attempts.filter(({ state }) => state === 'submitting').length,
  }
}

function jobOf(job: string, nonce: string, createdAt: string, options: SubmitBatchOptions): BatchJob {
  const { provider, counter = tiktokenCounter(), kind = 'context' } = options
  const { track, task, dropUnverified, maxRatio, minRatio, maxTokens, minSourceTokens, maxReadRatio } =
    options
  const { contextWindow, maxOutputTokens, maxInputTokens = contextWindow, tokenFactor } = provider.window
  const given = { track, task, dropUnverified, maxRatio, minRatio, maxTokens, minSourceTokens, maxReadRatio }
  const jobOptions: JobOptions = {
    kind,
    counter: counter.name,
    maxOutputTokens,
    ...(options.admit === undefined ? {} : { sizedOutput: true }),
    maxInputTokens: Math.min(contextWindow - maxOutputTokens, maxInputTokens),
    tokenFactor,
    ...Object.fromEntries(Object.entries(given).filter(([, value]) => value !== undefined)),
  }
  return {
    schemaVersion: 1,
    job,
    nonce,
    createdAt,
    provider: provider.name,
    model: provider.model,
    endpoint: provider.endpoint,
    keyFingerprint: provider.keyFingerprint,
    promptVersion,
    schemaHash: canonicalHash(wireJsonSchema(kind)).slice(0, 12),
    options: jobOptions,
    sessions: [],
    attempts: [],
  }
}

/** Throws BatchError `batch-refused` if the vendor says that the request would fail. */
async function checkRequest(engine: Engine, row: BatchRequest): Promise<void> {
  const { provider, signal, limits, report } = engine
  try {
    const retries = { signal, pauseMs: limits.pauseMs, tries: limits.tries, report }
    await withRetries(async () => await provider.check?.(row, { signal }), retries)
  } catch (error) {
    if (!(error instanceof ModelError)) throw error
    throw new BatchError(
      'batch-refused',
      `${provider.name} would not run these requests: ${error.message} Nothing was sent.`,
      { cause: error },
    )
  }
}

/** A summarizer of the provider's window, for the sizes of requests; it calls no model. */
function sizesOf({ name, window }: BatchProvider, counter: TokenCounter): Summarizer {
  const call = () => Promise.reject(new Error('never called'))
  return modelSummarizer({ name, call, counter, ...window })
}

/** Parts as ranges over one list of items; an item larger than a part is shortened. */
function partsOf(
  transcript: Parameters<typeof splitTranscript>[0],
  options: Parameters<typeof splitTranscript>[1],
): { items: ReturnType<typeof splitTranscript>[number]; parts: Range[] } {
  const split = splitTranscript(transcript, options)
  let first = 0
  const parts = split.map((part) => {
    const range = { first, last: first + part.length }
    first = range.last
    return range
  })
  return { items: split.flat(), parts }
}

/** When a session ended, as the ids of a store have it. */
async function timeOf({ store, track = 'main' }: SubmitBatchOptions, session: Session): Promise<Date> {
  const ended = Date.parse(session.endedAt ?? '')
  return await store.nextTime(track, Number.isNaN(ended) ? {} : { endedAt: new Date(ended) })
}

/** Time and random part of a bundle's id that no other session of the job has. */
function newBundle(ids: Set<string>, time: Date): { createdAt: string; random: number } {
  for (;;) {
    const random = randomInt(1e9) / 1e9
    const id = newBundleId(time, () => random)
    if (ids.has(id)) continue
    ids.add(id)
    return { createdAt: time.toISOString(), random }
  }
}

const letters = 'abcdefghijklmnopqrstuvwxyz'

function newNonce(): string {
  const rest = [...randomBytes(9)].map((byte) => (byte % 36).toString(36)).join('')
  return `${letters[randomInt(26)]}${rest}`
}

/** Deletes what was stored of a job that failed to be created. */
async function deleteObjects({ store }: SubmitBatchOptions, job: string): Promise<void> {
  const keys: string[] = []
  for await (const { key } of store.storage.list(jobPrefix(job))) keys.push(key)
  for (const key of keys) await store.storage.delete(key)
}
