import type { FoundFiles, PriceTable, ProgressEvent, SummarizerCall } from '@tenfold/core'
import { costOf } from '@tenfold/core/internal'
import { foundJson, foundLines } from '../logs/gather-logs.ts'
import { defaultStore } from '../store/project-store.ts'
import { type ExitCode, exitCodes } from '../terminal/exit-codes.ts'
import { formatCount, formatDuration, formatNumberOf, formatShare } from '../terminal/numbers.ts'
import { progressLine, stepLine } from '../terminal/progress.ts'
import type { Terminal } from '../terminal/terminal.ts'
import type { ChosenLog } from './choose-logs.ts'
import type { LogOutcome } from './compress-one.ts'
import type { CompressOptions } from './compress-options.ts'
import {
  compressedLines,
  estimatedLine,
  estimateTotals,
  knownLines,
  outcomeJson,
  spentText,
  totalLine,
} from './compress-report.ts'
import type { CompressedLogSummary } from './log-summary.ts'

interface RunReportOptions {
  readonly options: CompressOptions
  readonly terminal: Terminal
  readonly prices: PriceTable
  readonly left: number
  readonly found?: FoundFiles | undefined
}

export function runReport(
  logs: readonly ChosenLog[],
  { options, terminal, prices, left, found }: RunReportOptions,
) {
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
    const spent = spentText(error.calls ?? [], prices)
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

  function sayNext(): void {
    const saved = done[0]?.path !== undefined || counts.known > 0
    if (logs.length !== 1 || !saved || json || out === '-' || options.store !== defaultStore()) return
    const track = done[0]?.track ?? options.track
    const of = track === 'main' ? '' : ` --track ${track}`
    terminal.hint(`To go on with it: tenfold resume${of}. To look at it: tenfold view LATEST --open${of}`)
  }

  return {
    progress: progress.step,
    show(outcome: LogOutcome): void {
      count(outcome)
      progress.end(outcome)
      if (json) terminal.printJson(outcomeJson(outcome))
      fail(outcome)
      const { done: result, markdown = result?.markdown } = outcome
      if (result?.warning !== undefined) terminal.warn(`warning: ${result.warning}`)
      if (markdown !== undefined) terminal.write(markdown)
      const text = json ? [] : lines(outcome)
      if (text.length > 0) say(text.join('\n'))
    },
    end(interrupted: boolean): ExitCode {
      progress.clear()
      if (counts.untried > 0)
        terminal.fail(
          `${formatNumberOf(counts.untried, 'log')} not tried: they would fail for the same reason.`,
        )
      if ((logs.length > 1 || left > 0) && !json) say(totals().join('\n'))
      if (found !== undefined && json) terminal.printJson(foundJson(found))
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

function runProgress(logs: readonly ChosenLog[], terminal: Terminal, wanted: boolean, prices: PriceTable) {
  const line = progressLine(terminal, wanted)
  const todo = logs.filter((log) => !('known' in log) && !('sameAs' in log))
  const sizes = new Map(todo.map((log) => [log.log, 'bytes' in log ? log.bytes : undefined]))
  const sized = todo.every(({ log }) => sizes.get(log) !== undefined)
  const weight = (log: string): number => (sized ? Math.max(1, sizes.get(log) ?? 0) : 1)
  const all = todo.reduce((sum, { log }) => sum + weight(log), 0)
  const started = performance.now()
  const calls: SummarizerCall[] = []
  const sum = { done: 0, weight: 0, source: 0, bundle: 0 }

  function soFar(): string {
    const elapsed = performance.now() - started
    const cost = costOf(calls, prices)
    return [
      `${sum.done} of ${todo.length}`,
      ...(sum.done === 0
        ? []
        : [
            rateText((sum.done / elapsed) * 1000),
            `${formatDuration((elapsed / sum.weight) * (all - sum.weight))} left`,
          ]),
      ...(sum.source === 0
        ? []
        : [`${formatCount(sum.source)} tokens to ${formatShare(sum.bundle / sum.source, 1)}`]),
      ...(cost === undefined ? [] : [`${cost.amount.toFixed(2)} ${cost.currency}`]),
    ].join(' · ')
  }

  return {
    clear: line.clear,
    step: (log: string, event: ProgressEvent) =>
      line.show(event.step, () =>
        todo.length > 1 ? `${soFar()} · ${stepLine(log, event)}` : stepLine(log, event),
      ),
    end({ log, done, error }: LogOutcome): void {
      if (!sizes.has(log)) return
      sum.done += 1
      sum.weight += weight(log)
      sum.source += done?.tokens.source ?? 0
      sum.bundle += done?.tokens.bundle ?? 0
      calls.push(...(done?.calls ?? error?.calls ?? []))
    },
  }
}

function rateText(perSecond: number): string {
  return perSecond >= 1 ? `${perSecond.toFixed(1)}/s` : `${(perSecond * 60).toFixed(1)}/min`
}
