import { hash } from 'node:crypto'
import { promisify } from 'node:util'
import { brotliCompress, brotliDecompress, constants } from 'node:zlib'
import { type Storage, StorageError } from '@tenfold/core'
import { damaged, decodeJson, encodeJson, putIfAbsent, putIfMatch } from '@tenfold/core/internal'
import type * as z from 'zod/mini'
import { BatchError, takenOver } from './batch-error.ts'
import {
  type Attempt,
  type BatchJob,
  batchJobSchema,
  batchRowSchema,
  type DoneSession,
  doneSchema,
  type FallbackSummary,
  fallbackSchema,
  type JobSession,
  type Range,
  type StoredSession,
} from './job.ts'
import type { BatchRow } from './provider.ts'

const compress = promisify(brotliCompress)
const decompress = promisify(brotliDecompress)

/** A job and its storage. */
export interface JobPlace {
  readonly storage: Storage
  readonly job: string
}

/** Names of a job's stored objects. Sessions are compressed with brotli. */
export type JobObject =
  | 'job.json'
  | 'lease.json'
  | `sessions/${number}.json.br`
  | `results/${string}.json`
  | `fallbacks/${number}_${number}_${number}.json`
  | `done/${number}.json`

const jobsPrefix = 'batches/'

/** Key of a job's object. Without a name, the prefix of all keys. */
export function jobKey(job: string, name: JobObject | 'results/' | 'done/' | '' = ''): string {
  return `${jobsPrefix}${job}/${name}`
}

/** Ids of all batch jobs, oldest first. */
export async function listJobs(storage: Storage): Promise<string[]> {
  const jobs: string[] = []
  for await (const { key } of storage.list(jobsPrefix, { sizes: false })) {
    const job = /^batches\/([^/]+)\/job\.json$/.exec(key)?.[1]
    if (job !== undefined) jobs.push(job)
  }
  return jobs
}

/** Reads stored JSON with the etag for replacing it. Throws a StorageError with the key and the fault. */
async function readObject<T>(
  { storage, job }: JobPlace,
  name: JobObject,
  schema: z.ZodMiniType<T>,
): Promise<{ readonly value: T; readonly etag: string } | undefined> {
  const key = jobKey(job, name)
  const stored = await storage.get(key)
  return stored && { value: decodeJson(key, stored.bytes, schema), etag: stored.etag }
}

/** Puts a value if there is none, or replaces the one with this `etag`. Otherwise returns false. */
async function putObject(
  { storage, job }: JobPlace,
  name: JobObject,
  value: unknown,
  etag?: string,
): Promise<boolean> {
  const key = jobKey(job, name)
  const bytes = encodeJson(value)
  return await (etag === undefined ? putIfAbsent(storage, key, bytes) : putIfMatch(storage, key, bytes, etag))
}

/** Writes a new job. Throws StorageError if its id is taken. */
export async function createJob(storage: Storage, job: BatchJob): Promise<void> {
  if (await putObject({ storage, job: job.job }, 'job.json', job)) return
  throw new StorageError(jobKey(job.job, 'job.json'), `${storage.name}: batch job ${job.job} already exists`)
}

/** Throws BatchError `batch-missing` if there is no such job. */
export async function readJob(place: JobPlace): Promise<BatchJob> {
  return (await readStored(place)).value
}

async function readStored(place: JobPlace) {
  const stored = await readObject(place, 'job.json', batchJobSchema)
  if (stored !== undefined) return stored
  throw new BatchError(
    'batch-missing',
    `${place.storage.name} has no batch job ${place.job}. See the list of batch jobs.`,
  )
}

/** Applies `change` to the stored job, and repeats this if others change the job meanwhile. */
export async function updateJob(place: JobPlace, change: (job: BatchJob) => BatchJob): Promise<void> {
  for (;;) {
    const { value, etag } = await readStored(place)
    if (await putObject(place, 'job.json', change(value), etag)) return
  }
}

/**
 * Changes an attempt that is still in state `from`. Throws BatchError `batch-taken-over` if another process was faster.
 */
export async function updateAttempt(
  place: JobPlace,
  n: number,
  from: Attempt['state'],
  change: Partial<Attempt>,
): Promise<void> {
  await updateJob(place, (stored) => {
    if (stored.attempts.find((attempt) => attempt.n === n)?.state !== from) throw takenOver(place.job)
    const attempts = stored.attempts.map((attempt) => (attempt.n === n ? { ...attempt, ...change } : attempt))
    return { ...stored, attempts }
  })
}

