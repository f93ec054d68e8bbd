import { availableParallelism } from 'node:os'
import type { ProgressEvent } from './session/report-to-log.ts'
import type { BatchLog } from './threads/log-task.ts'
import { type LogResult, type LogThreadsOptions, logThreads } from './threads/log-threads.ts'

/** Options of {@link compressLogs}. */
export interface CompressLogsOptions<Log extends BatchLog = string> extends LogThreadsOptions {
  /** Compress logs even if the store has them already. @default false */
  readonly again?: boolean | undefined
  /** Called synchronously with each step of each log; should return at once. */
  readonly report?: ((event: ProgressEvent & { readonly log: Log }) => void) | undefined
}

/** How many logs are started, per log that runs at a time, before the oldest result is taken. */
const ahead = 64

/**
 * Compresses logs on several cores, each in its own thread, and yields the results in the order of the logs. With a
 * store, logs that it already holds, compressed with the same options, are skipped, so a run that was killed can be
 * repeated. A log that fails stops no other. After an abort, each unfinished log has the reason of the signal as its
 * error. Throws TypeError or RangeError for invalid options.
 */
export async function* compressLogs<Log extends BatchLog>(
  logs: Iterable<Log> | AsyncIterable<Log>,
  { again, report, ...options }: CompressLogsOptions<Log>,
): AsyncGenerator<LogResult & { readonly log: Log }> {
  const threads = await logThreads(options)
  // Sessions are large: with `keepSession`, no finished one waits to be taken.
  const window = (options.keepSession ? 1 : ahead) * (options.concurrency ?? availableParallelism())
  const compress = async (log: Log): Promise<LogResult & { readonly log: Log }> => {
    const result = await threads.compress(log, {
      again,
      ...(report !== undefined && { report: (event) => report({ ...event, log }) }),
    })
    return { ...result, log }
  }
  try {
    const started: ReturnType<typeof compress>[] = []
    for await (const log of logs) {
      started.push(compress(log))
      const first = started.length < window ? undefined : started.shift()
      if (first !== undefined) yield await first
    }
    for (const result of started) yield await result
  } finally {
    await threads.close()
  }
}
