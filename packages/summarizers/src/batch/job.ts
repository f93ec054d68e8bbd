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

/** Items of a session's transcript from `first` up to, but not including, `last`. */
const rangeSchema = z.strictObject({ first: count, last: count })

/** Options for making the bundles, so that another process can finish them. */
const jobOptionsSchema = z.strictObject({
  kind: z.enum(bundleKinds),
  counter: z.string(),
  maxOutputTokens: count,
  /** Requests ask only for what their answers should take, because their cost is limited. */
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
  /** Digest of the log, and of the session as it is stored with the job. */
  source: z.string(),
  digest,
  /** Time and random part of the bundle's id: saving again saves the same bundle. */
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
  /** The request corrects an answer that was not a summary. */
  repair: z.optional(z.literal(true)),
})

const attemptSchema = z.strictObject({
  /** Number in the job, from 1. */
  n: count,
  /**
   * `submitting`: it is unknown whether the vendor has it; `ended`: all its rows are stored; `abandoned`: the vendor
   * has no such batch.
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

/** `job.json` of a batch job, version 1. Sessions are fixed when it is written; attempts are added and change state. */
export const batchJobSchema = z.strictObject({
  schemaVersion: z.literal(1),
  job: z.string(),
  /** Random; every custom id begins with it. */
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
  /** Nothing more is sent. */
  canceledAt: z.optional(time),
})

export type BatchJob = z.infer<typeof batchJobSchema>
export type JobSession = z.infer<typeof jobSessionSchema>
export type Attempt = z.infer<typeof attemptSchema>
export type SentRequest = z.infer<typeof sentRequestSchema>
export type Range = z.infer<typeof rangeSchema>

/** Undefined is no JSON: a field is absent instead, which zod's types cannot say. */
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

/** A call of a summarizer. Not the schema of a bundle: its lines are cleaned only when a bundle is made. */
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

/**
 * What is stored of a session: the redacted session, what a model is to read of it, and how long its summary may be.
 */
export interface StoredSession {
  readonly session: Session
  readonly items: readonly TranscriptItem[]
  readonly summaryBudget: number
  readonly sourceTokens: number
  /** What earlier sessions left. */
  readonly carried: readonly ShownItem[]
  /** Those of them that fit into the request about the last part, shortened. */
  readonly shown: readonly ShownItem[]
}

/** Id of one request: unique over all jobs, sessions and attempts. */
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
