import { digestLog, openLog } from '@tenfold/core'
import type { SubmittedLogs } from '@tenfold/summarizers/batch'
import type { LogArgument } from '../logs/gather-logs.ts'
import type { Reading } from '../options/reader-options.ts'

interface NewLogsOptions extends Reading {
  readonly signal: AbortSignal
}

/** Logs that no job has yet, and how many each job has of the others. */
export interface NewLogs {
  readonly logs: readonly LogArgument[]
  readonly known: ReadonlyMap<string, number>
}

/** Leaves out the logs that earlier jobs have. What cannot be read stays: it fails where it is prepared. */
export async function newLogs(
  logs: readonly LogArgument[],
  submitted: SubmittedLogs,
  options: NewLogsOptions,
): Promise<NewLogs> {
  if (submitted.isEmpty) return { logs, known: new Map() }
  const rest: LogArgument[] = []
  const known = new Map<string, number>()
  for (const argument of logs) {
    const job = argument.failure === undefined ? await jobOf(argument.log, submitted, options) : undefined
    if (job === undefined) rest.push(argument)
    else known.set(job, (known.get(job) ?? 0) + 1)
  }
  return { logs: rest, known }
}

async function jobOf(
  log: string,
  submitted: SubmittedLogs,
  options: NewLogsOptions,
): Promise<string | undefined> {
  try {
    return submitted.jobOf(await digestLog(await openLog(log, options), options), log)
  } catch (error) {
    options.signal.throwIfAborted()
    if (!(error instanceof Error)) throw error
    return undefined
  }
}
