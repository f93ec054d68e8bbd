import { createHash } from 'node:crypto'
import { type Session, type SessionSummary, type SummarizerCall, sessionSummarySchema } from '@tenfold/core'
import { bundleKinds } from '@tenfold/core/bundle'
import { usageSchema } from '@tenfold/core/internal'
import { type ShownItem, summarizerFailures, type TranscriptItem } from '@tenfold/core/summarizer'
import * as z from 'zod/mini'
import { modelStops } from '../provider/model.ts'
import type { BatchRow } from './provider.ts'

const count = z.int().check(z.nonnegative())
const time = z.iso.datetime()
const digest = z.string().check(z.regex(/^[0-9a-f]{64}$/))

/** Items of a session's transcript from `first` to `last`, exclusive. */
const rangeSchema = z.strictObject({ first: count, last: count })

/** Options for making the bundles, so that another process can finish them. */
const jobOptionsSchema = z.strictObject({
  kind: z.enum(bundleKinds),
  counter: z.string(),
  maxOutputTokens: count,
  /** Requests ask only for the output that their answers should need, because their cost is limited. */
  sizedOutput: z.optional(z.literal(true)),
  maxInputTokens: z.number(),
  tokenFactor: z.number(),
  track: z.optional(z.string()),
  task: z.optional(z.string()),
  maxRatio: z.optional(z.number()),
  minRatio: z.optional(z.number()),
  maxTokens: z.optional(z.number()),
  minSourceTokens: z.optional(z.number()),
  maxReadRatio: z.optional(z.number()),
  dropUnverified: z.optional(z.boolean()),
})

const jobSessionSchema = z.strictObject({
  /** Number in the job, from 1. */
  n: count,
  /** Name of the log. */
  name: z.string(),
  title: z.optional(z.string()),
  /** Digest of the log. `digest` is that of the session stored with the job. */
  source: z.string(),
  digest,
  /** Time and random part of the bundle's id, fixed so that saving again saves the same bundle. */
  createdAt: z.iso.datetime({ precision: 3 }),
  random: z.number().check(z.gte(0), z.lt(1)),
  archived: z.boolean(),
  parts: z.array(rangeSchema),
})

const sentRequestSchema = z.strictObject({
  customId: z.string().check(z.regex(/^[a-zA-Z0-9_-]{1,64}$/)),
  session: count,
  ...rangeSchema.shape,
  /** Digest of the request as canonical JSON. */
  hash: digest,
  /** The request asks to correct an invalid answer. */
  repair: z.optional(z.literal(true)),
})

const attemptSchema = z.strictObject({
  /** Number in the job, from 1. */
  n: count,
  /**
   * `submitting`: it is unknown whether the vendor has the batch; `ended`: all its rows are stored; `abandoned`: the
   * vendor does not have it.
   */
  state: z.enum(['submitting', 'submitted', 'ended', 'abandoned']),
  at: time,
  requests: z.array(sentRequestSchema),
  batchId: z.optional(z.string()),
  fileId: z.optional(z.string()),
  submittedAt: z.optional(time),
  expiresAt: z.optional(time),
  endedAt: z.optional(time),
})

/** `job.json` of a batch job, version 1. Its sessions are fixed. Attempts are added and change state. */
export const batchJobSchema = z.strictObject({
  schemaVersion: z.literal(1),
  job: z.string(),
  /** Random prefix of every custom id. */
  nonce: z.string().check(z.regex(/^[a-z][a-z0-9]{9}$/)),
  createdAt: time,
  provider: z.string(),
  model: z.string(),
  endpoint: z.string(),
  keyFingerprint: z.optional(z.string()),
  promptVersion: z.string(),
  /** First 12 hex digits of the hash of the answer's JSON Schema. */
  schemaHash: z.string(),
  options: jobOptionsSchema,
  sessions: z.array(jobSessionSchema),
  attempts: z.array(attemptSchema),
  /** From then on, nothing is sent. */
  canceledAt: z.optional(time),
})

export type BatchJob = z.infer<typeof batchJobSchema>
export type JobSession = z.infer<typeof jobSessionSchema>
export type Attempt = z.infer<typeof attemptSchema>
export type SentRequest = z.infer<typeof sentRequestSchema>
export type Range = z.infer<typeof rangeSchema>

/** Corrects a schema's type: JSON omits undefined fields, which zod's types do not express. */
function exact<T>(schema: z.ZodMiniType<unknown>): z.ZodMiniType<T> {
  return schema as z.ZodMiniType<T>
}

/** The row of one request. */
export const batchRowSchema: z.ZodMiniType<BatchRow> = exact(
  z.union([
    z.strictObject({
      customId: z.string(),
      reply: z.strictObject({
        text: z.string(),
        usage: usageSchema,
        stop: z.enum(modelStops),
        model: z.optional(z.string()),
        requestId: z.optional(z.string()),
      }),
    }),
    z.strictObject({
      customId: z.string(),
      error: z.strictObject({
        reason: z.enum(summarizerFailures),
        retryable: z.boolean(),
        message: z.string(),
        usage: z.optional(usageSchema),
        requestId: z.optional(z.string()),
      }),
    }),
  ]),
)

/** A summarizer's call. Not the bundle's schema, because lines are cleaned only when a bundle is made. */
const callSchema: z.ZodMiniType<SummarizerCall> = exact(
  z.strictObject({
    summarizer: z.string(),
    model: z.optional(z.string()),
    purpose: z.optional(z.string()),
    requestId: z.optional(z.string()),
    stop: z.optional(z.string()),
    tier: z.optional(z.literal('batch')),
    durationMs: z.optional(count),
    error: z.optional(z.string()),
    begun: z.optional(z.boolean()),
    usage: usageSchema,
  }),
)

export const doneSchema = z.strictObject({
  n: z.number(),
  state: z.enum(['saved', 'failed', 'trivial']),
  bundleId: z.optional(z.string()),
  fallback: z.optional(z.string()),
  /** Why there is no bundle. */
  reason: z.optional(z.string()),
  calls: z.array(callSchema),
})

/** The outcome of a session, with all calls that were made for it. */
export type DoneSession = z.infer<typeof doneSchema>

export const fallbackSchema = z.strictObject({
  summarizer: z.string(),
  model: z.optional(z.string()),
  promptVersion: z.optional(z.string()),
  summary: sessionSummarySchema,
  calls: z.array(callSchema),
})

/** The summary that another summarizer made of a part. */
export type FallbackSummary = Omit<z.infer<typeof fallbackSchema>, 'summary'> & {
  readonly summary: SessionSummary
}

/** A stored session: redacted, with the transcript for the model and the maximum length of its summary. */
export interface StoredSession {
  readonly session: Session
  readonly items: readonly TranscriptItem[]
  readonly summaryBudget: number
  readonly sourceTokens: number
  /** Items carried over from earlier sessions. */
  readonly carried: readonly ShownItem[]
  /** The carried items that fit into the request about the last part, shortened. */
  readonly shown: readonly ShownItem[]
}

/** Id of a request, unique across all jobs, sessions and attempts. */
export function customIdOf(nonce: string, attempt: number, session: number, range: Range): string {
  return `${nonce}_${attempt}_${session}_${range.first}_${range.last}`
}

/** SHA-256 of a value as JSON with sorted keys. */
export function canonicalHash(value: unknown): string {
  return createHash('sha256').update(JSON.stringify(value, sortKeys)).digest('hex')
}

function sortKeys(_key: string, value: unknown): unknown {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return value
  return Object.fromEntries(Object.entries(value).sort(([a], [b]) => (a < b ? -1 : 1)))
}
