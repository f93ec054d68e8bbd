import {
  type BundleStore,
  type PriceTable,
  type Redactor,
  type Storage,
  type Summarizer,
  secretRedactor,
  TenfoldError,
  type TokenCounter,
  tiktokenCounter,
} from '@tenfold/core'
import { checkBundleOptions, defaultPrices } from '@tenfold/core/internal'
import type { AbortableOptions } from '@tenfold/core/storage'
import { BatchError } from '../batch-error.ts'
import type { BatchReport } from '../batch-event.ts'
import type { BatchJob } from '../store/batch-job.ts'
import { readJob } from '../store/job-store.ts'
import type { BatchProvider } from '../vendor/batch-provider.ts'
import { listJobs } from './list-jobs.ts'

/** Limits and times of the work on a job. */
export interface BatchLimits {
  /** Most requests for one part of a session, repairs included. @default 3 */
  readonly maxSends?: number
  /** Most requests of one batch, if fewer than the vendor accepts. @default what the vendor accepts */
  readonly maxRequests?: number
  /** Most bytes of one batch, if fewer than the vendor accepts. @default what the vendor accepts */
  readonly maxBytes?: number
  /** How long, in milliseconds, a process that died keeps others from the job. @default 30 000 */
  readonly leaseMs?: number
  /** How long, in milliseconds, a batch may take to appear in the vendor's list. @default 60 000 */
  readonly settleMs?: number
  /** First pause before a failed call is retried, in milliseconds. @default 1000 */
  readonly pauseMs?: number
  /** Most tries of one call. @default 5 */
  readonly tries?: number
  /** How long requests wait, in milliseconds, after the vendor refused them for a rate limit. @default 600 000 */
  readonly rateLimitMs?: number
}

const defaults = {
  maxSends: 3,
  maxRequests: Number.POSITIVE_INFINITY,
  maxBytes: Number.POSITIVE_INFINITY,
  leaseMs: 30_000,
  settleMs: 60_000,
  pauseMs: 1000,
  tries: 5,
  rateLimitMs: 600_000,
}

export interface EngineOptions extends AbortableOptions {
  /** The batch API of a vendor. */
  readonly provider: BatchProvider
  /** Bundles go here; the job is kept in its storage, below `batches/`. */
  readonly store: BundleStore
  /** Counter of the job. @default the tiktoken counter that the job names */
  readonly counter?: TokenCounter | undefined
  /** Redact what a model said. @default [secretRedactor()] */
  readonly redactors?: readonly Redactor[] | undefined
  /** @default defaultPrices */
  readonly prices?: PriceTable | undefined
  /** What the job may cost. */
  readonly limits?: BatchLimits | undefined
  /** Called with each step. */
  readonly report?: BatchReport | undefined
}

/** Everything needed to process one job. */
export interface Engine {
  readonly provider: BatchProvider
  readonly store: BundleStore
  readonly storage: Storage
  readonly job: string
  readonly counter: TokenCounter
  readonly redactors: readonly Redactor[]
  readonly prices: PriceTable
  readonly limits: Required<BatchLimits>
  readonly signal: AbortSignal
  readonly report: BatchReport
  /** Resend what is lost or may be lost: the operator accepts that it may be billed twice. */
  readonly resubmitUncertain: boolean
  /** Send what must be sent. */
  readonly resubmit: boolean
  readonly fallback?: Summarizer
}

/** Checks options before anything is read or sent. Throws TypeError or RangeError that names the faulty option. */
export function checkBatchOptions(options: EngineOptions): void {
  checkBundleOptions({ ...options, store: options.store ?? null })
  if (typeof options.provider?.submit !== 'function')
    throw new TypeError(
      'expected provider to be a BatchProvider, such as the result of anthropicBatch({ model })',
    )
  limitsOf(options.limits)
}

/** Throws BatchError `batch-mismatch` if the job was made for another provider, model, endpoint or counter. */
export function makeEngine(
  job: BatchJob,
  options: EngineOptions & {
    readonly [K in 'resubmit' | 'resubmitUncertain' | 'fallback']?: Engine[K] | undefined
  },
): Engine {
  const { provider, store } = options
  for (const [name, wanted, given] of [
    ['provider', job.provider, provider.name],
    ['model', job.model, provider.model],
    ['endpoint', job.endpoint, provider.endpoint],
  ] as const)
    if (wanted !== given)
      throw new BatchError(
        'batch-mismatch',
        `Batch job ${job.job} was made with the ${name} ${wanted}, not ${given}. Run it with ${wanted}.`,
      )
  return {
    provider,
    store,
    storage: store.storage,
    job: job.job,
    counter: counterOf(job, options.counter),
    redactors: options.redactors ?? [secretRedactor()],
    prices: options.prices ?? defaultPrices,
    limits: limitsOf(options.limits),
    signal: options.signal ?? new AbortController().signal,
    report: options.report ?? (() => undefined),
    resubmit: options.resubmit ?? true,
    resubmitUncertain: options.resubmitUncertain ?? false,
    ...(options.fallback === undefined ? {} : { fallback: options.fallback }),
  }
}

/** Fills in the default limits. Throws RangeError for limits that make no sense. */
function limitsOf(limits: BatchLimits = {}): Required<BatchLimits> {
  const given = Object.entries(limits).filter(([, value]) => value !== undefined)
  for (const [name, value] of given)
    if (!(value >= (name.endsWith('Ms') ? 0 : 1)))
      throw new RangeError(`expected ${name} of at least ${name.endsWith('Ms') ? 0 : 1}, got ${value}`)
  return { ...defaults, ...Object.fromEntries(given) }
}

/** Batches of all jobs in the store except those of one attempt, whose search can skip them. */
export async function knownBatches(engine: Engine, attempt: number): Promise<Set<string>> {
  const known = new Set<string>()
  for (const name of await listJobs(engine.storage)) {
    const job = await readJob(engine.storage, name)
    for (const { n, batchId } of job.attempts)
      if (batchId !== undefined && !(name === engine.job && n === attempt)) known.add(batchId)
  }
  return known
}

function counterOf(job: BatchJob, given: TokenCounter | undefined): TokenCounter {
  const counter = given ?? builtInCounter(job.options.counter)
  if (counter?.name === job.options.counter) return counter
  throw new BatchError(
    'batch-mismatch',
    `Batch job ${job.job} was planned with the token counter ${job.options.counter}. Run it with that counter.`,
  )
}

function builtInCounter(name: string): TokenCounter | undefined {
  try {
    return tiktokenCounter(name as Parameters<typeof tiktokenCounter>[0])
  } catch (error) {
    if (TenfoldError.isInstance(error) && error.code === 'unknown-encoding') return undefined
    throw error
  }
}
