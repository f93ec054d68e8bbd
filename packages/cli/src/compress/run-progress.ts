import { costOf, type PriceTable, type ProgressEvent, type SummarizerCall } from '@tenfold/core'
import { formatCount, formatDuration, formatShare } from '../terminal/numbers.ts'
import { progressLine, stepLine } from '../terminal/progress.ts'
import type { Terminal } from '../terminal/terminal.ts'
import type { ChosenLog } from './choose-logs.ts'
import type { LogOutcome } from './compress-one.ts'

/** The progress line of a run. */
export interface RunProgress {
  step(log: string, event: ProgressEvent): void
  end(outcome: LogOutcome): void
  clear(): void
}

/** Shows the step of a single log; of several also how far the run is, and what it has made and spent so far. */
export function runProgress(
  logs: readonly ChosenLog[],
  terminal: Terminal,
  wanted: boolean,
  prices: PriceTable,
): RunProgress {
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
    step: (log, event) =>
      line.show(event.step, () =>
        todo.length > 1 ? `${soFar()} · ${stepLine(log, event)}` : stepLine(log, event),
      ),
    end({ log, done, error }) {
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
