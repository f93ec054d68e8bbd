import type { FoundFiles, PriceTable, ProgressEvent, SummarizerCall } from '@tenfold/core'
import { costOf } from '@tenfold/core/internal'
import { tellFound } from '../logs/gather-logs.ts'
import { defaultStore } from '../store/project-store.ts'
import { progressLine, stepLine } from '../terminal/progress.ts'
import { present } from '../terminal/report.ts'
import { type ExitCode, exitCodes, type Terminal } from '../terminal/terminal.ts'
import { formatDuration, formatNumberOf, textOfCounts } from '../terminal/text.ts'
import type { ChosenLog } from './choose-logs.ts'
import type { CompressedLogSummary, LogOutcome } from './compress-one.ts'
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

interface RunReportOptions {
  readonly options: CompressOptions
  readonly terminal: Terminal
  readonly prices: PriceTable
  readonly left: number
  readonly found: readonly FoundFiles[]
}

export function runReport(
  logs: readonly ChosenLog[],
  { options, terminal, prices, left, found }: RunReportOptions,
) {
  const { dryRun, output, store } = options
  const { json } = terminal
  // Stdout is reserved for the Markdown.
  const say = output === '-' ? terminal.note : terminal.say
  const report = outcomeReport(terminal, { prices, say })
  const { done, calls, counts } = report
  const estimated: LogOutcome[] = []
  const progress = runProgress(logs, terminal, () => costOf(calls, prices))

  function lines(outcome: LogOutcome): string[] {
    if (outcome.done !== undefined) return compressedLines(outcome.log, outcome.done, terminal)
    if (outcome.estimates !== undefined) return [estimatedLine(outcome, prices)]
    // Among many logs, those already compressed are only counted.
    return logs.length === 1 ? knownLines(outcome, store, terminal) : []
  }

  function totals(): string[] {
    const before = counts.known - counts.elsewhere
    const others = textOfCounts(
      [before, `${formatNumberOf(before, 'log')} already compressed`],
      [counts.elsewhere, `${formatNumberOf(counts.elsewhere, 'log')} compressed by another run meanwhile`],
      [counts.same, `${formatNumberOf(counts.same, 'copy', 'copies')} of other logs`],
      [left, `${formatNumberOf(left, 'log')} left for the next run`],
    )
    const total = estimated.length > 0 ? estimateTotals(estimated, prices) : [report.total()]
    return [...total, ...(others === '' ? [] : [`${others}.`])]
  }

  function hintNext(): void {
    const saved = done[0]?.path !== undefined || counts.known > 0
    if (logs.length !== 1 || !saved || json || output === '-' || store !== defaultStore()) return
    const track = done[0]?.track ?? options.track
    const of = track === 'main' ? '' : ` --track ${track}`
    terminal.hint(`To continue: tenfold resume${of}\nTo look at it: tenfold view LATEST --open${of}`)
  }

  return {
    progress: progress.step,
    show(outcome: LogOutcome): void {
      const { estimates, markdown = outcome.done?.markdown } = outcome
      if (estimates !== undefined) estimated.push(outcome)
      progress.end(outcome)
      if (markdown !== undefined) terminal.write(markdown)
      report.show(outcome, outcomeJson(outcome), lines(outcome))
    },
    end(interrupted: boolean): ExitCode {
      if (counts.untried > 0)
        terminal.fail(
          `${formatNumberOf(counts.untried, 'log')} not tried: they would fail for the same reason.`,
        )
      if ((logs.length > 1 || left > 0) && !json) say(totals().join('\n'))
      tellFound(found, terminal, say)
      hintNext()
      if (interrupted) {
        const kept = dryRun ? '' : ' Finished logs are saved; no log was saved in part.'
        const spent = spentText(calls, prices)
        const paid = spent === undefined ? '' : ` Spent: ${spent}.`
        const finished = done.length + counts.known
        terminal.warn(`Interrupted: ${finished} of ${formatNumberOf(logs.length, 'log')} done.${kept}${paid}`)
      }
      return report.code(interrupted)
    },
  }
}

interface OutcomeReportOptions {
  readonly prices?: PriceTable
  readonly say?: (text: string) => void
}

export function outcomeReport(terminal: Terminal, { prices, say = terminal.say }: OutcomeReportOptions = {}) {
  const started = performance.now()
  const done: CompressedLogSummary[] = []
  const calls: SummarizerCall[] = []
  const counts = { known: 0, elsewhere: 0, same: 0, failed: 0, untried: 0, stopped: 0 }
  return {
    ...{ done, calls, counts },
    show(outcome: CountedOutcome, value: object, lines: readonly string[]): void {
      const { known, done: result, sameAs, untried, interrupted, error, elsewhere } = outcome
      if (known !== undefined) counts.known += 1
      else if (result !== undefined) done.push(result)
      else if (sameAs !== undefined) counts.same += 1
      else if (untried) counts.untried += 1
      else if (interrupted) counts.stopped += 1
      else if (error !== undefined) counts.failed += 1
      if (elsewhere) counts.elsewhere += 1
      calls.push(...(result?.calls ?? error?.calls ?? []))
      if (terminal.json) terminal.printJson(value)
      if (error !== undefined && !interrupted && !untried) {
        terminal.fail(error.message)
        const spent = spentText(error.calls ?? [], prices)
        if (spent !== undefined) terminal.warn(`already spent on it: ${spent}`)
      }
      if (result?.warning !== undefined) terminal.warn(`warning: ${result.warning}`)
      if (!terminal.json && lines.length > 0) say(lines.join('\n'))
    },
    total(): string {
      const milliseconds = performance.now() - started
      const spent = spentText(calls, prices ?? done[0]?.prices)
      return totalLine(done, { failed: counts.failed, spent, milliseconds }, terminal)
    },
    code(interrupted: boolean): ExitCode {
      if (interrupted) return exitCodes.interrupted
      return counts.failed + counts.untried > 0 ? exitCodes.failed : exitCodes.done
    },
  }
}

type CountedOutcome = Omit<LogOutcome, 'known'> & { readonly known?: unknown }

/** Progress over many logs: how many are done, the remaining time estimated from known sizes, and the cost. */
function runProgress(logs: readonly ChosenLog[], terminal: Terminal, cost: () => ReturnType<typeof costOf>) {
  const show = progressLine(terminal)
  const todo = logs.flatMap((log) => ('known' in log || 'sameAs' in log ? [] : [log]))
  const weights = new Map(todo.map(({ log, bytes = 0 }) => [log, bytes + 1]))
  const all = [...weights.values()].reduce((sum, weight) => sum + weight, 0)
  const started = performance.now()
  const sum = { done: 0, weight: 0 }

  function soFar(): string {
    const elapsed = performance.now() - started
    const spent = cost()
    return present([
      `${sum.done} of ${todo.length}`,
      sum.done > 0 && `${formatDuration((elapsed / sum.weight) * (all - sum.weight))} left`,
      spent && `${spent.amount.toFixed(2)} ${spent.currency}`,
    ]).join(' · ')
  }

  return {
    step(log: string, event: ProgressEvent): void {
      show(event.step, () => `${todo.length > 1 ? `${soFar()} · ` : ''}${stepLine(log, event)}`)
    },
    end({ log }: LogOutcome): void {
      sum.done += weights.has(log) ? 1 : 0
      sum.weight += weights.get(log) ?? 0
    },
  }
}
