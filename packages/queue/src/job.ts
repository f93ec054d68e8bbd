import { TenfoldError } from '@tenfold/core'
import { messageOf } from '@tenfold/core/internal'
import { z } from 'zod'

/** A file of a log: its path below the folder that a worker makes, its digest, and where the store has it. */
const uploadedFileSchema = z.object({
  path: z.string().refine(isBelow, 'a path that leaves its folder'),
  sha256: z.string().regex(/^[0-9a-f]{64}$/),
  /** A worker deletes it when the job is done. */
  key: z.string().startsWith('queue/'),
})

const queuedLogSchema = z.object({
  /** The path that was given, for messages. */
  name: z.string(),
  /** The path to read, if workers see the same folders. */
  path: z.string().optional(),
  /** Otherwise the files in the store, the log itself first. */
  files: z.array(uploadedFileSchema).min(1).optional(),
  /** The session of a log that holds several. */
  sessionId: z.string().optional(),
})

/** What Redis holds of a job: references only, no text of a log and no key of a provider. */
const jobDataSchema = z.object({
  version: z.literal(1),
  /** Folder or URL of the store that gets the bundle. */
  store: z.string(),
  log: queuedLogSchema,
  /** Instead of the track that the request names. */
  track: z.string().optional(),
  /** What shapes the bundle, in the words of whoever queued the log. */
  request: z.json(),
  /** The call that queued the log: its logs share a budget. */
  run: z.string(),
})

export type UploadedFile = z.infer<typeof uploadedFileSchema>
export type QueuedLog = z.infer<typeof queuedLogSchema>
export type JobData = z.infer<typeof jobDataSchema>
/** What survives a trip through Redis. */
export type Json = JobData['request']

/** Reads what Redis holds of a job. Throws TenfoldError `bad-job` if this version cannot. */
export function parseJobData(value: unknown): JobData {
  const parsed = jobDataSchema.safeParse(value)
  if (parsed.success) return parsed.data
  throw badJob(`It is no job of this version: ${faultOf(parsed.error)}`)
}

/** What is wrong with a value from the network, in a line. */
export function faultOf(error: unknown): string {
  const issue = error instanceof z.ZodError ? error.issues[0] : undefined
  return issue === undefined ? messageOf(error) : `${issue.path.join('.')}: ${issue.message}`
}

/** The error for a job that fails in each worker of this version. */
export function badJob(why: string, cause?: unknown): TenfoldError {
  return new TenfoldError('bad-job', `${why}. Queue the log again with this version.`, { cause })
}

/** A job comes from the network: it must not write outside of its folder. */
function isBelow(path: string): boolean {
  return path.split('/').every((segment) => segment !== '' && !/^\.{1,2}$|[\\:\0]/.test(segment))
}

/** The text that Redis keeps of a failure: the code of the error, then its message. */
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

/** The code and the message of such a text; BullMQ writes others, such as for a job whose workers were all killed. */
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

/** Whether the same log may be compressed if it is tried again later. */
export function mayPass(error: unknown): boolean {
  if (!TenfoldError.isInstance(error)) return !isTooSlow(error)
  if ('retryable' in error) return error.retryable === true
  return error.code === 'log-changed' || error.code === 'closed'
}
