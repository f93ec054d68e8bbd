import type { SummarizerCall } from '@tenfold/core'
import { cleanLine } from '@tenfold/core/internal'
import { compressedLines, outcomeJson, totalLine } from '../../compress/compress-report.ts'
import type { CompressedLogSummary } from '../../compress/log-summary.ts'
import { type ExitCode, exitCodes } from '../../terminal/exit-codes.ts'
import { formatNumberOf } from '../../terminal/numbers.ts'
import { showProgress } from '../../terminal/progress.ts'
import { formatTable } from '../../terminal/table.ts'
import type { Terminal } from '../../terminal/terminal.ts'
import type { HookJob } from '../hooks/job-queue.ts'
import type { SweepOptions } from './run-sweep.ts'
import type { SweepSkips, SweepTarget, SweptLog } from './sweep-target.ts'

export type SweepReport = ReturnType<typeof sweepReport>

export function sweepReport(terminal: Terminal, { json }: Pick<SweepOptions, 'json'>) {
  const started = performance.now()
  const progress = showProgress(terminal, !json)
  const done: CompressedLogSummary[] = []
  const calls: SummarizerCall[] = []
  let known = 0
  let failed = 0
  let stopped = 0
  let skips: SweepSkips | undefined
  terminal.workWithoutReader()
  return {
    skipped(found: SweepSkips): void {
      skips = found
    },
    progress: progress.show,
    show(swept: SweptLog): void {
      const { target, done: result, error, interrupted } = swept
      if (swept.known !== undefined) known += 1
      else if (result !== undefined) done.push(result)
      else if (interrupted) stopped += 1
      else failed += 1
      calls.push(...(result?.calls ?? error?.calls ?? []))
      if (json) terminal.printJson(sweptJson(swept))
      if (error !== undefined && !interrupted) terminal.fail(error.message)
      if (result?.warning !== undefined) terminal.warn(`warning: ${result.warning}`)
      if (result !== undefined && !json)
        terminal.say(compressedLines(target.log, result, terminal).join('\n'))
    },
    end(interrupted: boolean): ExitCode {
      progress.clear()
      if (!json) {
        const milliseconds = performance.now() - started
        terminal.say(totalLine({ done, failed, calls, milliseconds }, terminal.style))
        if (known > 0) terminal.say(`${formatNumberOf(known, 'log')} compressed before.`)
        if (skips !== undefined && skippedLine(skips) !== '') terminal.say(skippedLine(skips))
      }
      if (interrupted) {
        terminal.warn(`Interrupted: ${formatNumberOf(stopped, 'log')} left for the next sweep.`)
        return exitCodes.interrupted
      }
      return failed > 0 ? exitCodes.failed : exitCodes.done
    },
  }
}

function sweptJson(swept: SweptLog): Record<string, unknown> {
  const { agent, store, job } = swept.target
  const why = { agent, store, queued: job?.event ?? null }
  const { known, ...outcome } = swept
  if (known !== undefined) return { log: swept.log, ...why, known }
  return { ...outcomeJson(outcome), ...why, ...(swept.done !== undefined && { track: swept.done.track }) }
}

function skippedLine({ done, busy, failed, own }: SweepSkips): string {
  const parts = [
    ...(done > 0 ? [`${done} compressed before`] : []),
    ...(busy > 0 ? [`${busy} not quiet yet`] : []),
    ...(failed > 0 ? [`${failed} failed before and unchanged (--retry tries again)`] : []),
    ...(own > 0 ? [`${own} of tenfold's own`] : []),
  ]
  return parts.length === 0 ? '' : `Left alone: ${parts.join(', ')}.`
}

export function busyLine(terminal: Terminal, pid: number | undefined, json: boolean): void {
  if (json) terminal.printJson({ busy: true, pid: pid ?? null })
  else
    terminal.note(
      `Another sweep is running${pid === undefined ? '' : ` (process ${pid})`}; nothing to do here.`,
    )
}

export function sayTargets(
  terminal: Terminal,
  found: {
    readonly jobs: readonly HookJob[]
    readonly targets: readonly SweepTarget[]
    readonly skipped: SweepSkips
    readonly json: boolean
  },
): void {
  const rows = [
    ...found.jobs.map(({ agent, log, store, notBefore, event }) => ({
      agent,
      log,
      store,
      queued: event as string | null,
      when: notBefore > Date.now() ? new Date(notBefore).toISOString() : 'now',
    })),
    ...found.targets.map(({ agent, log, store }) => ({ agent, log, store, queued: null, when: 'now' })),
  ]
  if (found.json) {
    for (const row of rows) terminal.printJson({ ...row, dryRun: true })
    return
  }
  if (rows.length === 0) terminal.say('Nothing to compress.')
  else {
    const columns = [
      { title: 'AGENT' },
      { title: 'FROM', drop: 2 },
      { title: 'WHEN', drop: 1 },
      { title: 'LOG' },
      { title: 'STORE', drop: 3 },
    ]
    const cells = rows.map(({ agent, log, store, queued, when }) =>
      [agent, queued ?? 'folder', when, log, store].map(cleanLine),
    )
    const [head = '', ...lines] = formatTable(columns, cells, terminal.columns)
    terminal.print([terminal.style.dim(head), ...lines].join('\n'))
    terminal.say(`${formatNumberOf(rows.length, 'log')} to compress; nothing was written.`)
  }
  const line = skippedLine(found.skipped)
  if (line !== '') terminal.say(line)
}
