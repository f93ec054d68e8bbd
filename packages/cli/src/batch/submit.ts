import { prepareLog, type SpendingLimits, tiktokenCounter } from '@tenfold/core'
import { archivableLog, digestLog, trackSpending } from '@tenfold/core/internal'
import { openLog } from '@tenfold/core/readers'
import { type BatchSession, type SubmittedLogs, submitBatch, submittedLogs } from '@tenfold/summarizers/batch'
import { foundJson, foundLines, gatherLogs, type LogArgument, readable } from '../logs/gather-logs.ts'
import { limitsOf } from '../options/model-options.ts'
import { planOf } from '../options/plan-options.ts'
import type { Reading } from '../options/reader-options.ts'
import { makeRedactors } from '../options/redact-options.ts'
import { openStoreToWrite } from '../store/open-store.ts'
import { type ExitCode, exitCodes } from '../terminal/exit-codes.ts'
import { failureOfLog } from '../terminal/failure.ts'
import { formatCount, formatNumberOf } from '../terminal/numbers.ts'
import type { CommandContext } from '../terminal/terminal.ts'
import { eventLine, makeProvider, type SubmitOptions } from './batch-options.ts'

/**
 * Stores the sessions of logs as a job and sends it to the vendor. A log that cannot be read is reported and left out,
 * and so is one that an earlier job has, unless `again` is set.
 */
export async function submitLogs(
  paths: readonly string[],
  options: SubmitOptions,
  { terminal, signal }: CommandContext,
): Promise<ExitCode> {
  const store = await openStoreToWrite(options.store, terminal)
  const provider = await makeProvider(options.summarizer, options)
  const redactors = await makeRedactors(options)
  const limits: SpendingLimits = await limitsOf(options)
  const { admit } = trackSpending(limits)
  const { reading, track, task, dropUnverified } = options
  const { logs: given, found } = await gatherLogs(paths, options, { terminal, signal })
  if (found !== undefined && !options.json) terminal.note(foundLines(found, terminal).join('\n'))
  const counter = tiktokenCounter(options.counter)
  const plan = planOf(options)
  const made = { ...plan, provider, store, counter, track, task, dropUnverified: dropUnverified ?? false }
  const { logs, known } = options.again
    ? { logs: given, known: new Map<string, number>() }
    : await newLogs(given, await submittedLogs({ ...made, signal }), {
        ...reading,
        signal,
      })
  const knownCount = [...known.values()].reduce((sum, count) => sum + count, 0)
  for (const [job, count] of options.json ? [] : known)
    terminal.note(`${formatNumberOf(count, 'log')} left out, already in job ${job}; --again sends all`)
  let failed = 0
  if (logs.length === 0 && knownCount > 0) {
    if (options.json) terminal.printJson({ sessions: 0, requests: 0, failed, known: knownCount }, 2)
    else terminal.print('Nothing new to send.')
    return exitCodes.done
  }

  async function* sessions(): AsyncGenerator<BatchSession> {
    for (const argument of logs) {
      const { log } = argument
      try {
        const prepared = await prepareLog(readable(argument), {
          ...plan,
          counter,
          redactors,
          signal,
          ...reading,
        })
        const { session, redaction } = prepared
        yield {
          session,
          name: log,
          ...(options.archive && { log: archivableLog(prepared.log, session, redaction) }),
        }
      } catch (error) {
        if (signal.aborted) throw error
        failed += 1
        terminal.fail(failureOfLog(log, error).message)
      }
    }
  }

  const sent = await submitBatch({
    ...made,
    sessions: sessions(),
    redactors,
    ...((limits.maxCost ?? limits.maxInputTokens) !== undefined && { admit }),
    signal,
    report: (event) => {
      const line = eventLine(event)
      if (line !== undefined && !options.json) terminal.note(line)
    },
  })
  if (options.json)
    terminal.printJson(
      { ...sent, failed, known: knownCount, ...(found !== undefined && foundJson(found)) },
      2,
    )
  else
    terminal.print(
      [
        `${terminal.style.bold(sent.job)}: ${formatNumberOf(sent.sessions, 'session')} in ${formatNumberOf(sent.requests, 'request')}, about ${formatCount(sent.estimate.inputTokens)} tokens in`,
        ...(sent.unconfirmed > 0
          ? [
              `  ${formatNumberOf(sent.unconfirmed, 'batch')} unconfirmed; collect finds out whether the vendor accepted it`,
            ]
          : []),
        `  next: tenfold batch collect ${sent.job} --wait`,
      ].join('\n'),
    )
  return failed > 0 ? exitCodes.failed : exitCodes.done
}

interface NewLogsOptions extends Reading {
  readonly signal: AbortSignal
}

interface NewLogs {
  readonly logs: readonly LogArgument[]
  readonly known: ReadonlyMap<string, number>
}

/** Leaves out the logs that earlier jobs have. What cannot be read stays: it fails where it is prepared. */
async function newLogs(
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
