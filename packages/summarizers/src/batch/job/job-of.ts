import { tiktokenCounter } from '@tenfold/core'
import { promptVersion } from '../../model/prompt.ts'
import { wireJsonSchema } from '../../model/wire-schema.ts'
import { type BatchJob, canonicalHash, type JobOptions } from '../store/batch-job.ts'
import type { SubmitBatchOptions } from './submit-batch.ts'

/** What shapes the bundles of a job. */
export type MadeSo = Omit<SubmitBatchOptions, 'sessions' | 'store'>

/** A job without sessions: how the bundles of all that it gets are made. */
export function jobOf(job: string, nonce: string, createdAt: string, options: MadeSo): BatchJob {
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
