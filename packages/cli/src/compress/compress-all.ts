import { availableParallelism } from 'node:os'
import type { ProgressEvent } from '@tenfold/core'
import { logThreads } from '@tenfold/core/internal'
import { gatherLogs, type LogArgument } from '../logs/gather-logs.ts'
import { type LogMemory, logMemory } from '../logs/log-memory.ts'
import { makeRedactors } from '../options/log-options.ts'
import { sharedSpending } from '../options/model-options.ts'
import { limitsOfLog } from '../options/options.ts'
import { trackOfFolder } from '../sources/peek-log.ts'
import { findBundle } from '../store/find-bundle.ts'
import { openStore, openStoreToWrite } from '../store/open-store.ts'
import type { Failure } from '../terminal/failure.ts'
import { countProgress } from '../terminal/progress.ts'
import { type CommandContext, type ExitCode, exitCodes } from '../terminal/terminal.ts'
import { unlessFaulty } from '../terminal/thrown.ts'
import { type ChosenLog, chooseLogs, knownLog, type LogToCompress } from './choose-logs.ts'
import { asksModels, compressOne, type LogOutcome, libraryOptions } from './compress-one.ts'
import type { CompressOptions } from './compress-options.ts'
import { runInOrder, withinBudget } from './run-in-order.ts'
import { runReport } from './run-report.ts'
import { tuneV8 } from './tune-v8.ts'

/** A failure does not stop the other logs, unless its cause affects them all: a key, an account or the budget. */
export async function compressAll(
  paths: readonly string[],
  options: CompressOptions,
  { terminal, signal }: CommandContext,
): Promise<ExitCode> {
  const { dryRun = false, again = false, limit = Number.POSITIVE_INFINITY, reading, track } = options
  const store = await (dryRun ? openStore : openStoreToWrite)(options.store, terminal)
  if (!dryRun) terminal.workWithoutReader()
  const previous =
    options.previous === undefined
      ? undefined
      : await findBundle(options.previous, { store, track, terminal })
  // Faults in prices, patterns or a model's context window are found before any log is read.
  const { limits, prices, maxCost, spending, summarizers } = await sharedSpending(options)
  const redactors = await makeRedactors(options)
  const library = libraryOptions(options, { summarizer: summarizers, redactors, limits, previous, signal })
  const memory = logMemory(paths, { reading, signal }, options.store)
  const gathered = await gatherLogs(paths, { ...options, memory }, { terminal, signal })
  const byProject = options.trackByProject === true && gathered.found.length > 0
  const given: LogArgument[] = []
  for (const log of gathered.logs) given.push(byProject ? await withTrack(log, memory, signal) : log)
  if (options.output !== undefined && given.length > 1) {
    terminal.fail(`expected a single log with --output, got a folder with ${given.length} logs`)
    return exitCodes.usage
  }
  const progress = countProgress(terminal)
  const onProgress = (done: number) => progress('looking for what is already compressed', done, given.length)
  const looking = { store, readOnly: dryRun, library, limit, memory, onProgress }
  const { chosen, left } = again
    ? { chosen: given.slice(0, limit), left: Math.max(0, given.length - limit) }
    : await chooseLogs(given, looking)
  if (!dryRun) memory.save()
  tuneV8(chosen.reduce((most, log) => Math.max(most, 'bytes' in log ? (log.bytes ?? 0) : 0), 0))

  const report = runReport(chosen, { options, terminal, left, prices, found: gathered.found })
  const work = { options, library, store: dryRun ? undefined : store }
  const wanted = Math.max(1, Math.min(options.concurrency ?? availableParallelism(), chosen.length))
  const threads = needsThreads(chosen, options, asksModels(summarizers))
    ? await logThreads({
        ...{ ...library, store: work.store, concurrency: wanted },
        modelConcurrency: options.modelConcurrency,
        ...limitsOfLog(options),
      })
    : undefined
  // Without threads, `modelConcurrency` also limits the number of logs at a time.
  const concurrency = threads === undefined ? Math.min(wanted, options.modelConcurrency) : wanted
  const perLog = Math.max(1, Math.floor(options.modelConcurrency / concurrency))
  const attempt = withinBudget(spending, async (log: LogToCompress) => {
    const left = maxCost === undefined ? limits : { ...limits, maxCost: spending.remainingCost() }
    const one = {
      ...work,
      library: { ...library, limits: left, concurrency: perLog },
      again,
      note: terminal.note,
      report: (event: ProgressEvent) => report.progress(log.log, event),
    }
    return await compressOne(log, one, log.log === '-' ? undefined : threads)
  })
  let hopeless: Failure | undefined
  const compress = async (log: ChosenLog): Promise<LogOutcome> => {
    if ('known' in log) return await knownLog(log, options, library, store)
    if ('sameAs' in log) return log
    if (hopeless !== undefined) return { log: log.log, error: notTried, untried: true }
    const outcome = await attempt(log)
    const { known, error } = outcome
    if (known !== undefined) {
      // With a digest, the log was looked up before and was not compressed then.
      const elsewhere = log.digest !== undefined && { elsewhere: true as const }
      return { ...(await knownLog({ log: log.log, known }, options, library, store)), ...elsewhere }
    }
    // If nothing is spent yet, only this log is too large for the limit; others may be smaller.
    const isSpent = error?.overBudget && maxCost !== undefined && spending.remainingCost() < maxCost
    if (error?.ofAccount || isSpent) hopeless = error
    return outcome
  }
  await runInOrder(chosen, concurrency, compress, report.show)
  await threads?.close()
  return report.end(signal.aborted)
}

const notTried: Failure = {
  code: 'not-tried',
  message:
    'Not tried: another log failed because of a key, an account or a limit that also applies to this log.',
}

async function withTrack(argument: LogArgument, memory: LogMemory, signal: AbortSignal) {
  if (argument.failure !== undefined) return argument
  // Faults of the log are reported when it is compressed.
  const identity = await unlessFaulty(memory.identify(argument), undefined, signal)
  const track = trackOfFolder(identity?.cwd)
  return track === undefined ? argument : { ...argument, track }
}

/** Below this many bytes, threads take longer to start than they save. A log of unknown size fails or is a pipe. */
const worthThreads = 2_000_000

function needsThreads(
  chosen: readonly ChosenLog[],
  { dryRun, logTime, logMemory }: CompressOptions,
  models: boolean,
): boolean {
  // A dry run with a model estimates the cost of requests, which happens in this thread.
  if (dryRun && models) return false
  const todo = chosen.flatMap((log) =>
    'known' in log || 'sameAs' in log || log.failure !== undefined ? [] : [log],
  )
  // Limits need a thread, because only a thread can be stopped.
  if ((logTime ?? logMemory) !== undefined) return todo.length > 0
  const bytes = todo.reduce((sum, log) => sum + (log.bytes ?? 0), 0)
  return todo.length > 1 && bytes > worthThreads
}
