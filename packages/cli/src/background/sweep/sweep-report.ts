import { cleanLine } from '@tenfold/core/internal'
import { compressedLines, outcomeJson } from '../../compress/compress-report.ts'
import { outcomeReport } from '../../compress/run-report.ts'
import type { ExitCode } from '../../terminal/exit-codes.ts'
import { formatNumberOf, textOfCounts } from '../../terminal/numbers.ts'
import { showProgress } from '../../terminal/progress.ts'
import { printTable } from '../../terminal/table.ts'
import type { Terminal } from '../../terminal/terminal.ts'
import type { HookJob } from '../hooks/job-queue.ts'
import type { SweepOptions } from './sweep-options.ts'
import type { SweepSkips, SweepTarget, SweptLog } from './sweep-target.ts'

export type SweepReport = ReturnType<typeof sweepReport>

export function sweepReport(terminal: Terminal, { json }: Pick<SweepOptions, 'json'>) {
  const progress = showProgress(terminal)
  const report = outcomeReport(terminal, { json })
  let skipped = ''
  terminal.workWithoutReader()
  return {
    skipped(found: SweepSkips): void {
      skipped = skippedLine(found)
    },
    progress: progress.show,
    show(swept: SweptLog): void {
      const { target, done } = swept
      report.show(swept, sweptJson(swept), done ? compressedLines(target.log, done, terminal) : [])
    },
    end(interrupted: boolean): ExitCode {
      const { known, stopped } = report.counts
      progress.clear()
      const before = known === 0 ? '' : `${formatNumberOf(known, 'log')} compressed before.`
      const lines = [report.total(), before, skipped].filter((line) => line !== '')
      if (!json) terminal.say(lines.join('\n'))
      if (interrupted)
        terminal.warn(`Interrupted: ${formatNumberOf(stopped, 'log')} left for the next sweep.`)
      return report.code(interrupted)
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
  const parts = textOfCounts(
    [done, `${done} compressed before`],
    [busy, `${busy} not quiet yet`],
    [failed, `${failed} failed before and unchanged (--retry tries again)`],
    [own, `${own} of tenfold's own`],
  )
  return parts === '' ? '' : `Left alone: ${parts}.`
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
    printTable(terminal, columns, cells)
    terminal.say(`${formatNumberOf(rows.length, 'log')} to compress; nothing was written.`)
  }
  const line = skippedLine(found.skipped)
  if (line !== '') terminal.say(line)
}
