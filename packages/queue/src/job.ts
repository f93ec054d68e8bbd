import { TenfoldError } from '@tenfold/core'
import { messageOf } from '@tenfold/core/internal'
import { z } from 'zod'

/** An uploaded file of a log. `path` is relative to the folder that a worker makes, `key` is the store's key. */
const uploadedFileSchema = z.object({
  path: z.string().refine(isBelow, 'a path that leaves its folder'),
  sha256: z.string().regex(/^[0-9a-f]{64}$/),
  /** A worker deletes this object when the job is done. */
  key: z.string().startsWith('queue/'),
})

const queuedLogSchema = z.object({
  /** The path as the user gave it, for messages. */
  name: z.string(),
  /** The path to read, if workers see the same folders. */
  path: z.string().optional(),
  /** Otherwise, the uploaded files, beginning with the log. */
  files: z.array(uploadedFileSchema).min(1).optional(),
  /** The session to read if the log contains several. */
  sessionId: z.string().optional(),
})

/** A job's data in Redis: only references, no text of a log and no provider's API key. */
const jobDataSchema = z.object({
  version: z.literal(1),
  /** Folder or URL of the store that gets the bundle. */
  store: z.string(),
  log: queuedLogSchema,
  /** Overrides the track in the request. */
  track: z.string().optional(),
  /** Options for the bundle, in the format of the program that queued the log. */
  request: z.json(),
  /** Id of the `queueLogs` call, whose logs share a budget. */
  run: z.string(),
})

export type UploadedFile = z.infer<typeof uploadedFileSchema>
export type QueuedLog = z.infer<typeof queuedLogSchema>
export type JobData = z.infer<typeof jobDataSchema>
/** A JSON value, which Redis can hold. */
export type Json = JobData['request']

/** Parses a job's data from Redis. Throws TenfoldError `bad-job` if this version cannot read it. */
export function parseJobData(value: unknown): JobData {
  const parsed = jobDataSchema.safeParse(value)
  if (parsed.success) return parsed.data
  throw badJob(`It is not a job of this version: ${faultOf(parsed.error)}`)
}

/** The fault of a value from the network, on one line. */
export function faultOf(error: unknown): string {
  const issue = error instanceof z.ZodError ? error.issues[0] : undefined
  return issue === undefined ? messageOf(error) : `${issue.path.join('.')}: ${issue.message}`
}

/** The error for a job that would fail in every worker of this version. */
export function badJob(why: string, cause?: unknown): TenfoldError {
  return new TenfoldError('bad-job', `${why}. Queue the log again with this version.`, { cause })
}

/** Whether a path stays below its folder, since jobs come from the network. */
function isBelow(path: string): boolean {
  return path.split('/').every((segment) => segment !== '' && !/^\.{1,2}$|[\\:\0]/.test(segment))
}

/** A failure as text for Redis: the error's code, then its message. */
export function failureText(error: unknown): string {
  const code = TenfoldError.isInstance(error)
    ? error.code
    : isTooSlow(error)
      ? 'pattern-too-slow'
      : 'unexpected'
  return `${code}: ${messageOf(error)}`
}

function isTooSlow(error: unknown): boolean {
  return Reflect.get(Object(error), 'code') === 'pattern-too-slow'
}

/** Parses a result of `failureText`. BullMQ writes other texts, for example if all workers of a job were killed. */
export function parseFailure(text: string): { readonly code: string; readonly message: string } {
  const [, code, message] = /^([a-z]+(?:-[a-z]+)*): ([\s\S]*)$/.exec(text) ?? []
  if (code !== undefined && message !== undefined) return { code, message }
  if (/stalled more than/.test(text))
    return {
      code: 'worker-killed',
      message: 'Each worker that took the log was killed or stopped; it may need more memory.',
    }
  return { code: 'unexpected', message: text }
}

/** Whether a later attempt at the same log may succeed. */
export function mayPass(error: unknown): boolean {
  if (!TenfoldError.isInstance(error)) return !isTooSlow(error)
  if ('retryable' in error) return error.retryable === true
  return error.code === 'log-changed' || error.code === 'closed'
}
