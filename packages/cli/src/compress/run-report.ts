import type { FoundFiles, PriceTable, ProgressEvent, SummarizerCall } from '@tenfold/core'
import { foundJson, foundLines } from '../logs/found-report.ts'
import { defaultStore } from '../store/project-store.ts'
import { type ExitCode, exitCodes } from '../terminal/exit-codes.ts'
import { toSafeJson } from '../terminal/json-output.ts'
import { formatNumberOf } from '../terminal/numbers.ts'
import { billedText, spentText } from '../terminal/spent-text.ts'
import type { Terminal } from '../terminal/terminal.ts'
import type { ChosenLog } from './choose-logs.ts'
import type { LogOutcome } from './compress-one.ts'
import type { CompressOptions } from './compress-options.ts'
import { compressedLines, knownLines, outcomeJson, totalLine } from './compress-report.ts'
import { estimatedLine, estimateTotals } from './estimate-report.ts'
import type { CompressedLogSummary } from './log-summary.ts'
import { runProgress } from './run-progress.ts'

/** Receives the outcomes of a run in the order of its logs, and prints them. */
export interface RunReport {
  progress(log: string, event: ProgressEvent): void
  show(outcome: LogOutcome): void
  /** Prints the totals and returns the exit code. */
  end(interrupted: boolean): ExitCode
}

export interface RunReportOptions {
  readonly options: CompressOptions
  readonly terminal: Terminal
  readonly prices: PriceTable
  /** Logs beyond the limit of this run. */
  readonly left: number
  readonly found?: FoundFiles | undefined
}

export function runReport(
  logs: readonly ChosenLog[],
  { options, terminal, prices, left, found }: RunReportOptions,
): RunReport {
  const { json, dryRun, out } = options
  const started = performance.now()
  const progress = runProgress(logs, terminal, !json, prices)
  // The Markdown has stdout to itself.
  const say = (text: string): void => (out === '-' ? terminal.note(text) : terminal.say(text))
  const done: CompressedLogSummary[] = []
  const calls: SummarizerCall[] = []
  const estimated: LogOutcome[] = []
  const counts = { known: 0, elsewhere: 0, same: 0, failed: 0, untried: 0 }

  function count({ done: result, known, elsewhere, sameAs, estimates, untried, ...rest }: LogOutcome): void {
    const { interrupted, error } = rest
    if (result !== undefined) done.push(result)
    else if (known !== undefined) counts.known += 1
    else if (sameAs !== undefined) counts.same += 1
    else if (untried) counts.untried += 1
    else if (error !== undefined && !interrupted) counts.failed += 1
    if (elsewhere) counts.elsewhere += 1
    if (estimates !== undefined) estimated.push({ log: '', estimates })
    calls.push(...(result?.calls ?? error?.calls ?? []))
  }

  function fail({ error, interrupted, untried }: LogOutcome): void {
    if (error === undefined || interrupted || untried) return
    terminal.fail(error.message)
    const spent = billedText(error.calls ?? [], prices)
    if (spent !== undefined) terminal.warn(`already spent on it: ${spent}`)
  }

  function lines(outcome: LogOutcome): string[] {
    if (outcome.done !== undefined) return compressedLines(outcome.log, outcome.done, terminal)
    if (outcome.estimates !== undefined) return [estimatedLine(outcome, prices)]
    // Of many logs, those that need nothing are only counted.
    if (outcome.known !== undefined && logs.length === 1)
      return knownLines(outcome, outcome.known, options, terminal)
    return []
  }

  function totals(): string[] {
    const milliseconds = performance.now() - started
    const before = counts.known - counts.elsewhere
    const others = [
      ...(before > 0 ? [`${formatNumberOf(before, 'log')} done before`] : []),
      ...(counts.elsewhere > 0
        ? [`${formatNumberOf(counts.elsewhere, 'log')} done by another run meanwhile`]
        : []),
      ...(counts.same > 0 ? [`${formatNumberOf(counts.same, 'copy', 'copies')} of other logs`] : []),
      ...(left > 0 ? [`${formatNumberOf(left, 'log')} left for another run`] : []),
    ]
    const total =
      dryRun && estimated.length > 0
        ? estimateTotals(estimated, prices)
        : [totalLine({ done, failed: counts.failed, calls, prices, milliseconds }, terminal.style)]
    return [...total, ...(others.length > 0 ? [`${others.join(', ')}.`] : [])]
  }

  /** After one session, the command that goes on with it. */
  function sayNext(): void {
    const saved = done[0]?.path !== undefined || counts.known > 0
    if (logs.length !== 1 || !saved || json || out === '-' || options.store !== defaultStore()) return
    const track = done[0]?.track ?? options.track
    const of = track === 'main' ? '' : ` --track ${track}`
    terminal.hint(`To go on with it: tenfold resume${of}. To look at it: tenfold view LATEST --open${of}`)
  }

  return {
    progress: progress.step,
    show(outcome) {
      count(outcome)
      progress.end(outcome)
      if (json) terminal.print(toSafeJson(outcomeJson(outcome)))
      fail(outcome)
      const { done: result, markdown = result?.markdown } = outcome
      if (result?.warning !== undefined) terminal.warn(`warning: ${result.warning}`)
      if (markdown !== undefined) terminal.write(markdown)
      const text = json ? [] : lines(outcome)
      if (text.length > 0) say(text.join('\n'))
    },
    end(interrupted) {
      progress.clear()
      if (counts.untried > 0)
        terminal.fail(
          `${formatNumberOf(counts.untried, 'log')} not tried: they would fail for the same reason.`,
        )
      if ((logs.length > 1 || left > 0) && !json) say(totals().join('\n'))
      if (found !== undefined && json) terminal.print(toSafeJson(foundJson(found)))
      else if (found !== undefined) say(foundLines(found, terminal).join('\n'))
      sayNext()
      if (interrupted) {
        const kept = dryRun ? '' : ' Finished logs are saved; no log was saved in part.'
        const spent = spentText(calls, prices)
        const paid = spent === undefined ? '' : ` Spent: ${spent}.`
        const finished = done.length + counts.known
        terminal.warn(`Interrupted: ${finished} of ${formatNumberOf(logs.length, 'log')} done.${kept}${paid}`)
        return exitCodes.interrupted
      }
      return counts.failed + counts.untried > 0 ? exitCodes.failed : exitCodes.done
    },
  }
}