/** Adds an attempt if its number is still the next one. Otherwise throws BatchError `batch-taken-over`. */
export async function addAttempt(place: JobPlace, attempt: Attempt): Promise<void> {
  await updateJob(place, (stored) => {
    if (stored.attempts.length + 1 !== attempt.n) throw takenOver(place.job)
    return { ...stored, attempts: [...stored.attempts, attempt] }
  })
}

/** Stores a session with its job and returns the digest of what was stored. */
export async function putSession(
  { storage, job }: JobPlace,
  n: number,
  value: StoredSession,
): Promise<string> {
  const json = Buffer.from(JSON.stringify(value))
  const params = {
    [constants.BROTLI_PARAM_QUALITY]: 4,
    [constants.BROTLI_PARAM_SIZE_HINT]: Math.min(json.byteLength, 2 ** 30),
  }
  const bytes = await compress(json, { params })
  await storage.put(jobKey(job, `sessions/${n}.json.br`), bytes, { ifAbsent: true })
  return hash('sha256', json)
}

/** Reads a session of a job. Throws StorageError if it is not the one that was stored. */
export async function readSession(
  { storage, job }: JobPlace,
  { n, digest }: Pick<JobSession, 'n' | 'digest'>,
): Promise<StoredSession> {
  const key = jobKey(job, `sessions/${n}.json.br`)
  const stored = await storage.get(key)
  if (stored === undefined) throw damaged(key, 'it is missing')
  const json = await decompress(stored.bytes).catch((cause: unknown) => {
    throw damaged(key, 'it cannot be unpacked', { cause })
  })
  if (hash('sha256', json) !== digest)
    throw damaged(key, 'its digest differs from that of the stored session')
  // The digest proves that this is what `putSession` stored.
  return JSON.parse(json.toString('utf8'))
}

/** Custom ids of all received rows, or numbers of the finished sessions, as text. */
export async function listNames(
  { storage, job }: JobPlace,
  folder: 'results/' | 'done/',
): Promise<Set<string>> {
  const prefix = jobKey(job, folder)
  const names = new Set<string>()
  for await (const { key } of storage.list(prefix)) names.add(key.slice(prefix.length).replace(/\.json$/, ''))
  return names
}

/** Stores a row. The first row of a custom id is kept. */
export async function putRow(place: JobPlace, row: BatchRow): Promise<void> {
  await putObject(place, `results/${row.customId}.json`, row)
}

export async function readRow(place: JobPlace, customId: string): Promise<BatchRow | undefined> {
  return (await readObject(place, `results/${customId}.json`, batchRowSchema))?.value
}

/**
 * Stores and returns the outcome of a session. The first outcome is kept, except that a failed session can still be
 * saved.
 */
export async function putDone(place: JobPlace, done: DoneSession): Promise<DoneSession> {
  const name = `done/${done.n}.json` as const
  if (await putObject(place, name, done)) return done
  const stored = await readObject(place, name, doneSchema)
  if (stored === undefined) return done
  if (stored.value.state === 'saved' || done.state === 'failed') return stored.value
  return (await putObject(place, name, done, stored.etag)) ? done : await putDone(place, done)
}

export async function readDone(place: JobPlace, n: number): Promise<DoneSession | undefined> {
  return (await readObject(place, `done/${n}.json`, doneSchema))?.value
}

/** The outcomes of all finished sessions. */
export async function readAllDone(place: JobPlace): Promise<DoneSession[]> {
  const all: DoneSession[] = []
  for (const n of await listNames(place, 'done/')) {
    const done = await readDone(place, Number(n))
    if (done !== undefined) all.push(done)
  }
  return all.sort((a, b) => a.n - b.n)
}

/** The fallback's summary of a part. Calls `make` only if none is stored; the summary stored first counts. */
export async function fallbackOnce(
  place: JobPlace,
  n: number,
  { first, last }: Range,
  make: () => Promise<FallbackSummary>,
): Promise<FallbackSummary> {
  const name = `fallbacks/${n}_${first}_${last}.json` as const
  const stored = await readObject(place, name, fallbackSchema)
  if (stored !== undefined) return stored.value
  const made = await make()
  if (await putObject(place, name, made)) return made
  return (await readObject(place, name, fallbackSchema))?.value ?? made
}
