import {
  InvalidBundleError,
  LogReadError,
  StorageConflictError,
  StorageError,
  TenfoldError,
} from '../errors.ts'
import { known } from '../session/known.ts'
import type { SummarizedPlan } from '../summarize/summarize-plan.ts'
import { carrySummarized, summarizedOf } from '../summarize/summarized-of.ts'
import { SummarizerError } from '../summarize/summarizer-error.ts'

/** An error as plain data, because a copy by `postMessage` loses its class. */
export interface ErrorWire {
  readonly name: string
  readonly message: string
  readonly stack?: string
  readonly cause?: ErrorWire
  /** Own fields, such as `code`. */
  readonly fields: Readonly<Record<string, unknown>>
  readonly summarized?: SummarizedPlan
}

const fieldNames = [
  ...['code', 'syscall', 'path', 'key', 'retryable', 'issues', 'reason', 'calls', 'inputLimit'],
] as const

export function errorToWire(thrown: unknown): ErrorWire {
  if (!(thrown instanceof Error)) return { name: 'Error', message: String(thrown), fields: {} }
  const { name, message, stack, cause } = thrown
  const fields = fieldNames.flatMap((field) => {
    const value: unknown = Reflect.get(thrown, field)
    return value === undefined ? [] : [[field, value] as const]
  })
  return {
    name,
    message,
    fields: Object.fromEntries(fields),
    ...known({ stack, summarized: summarizedOf(thrown) }),
    ...(cause instanceof Error && { cause: errorToWire(cause) }),
  }
}

const classes: ReadonlyMap<string, { readonly prototype: Error }> = new Map(
  [
    ...[TenfoldError, LogReadError, StorageConflictError, StorageError, InvalidBundleError],
    ...[SummarizerError, TypeError],
  ].map((each) => [each.name, each]),
)

export function errorFromWire({ name, message, stack, cause, fields, summarized }: ErrorWire): Error {
  const error = new Error(message, cause === undefined ? {} : { cause: errorFromWire(cause) })
  Object.setPrototypeOf(error, classes.get(name)?.prototype ?? Error.prototype)
  Object.assign(error, { name, ...fields, ...known({ stack }) })
  if (summarized !== undefined) carrySummarized(error, summarized)
  return error
}

export function tooSlow(log: string, maxLogMs: number): TenfoldError {
  return new TenfoldError(
    'log-too-slow',
    `${log} took longer than ${maxLogMs / 1000} s and was given up; raise the limit (option maxLogMs).`,
  )
}

export function tooMuchMemory(log: string, cause?: unknown): TenfoldError {
  return new TenfoldError(
    'log-too-much-memory',
    `${log} needs more memory than a thread may take; raise the limit (option maxLogMegabytes).`,
    { cause },
  )
}

/** Returns an error with advice for a thread that ended or could not be started; other errors unchanged. */
export function failureOfThread(error: unknown, log = 'a log'): unknown {
  const { code, message } = Object(error) as { readonly code?: unknown; readonly message?: unknown }
  if (code === 'ERR_WORKER_OUT_OF_MEMORY') return tooMuchMemory(log, error)
  const isMissing = code === 'MODULE_NOT_FOUND' || code === 'ERR_MODULE_NOT_FOUND'
  // The file of the pool, or the one that it runs.
  return isMissing && /worker\.js'/.test(String(message)) ? missingThreadFile(error) : error
}

export function missingThreadFile(cause?: unknown): TenfoldError {
  return new TenfoldError(
    'no-thread-file',
    'threads are started from files of @tenfold/core and tinypool, which are not beside this program, as after bundling: leave both packages out of the bundle, or call compressOnce for each log',
    { cause },
  )
}
