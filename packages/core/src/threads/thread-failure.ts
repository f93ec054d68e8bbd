import { TenfoldError } from '../errors.ts'

/** A log that took longer than it may. */
export function tooSlow(log: string, maxLogMs: number): TenfoldError {
  return new TenfoldError(
    'log-too-slow',
    `${log} took longer than ${maxLogMs / 1000} s and was given up; raise the limit (option maxLogMs).`,
  )
}

/** What to do about a thread that ended, or could not be started; other errors as they are. */
export function failureOfThread(error: unknown, log = 'a log'): unknown {
  const { code, message } = Object(error) as { readonly code?: unknown; readonly message?: unknown }
  if (code === 'ERR_WORKER_OUT_OF_MEMORY')
    return new TenfoldError(
      'log-too-much-memory',
      `${log} needs more memory than a thread may take; raise the limit (option maxLogMegabytes).`,
      { cause: error },
    )
  const isMissing = code === 'MODULE_NOT_FOUND' || code === 'ERR_MODULE_NOT_FOUND'
  // The file of the pool, or the one that it runs.
  return isMissing && /worker\.js'/.test(String(message)) ? missingThreadFile(error) : error
}

/** The files that threads are started from are not there. */
export function missingThreadFile(cause?: unknown): TenfoldError {
  return new TenfoldError(
    'no-thread-file',
    'threads are started from files of @tenfold/core and tinypool, which are not beside this program, as after bundling: leave both packages out of the bundle, or call compressOnce for each log',
    { cause },
  )
}
