import type { LogThreads } from '@tenfold/core'
import type { LogArgument } from '../logs/gather-logs.ts'
import { type CompressWork, failedOutcome, type LogOutcome } from './compress-one.ts'
import { doneOf } from './log-summary.ts'

/** Compresses one log in a thread. Never rejects: a failure is part of the outcome. */
export async function compressInThread(
  { log, failure, track }: LogArgument,
  threads: LogThreads,
  { options, limits, again, lease, report, ...work }: CompressWork,
): Promise<LogOutcome> {
  if (failure !== undefined && !work.signal.aborted) return { log, error: failure }
  const result = await threads.compress(log, { again, lease, report, limits, track })
  if ('error' in result) return failedOutcome(log, result.error, result.calls, work)
  if ('known' in result) return { log, known: result.known }
  return { log, done: await doneOf(result, options, limits) }
}
