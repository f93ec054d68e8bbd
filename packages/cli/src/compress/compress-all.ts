import { defaultPrices, defaultReaders, type SummarizerCall } from '@tenfold/core'
import { foundJson, foundLines } from '../logs/found-report.ts'
import { gatherLogs } from '../logs/gather-logs.ts'
import { makeSummarizers } from '../options/make-summarizers.ts'
import { limitsOf } from '../options/model-options.ts'
import { makeRedactors } from '../options/redact-options.ts'
import { findBundle } from '../store/find-bundle.ts'
import { openStore, openStoreToWrite } from '../store/open-store.ts'
import type { CommandContext } from '../terminal/command-context.ts'
import { type ExitCode, exitCodes } from '../terminal/exit-codes.ts'
import type { Failure } from '../terminal/failure.ts'
import { toSafeJson } from '../terminal/json-output.ts'
import { formatNumberOf } from '../terminal/numbers.ts'
import { showProgress } from '../terminal/progress.ts'
import { spentText } from '../terminal/spent-text.ts'
import { type CompressedLogSummary, compressOne, type LogOutcome } from './compress-one.ts'
import type { CompressOptions } from './compress-options.ts'
import { compressedLines, outcomeJson, totalLine } from './compress-report.ts'
import { runInOrder } from './run-in-order.ts'

/**
 * Compresses the logs that the arguments name and prints a result for each. One failure does not stop the others,
 * unless its cause is a key or an account that all of them need.
 */
export async function compressAll(
  paths: readonly string[],
  options: CompressOptions,
  { terminal, signal }: CommandContext,
): Promise<ExitCode> {
  const started = performance.now()
  const toStdout = options.out === '-'
  const store = options.dryRun ? undefined : await openStoreToWrite(options.store, terminal)
  if (store !== undefined) terminal.workWithoutReader()
  const previous =
    options.previous === undefined
      ? undefined
      : await findBundle(options.previous, {
          store: store ?? (await openStore(options.store, terminal)),
          track: options.track,
          terminal,
        })
  // Faults in prices, patterns or a model's window are found before any log is read.
  const summarizes = await summarizingOptions(options)
  const { readers = defaultReaders, store: except } = options
  const showsProgress = !options.quiet && !options.json
  const { logs, found } = await gatherLogs(paths, {
    ...{ readers, except, signal, terminal },
    maxLogSize: options.maxLogSize,
    progress: showsProgress,
  })
  if (options.out !== undefined && logs.length > 1) {
    terminal.fail(`expected a single log with --out, got a folder with ${logs.length} logs`)
    return exitCodes.usage
  }
  const progress = showProgress(terminal, showsProgress)
  // The Markdown has stdout to itself.
  const say = (text: string): void => (toStdout ? terminal.warn(text) : terminal.print(text))
  const done: CompressedLogSummary[] = []
  const calls: SummarizerCall[] = []
  const { prices = defaultPrices } = summarizes.limits
  let failed = 0
  let untried = 0
  let hopeless: Failure | undefined

  const emit = (outcome: LogOutcome): void => {
    const result = outcome.done
    if (result !== undefined) done.push(result)
    else if (outcome.untried) untried += 1
    else if (!outcome.interrupted) failed += 1
    if (options.json) terminal.print(toSafeJson(outcomeJson(outcome)))
    calls.push(...(result?.calls ?? outcome.error?.calls ?? []))
    if (outcome.error !== undefined && !outcome.interrupted && !outcome.untried) {
      terminal.fail(outcome.error.message)
      const spent = spentText(outcome.error.calls ?? [], prices)
      if (spent !== undefined) terminal.warn(`already spent on it: ${spent}`)
    }
    if (result === undefined) return
    if (result.warning !== undefined) terminal.warn(`warning: ${result.warning}`)
    if (result.markdown !== undefined) terminal.write(result.markdown)
    if (!options.json && !options.quiet) say(compressedLines(outcome.log, result, terminal).join('\n'))
  }

  const work = {
    options,
    store,
    signal,
    ...summarizes,
    ...(previous !== undefined && { previous }),
  }
  await runInOrder(
    logs,
    options.concurrency,
    async (log) => {
      if (hopeless !== undefined) return { log: log.log, error: notTried, untried: true as const }
      const outcome = await compressOne(log, {
        ...work,
        report: (event) => progress.show(log.log, event),
      })
      if (outcome.error?.ofAccount) hopeless = outcome.error
      return outcome
    },
    emit,
  )
  progress.clear()
  if (untried > 0)
    terminal.fail(`${formatNumberOf(untried, 'log')} not tried: they would fail for the same reason.`)
  if (logs.length > 1 && !options.json && !options.quiet)
    say(totalLine({ done, failed, calls, prices, milliseconds: performance.now() - started }, terminal.style))
  if (found !== undefined && options.json) terminal.print(toSafeJson(foundJson(found)))
  else if (found !== undefined && !options.quiet)
    say(foundLines(found, options.verbose ?? false, terminal.style).join('\n'))
  if (signal.aborted) {
    const kept = store === undefined ? '' : ' Finished logs are saved; no log was saved in part.'
    const spent = spentText(calls, prices)
    const paid = spent === undefined ? '' : ` Spent: ${spent}.`
    terminal.warn(`Interrupted: ${done.length} of ${formatNumberOf(logs.length, 'log')} done.${kept}${paid}`)
    return exitCodes.interrupted
  }
  return failed > 0 ? exitCodes.failed : exitCodes.done
}

const notTried: Failure = {
  code: 'not-tried',
  message: 'Not tried: another log failed because of a key or an account that this one needs too.',
}

async function summarizingOptions(options: CompressOptions) {
  return {
    summarizers: await makeSummarizers(options),
    redactors: await makeRedactors(options),
    limits: await limitsOf(options),
  }
}
