import { type BudgetOptions, type BundleKind, type TokenCounter, tiktokenCounter } from '@tenfold/core'
import type { CallEstimate } from '@tenfold/core/summarizer'
import { promptVersion } from '../../model/prompt.ts'
import { wireJsonSchema } from '../../model/wire-schema.ts'
import { type BatchJob, canonicalHash, type JobOptions } from '../store/batch-job.ts'
import type { BatchProvider } from '../vendor/batch-provider.ts'

/** What shapes the bundles of a job. */
export interface BatchBundleOptions extends BudgetOptions {
  /** The batch API of a vendor. */
  readonly provider: BatchProvider
  /** @default tiktokenCounter('o200k_base') */
  readonly counter?: TokenCounter | undefined
  /** @default 'context' */
  readonly kind?: BundleKind | undefined
  /** @default 'main' */
  readonly track?: string | undefined
  /** Name of the task that the bundles belong to. */
  readonly task?: string | undefined
  /** Drop statements that the log does not confirm instead of flagging them. @default false */
  readonly dropUnverified?: boolean | undefined
  /** Called for every request before any is sent; throws if the limits of the caller do not allow it. */
  readonly admit?: ((estimate: CallEstimate) => void) | undefined
}

/** A job without sessions: how the bundles of all that it gets are made. */
export function jobOf(job: string, nonce: string, createdAt: string, options: BatchBundleOptions): BatchJob {
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
