import { cleanLine } from '@tenfold/core/internal'
import { drainQueue, type QueueStatus, queueStatus, type RunStatus, retryJobs } from '@tenfold/queue'
import type { ValuesOf } from '../options/option.ts'
import { openStorage } from '../store/open-store.ts'
import { type ExitCode, exitCodes } from '../terminal/exit-codes.ts'
import { formatCount, formatNumberOf, formatShare } from '../terminal/numbers.ts'
import { formatTable } from '../terminal/table.ts'
import type { CommandContext, Screen } from '../terminal/terminal.ts'
import type { drainOptions, retryOptions, statusOptions } from './queue-options.ts'

export async function showQueue(
  options: ValuesOf<typeof statusOptions>,
  { terminal }: Pick<CommandContext, 'terminal'>,
): Promise<void> {
  const status = await queueStatus(options)
  if (options.json) terminal.printJson(status, 2)
  else terminal.print(statusLines(status, terminal).join('\n'))
}

function statusLines(
  { waiting, active, delayed, failed, workers, runs, failures }: QueueStatus,
  { style, columns }: Screen,
): string[] {
  const later = delayed === 0 ? '' : `, ${delayed} to be tried again`
  return [
    `${style.bold(`${formatCount(waiting)} waiting, ${active} in work${later}, ${failed} failed`)}; ${formatNumberOf(workers, 'worker')}`,
    ...(runs.length === 0 ? [] : ['', ...formatTable(runColumns, runs.slice(0, 10).map(runRow), columns)]),
    ...(failures.length === 0 ? [] : ['', style.bold('Failed:')]),
    ...failures.map(
      ({ job, log, code, message, attempts }) =>
        `  ${cleanLine(`${job} ${log}: ${message} (${code}, ${formatNumberOf(attempts, 'attempt')})`)}`,
    ),
    ...(failed > failures.length ? [`  … and ${failed - failures.length} more: --failures ${failed}`] : []),
    ...(failed > 0 ? ['Try them again: tenfold queue retry'] : []),
  ]
}

const runColumns = [
  { title: 'queued at' },
  { title: 'done', align: 'right' },
  { title: 'tokens', align: 'right' },
  { title: 'ratio', align: 'right' },
  { title: 'calls', align: 'right', drop: 1 },
  { title: 'cost', align: 'right' },
  { title: 'limit', align: 'right', drop: 2 },
  { title: 'of killed workers', align: 'right', drop: 3 },
] as const

function runRow(run: RunStatus): string[] {
  const { sourceTokens, bundleTokens, lostCalls, lost, maxCost } = run
  return [
    run.startedAt.slice(0, 16).replace('T', ' '),
    formatCount(run.done + run.known),
    formatCount(sourceTokens),
    sourceTokens === 0 ? '' : formatShare(bundleTokens / sourceTokens),
    formatCount(run.calls),
    run.calls === 0 ? '' : run.spent.toFixed(4),
    maxCost === undefined ? '' : String(maxCost),
    lostCalls === 0 ? '' : `${formatNumberOf(lostCalls, 'call')}, at most ${lost.toFixed(4)}`,
  ]
}

export async function retryFailed(
  jobs: readonly string[],
  options: ValuesOf<typeof retryOptions>,
  { terminal }: Pick<CommandContext, 'terminal'>,
): Promise<ExitCode> {
  const retried = await retryJobs({ ...options, ...(jobs.length > 0 && { jobs }) })
  if (options.json) terminal.printJson({ retried }, 2)
  else terminal.say(`${formatNumberOf(retried.length, 'log')} will be tried again.`)
  return retried.length < jobs.length ? exitCodes.failed : exitCodes.done
}

export async function emptyQueue(
  options: ValuesOf<typeof drainOptions>,
  { terminal }: Pick<CommandContext, 'terminal'>,
): Promise<void> {
  const removed = await drainQueue({ ...options, openStorage })
  if (options.json) terminal.printJson({ removed }, 2)
  else terminal.say(`${formatNumberOf(removed, 'log')} removed from the queue.`)
}
