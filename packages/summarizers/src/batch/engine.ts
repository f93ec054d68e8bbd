import {
  type BundleStore,
  type PriceTable,
  type Redactor,
  type Summarizer,
  secretRedactor,
  TenfoldError,
  type TokenCounter,
  tiktokenCounter,
} from '@tenfold/core'
import { checkBundleOptions, defaultPrices, takeLease } from '@tenfold/core/internal'
import { backoff, sleep } from '@tenfold/core/internal/locks'
import type { AbortableOptions } from '@tenfold/core/storage'
import { ModelError } from '../provider/model.ts'
import { BatchError, takenOver } from './batch-error.ts'
import type { BatchReport } from './batch-event.ts'
import type { BatchJob } from './job.ts'
import { type JobPlace, jobKey } from './job-store.ts'
import type { BatchProvider } from './provider.ts'

/** Limits and times for work on a job. */
export interface BatchLimits {
  /** Maximum requests for one part of a session, including repairs. @default 3 */
  readonly maxSends?: number
  /** Maximum requests per batch, if lower than the vendor's limit. @default the vendor's limit */
  readonly maxRequests?: number
  /** Maximum bytes per batch, if lower than the vendor's limit. @default the vendor's limit */
  readonly maxBytes?: number
  /** How long, in milliseconds, a dead process blocks the job for others. @default 30 000 */
  readonly leaseMs?: number
  /** How long, in milliseconds, a batch may take to appear in the vendor's list. @default 60 000 */
  readonly settleMs?: number
  /** First pause before a failed call is retried, in milliseconds. @default 1000 */
  readonly pauseMs?: number
  /** Maximum tries of one call. @default 5 */
  readonly tries?: number
  /** How long, in milliseconds, requests wait after the vendor refused them for a rate limit. @default 600 000 */
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

/** Vendor, store and options of a job. */
export interface EngineOptions extends AbortableOptions {
  /** The batch API of a vendor. */
  readonly provider: BatchProvider
  /** The store for bundles. Its storage also keeps the job, below `batches/`. */
  readonly store: BundleStore
  /** Counter of the job. @default the tiktoken counter that the job names */
  readonly counter?: TokenCounter | undefined
  /** Redact the model's answers. @default [secretRedactor()] */
  readonly redactors?: readonly Redactor[] | undefined
  /** @default defaultPrices */
  readonly prices?: PriceTable | undefined
  /** Limits for the job. */
  readonly limits?: BatchLimits | undefined
  /** Called with each event. */
  readonly report?: BatchReport | undefined
}

type Filled<T> = { readonly [Name in keyof T]-?: NonNullable<T[Name]> }

/** Everything needed to process one job. */
export interface Engine extends JobPlace, Filled<Omit<EngineOptions, 'limits'>> {
  readonly limits: Required<BatchLimits>
  /** Resend requests that are or may be lost, even if they are billed twice. */
  readonly resubmitUncertain: boolean
  /** Send pending requests. */
  readonly resubmit: boolean
  readonly fallback: Summarizer | undefined
}

/** Checks options before anything is read or sent. Throws a TypeError or RangeError that names the invalid option. */
export function checkBatchOptions(options: EngineOptions): void {
  checkBundleOptions({ ...options, store: options.store ?? null })
  if (typeof options.provider?.submit !== 'function')
    throw new TypeError('expected provider to be a BatchProvider, such as `await anthropicBatch({ model })`')
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
    fallback: options.fallback,
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

/**
 * Works on a job while no other process does. Returns undefined if another process does and `wait` is false. Throws
 * BatchError `batch-call-failed` if a call to the vendor failed permanently, and `batch-taken-over` if another process
 * took over the job because this one had stalled.
 */
export async function underLease<T>(
  engine: Engine,
  wait: boolean,
  work: (engine: Engine) => Promise<T>,
): Promise<T | undefined> {
  const { signal, limits, job, report, storage } = engine
  const options = { signal, leaseMs: limits.leaseMs, wait, onWait: () => report({ step: 'busy' }) }
  const held = await takeLease(storage, jobKey(job, 'lease.json'), options)
  if (held === undefined) return undefined
  try {
    return await work({ ...engine, signal: AbortSignal.any([signal, held.signal]) })
  } catch (error) {
    if (held.signal.aborted && !signal.aborted) throw takenOver(job)
    if (!(error instanceof ModelError)) throw error
    const message = `${error.message} (batch job ${job} is stored; collect it to continue)`
    throw new BatchError('batch-call-failed', message, { cause: error })
  } finally {
    await held.release()
  }
}

// Simpler than the retries of `callModel`: a sent batch runs whatever happens here, so retries are not billed.
/** Retries a call without effects at the vendor, as long as it fails temporarily. */
export async function withRetries<T>(
  engine: Engine,
  call: (options: { readonly signal: AbortSignal }) => Promise<T>,
): Promise<T> {
  for (let attempt = 1; ; attempt++) {
    try {
      return await call({ signal: engine.signal })
    } catch (error) {
      await pauseAfter(engine, error, attempt)
    }
  }
}

const maxPause = 60_000

/**
 * Waits before try `attempt + 1`, as long as the vendor asks for, up to a minute. Throws the error if it is permanent
 * or after the last try.
 */
export async function pauseAfter(engine: Engine, error: unknown, attempt: number): Promise<void> {
  const { signal, limits, report } = engine
  signal.throwIfAborted()
  if (!(error instanceof ModelError && error.retryable) || attempt >= limits.tries) throw error
  const times = { firstMs: limits.pauseMs, mostMs: maxPause, askedMs: error.retryAfterMs }
  const waitMs = Math.min(maxPause, Math.round(backoff(attempt - 1, times)))
  report({ step: 'retry', reason: error.message, waitMs })
  await sleep(waitMs, signal)
}

/** Returns an error that concerns one batch or one session, and throws any other. */
export function asFault(error: unknown): TenfoldError {
  if (TenfoldError.isInstance(error) && error.code !== 'batch-taken-over') return error
  throw error
}
