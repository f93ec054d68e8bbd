import { createHash } from 'node:crypto'
import { promisify } from 'node:util'
import { brotliCompress, brotliDecompress, constants } from 'node:zlib'
import {
  type Session,
  type SessionSummary,
  type Storage,
  StorageError,
  sessionSummarySchema,
} from '@tenfold/core'
import { damaged } from '@tenfold/core/internal'
import type { ShownItem, TranscriptItem } from '@tenfold/core/summarizer'
import * as z from 'zod/mini'
import { BatchError } from '../batch-error.ts'
import type { BatchRow } from '../vendor/batch-provider.ts'
import { type Attempt, type BatchJob, batchJobSchema, type JobSession, type Range } from './batch-job.ts'
import { batchRowSchema, callSchema } from './batch-row.ts'
import { doneKey, donePrefix, fallbackKey, jobKey, resultKey, resultsPrefix, sessionKey } from './job-keys.ts'
import { addValue, readValue, replaceValue } from './stored-values.ts'

const compress = promisify(brotliCompress)
const decompress = promisify(brotliDecompress)

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

type Carried = 'carried' | 'shown'

const doneSchema = z.strictObject({
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

const fallbackSchema = z.strictObject({
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

/** Writes a new job. Throws StorageError if its id is taken. */
export async function createJob(storage: Storage, job: BatchJob): Promise<void> {
  if (await addValue(storage, jobKey(job.job), job)) return
  throw new StorageError(jobKey(job.job), `${storage.name}: batch job ${job.job} already exists`)
}

/** Throws BatchError `batch-missing` if there is no such job. */
export async function readJob(storage: Storage, job: string): Promise<BatchJob> {
  return (await readStored(storage, job)).value
}

/** Writes the job that `change` makes from the stored one, no matter how often others change it meanwhile. */
export async function updateJob(
  storage: Storage,
  job: string,
  change: (job: BatchJob) => BatchJob,
): Promise<BatchJob> {
  for (;;) {
    const { value, etag } = await readStored(storage, job)
    const next = change(value)
    if (await replaceValue(storage, jobKey(job), next, etag)) return next
  }
}

/**
 * Changes one attempt if it is still in the state `from`. Throws BatchError `batch-taken-over` if another process was
 * faster.
 */
export async function updateAttempt(
  storage: Storage,
  job: string,
  n: number,
  from: Attempt['state'],
  change: Partial<Attempt>,
): Promise<BatchJob> {
  return await updateJob(storage, job, (stored) => {
    const attempt = stored.attempts.find((candidate) => candidate.n === n)
    if (attempt?.state !== from) throw takenOver(job)
    const attempts = stored.attempts.map((candidate) =>
      candidate.n === n ? { ...candidate, ...change } : candidate,
    )
    return { ...stored, attempts }
  })
}

/** Adds an attempt if its number is still the next one. Otherwise throws BatchError `batch-taken-over`. */
export async function addAttempt(storage: Storage, job: string, attempt: Attempt): Promise<BatchJob> {
  return await updateJob(storage, job, (stored) => {
    if (stored.attempts.length + 1 !== attempt.n) throw takenOver(job)
    return { ...stored, attempts: [...stored.attempts, attempt] }
  })
}

export function takenOver(job: string): BatchError {
  return new BatchError(
    'batch-taken-over',
    `Another process works on batch job ${job} now. Wait for it to end, or run this again later.`,
  )
}

/** Stores a session with its job and returns the digest of what was stored. */
export async function putSession(
  storage: Storage,
  job: string,
  n: number,
  value: StoredSession,
): Promise<string> {
  const json = Buffer.from(JSON.stringify(value))
  const params = {
    [constants.BROTLI_PARAM_QUALITY]: 4,
    [constants.BROTLI_PARAM_SIZE_HINT]: Math.min(json.byteLength, 2 ** 30),
  }
  await storage.put(sessionKey(job, n), await compress(json, { params }), { ifAbsent: true })
  return sha256(json)
}

/** Reads a session of a job. Throws StorageError if it is not what was stored. */
export async function readSessionOf(
  storage: Storage,
  job: string,
  { n, digest }: Pick<JobSession, 'n' | 'digest'>,
): Promise<StoredSession> {
  const key = sessionKey(job, n)
  const stored = await storage.get(key)
  if (stored === undefined) throw damaged(key, 'it is missing')
  const json = await decompress(stored.bytes).catch((cause: unknown) => {
    throw damaged(key, 'it cannot be unpacked', { cause })
  })
  if (sha256(json) !== digest) throw damaged(key, 'its digest differs from that of the stored session')
  // The digest proves that it is what `putSession` was given: before jobs knew of carried items, without them.
  const session = JSON.parse(json.toString('utf8')) as Omit<StoredSession, Carried> & Partial<StoredSession>
  return { carried: [], shown: [], ...session }
}

/** Custom ids of all received rows. */
export async function listResults(storage: Storage, job: string): Promise<Set<string>> {
  return await listNames(storage, resultsPrefix(job))
}

/** Stores a row; the first one of a custom id stays. */
export async function putResult(storage: Storage, job: string, row: BatchRow): Promise<void> {
  await addValue(storage, resultKey(job, row.customId), row)
}

export async function readResult(
  storage: Storage,
  job: string,
  customId: string,
): Promise<BatchRow | undefined> {
  return (await readValue(storage, resultKey(job, customId), batchRowSchema))?.value
}

/** Numbers of the sessions that are done, as text. */
export async function listDone(storage: Storage, job: string): Promise<Set<string>> {
  return await listNames(storage, donePrefix(job))
}

/**
 * Stores and returns the outcome of a session. The first one stays, except that a failed session can still be saved.
 */
export async function putDone(storage: Storage, job: string, done: DoneSession): Promise<DoneSession> {
  const key = doneKey(job, done.n)
  if (await addValue(storage, key, done)) return done
  const stored = await readValue(storage, key, doneSchema)
  if (stored === undefined) return done
  if (stored.value.state === 'saved' || done.state === 'failed') return stored.value
  return (await replaceValue(storage, key, done, stored.etag)) ? done : await putDone(storage, job, done)
}

export async function readDone(storage: Storage, job: string, n: number): Promise<DoneSession | undefined> {
  return (await readValue(storage, doneKey(job, n), doneSchema))?.value
}

/** The summary that another summarizer made of a part; `make` is called once, and the summary stored first counts. */
export async function fallbackOnce(
  storage: Storage,
  place: { readonly job: string; readonly n: number; readonly range: Range },
  make: () => Promise<FallbackSummary>,
): Promise<FallbackSummary> {
  const key = fallbackKey(place.job, place.n, place.range.first, place.range.last)
  const stored = await readValue(storage, key, fallbackSchema)
  if (stored !== undefined) return stored.value
  const made = await make()
  if (await addValue(storage, key, made)) return made
  return (await readValue(storage, key, fallbackSchema))?.value ?? made
}

async function readStored(storage: Storage, job: string) {
  const stored = await readValue(storage, jobKey(job), batchJobSchema)
  if (stored !== undefined) return stored
  throw new BatchError(
    'batch-missing',
    `${storage.name} has no batch job ${job}. See the list of batch jobs.`,
  )
}

async function listNames(storage: Storage, prefix: string): Promise<Set<string>> {
  const names = new Set<string>()
  for await (const { key } of storage.list(prefix)) names.add(key.slice(prefix.length).replace(/\.json$/, ''))
  return names
}

function sha256(bytes: Uint8Array): string {
  return createHash('sha256').update(bytes).digest('hex')
}
