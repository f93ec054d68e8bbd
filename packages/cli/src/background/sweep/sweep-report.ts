import { compressedLines, outcomeJson } from '../../compress/compress-report.ts'
import { outcomeReport } from '../../compress/run-report.ts'
import type { ExitCode } from '../../terminal/exit-codes.ts'
import { formatNumberOf, textOfCounts } from '../../terminal/numbers.ts'
import { showProgress } from '../../terminal/progress.ts'
import { printReport, tableOf } from '../../terminal/report.ts'
import type { Terminal } from '../../terminal/terminal.ts'
import type { HookJob } from '../hooks/job-queue.ts'
import type { SweepSkips, SweepTarget, SweptLog } from './sweep-target.ts'

export type SweepReport = ReturnType<typeof sweepReport>

export function sweepReport(terminal: Terminal) {
  const report = outcomeReport(terminal)
  let skipped: string[] = []
  terminal.workWithoutReader()
  return {
    progress: showProgress(terminal),
    skipped(found: SweepSkips): void {
      skipped = skippedLines(found)
    },
    show(swept: SweptLog): void {
      const { target, done } = swept
      report.show(swept, sweptJson(swept), done ? compressedLines(target.log, done, terminal) : [])
    },
    end(interrupted: boolean): ExitCode {
      const { known, stopped } = report.counts
      const before = known === 0 ? [] : [`${formatNumberOf(known, 'log')} already compressed.`]
      if (!terminal.json) terminal.say([report.total(), ...before, ...skipped].join('\n'))
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

function skippedLines({ done, busy, failed, own }: SweepSkips): string[] {
  const parts = textOfCounts(
    [done, `${done} already compressed`],
    [busy, `${busy} still in use or changed recently`],
    [failed, `${failed} failed before and unchanged (--retry tries again)`],
    [own, `${own} of tenfold's own sessions`],
  )
  return parts === '' ? [] : [`Skipped: ${parts}.`]
}

/** What a sweep would compress. */
export function plannedReport(
  terminal: Terminal,
  jobs: readonly HookJob[],
  { targets, skipped }: { readonly targets: readonly SweepTarget[]; readonly skipped: SweepSkips },
): void {
  const row = ({ agent, log, store }: SweepTarget | HookJob, queued: string | null, when = 'now') => ({
    ...{ agent, log, store, queued, when },
  })
  const rows = [
    ...jobs.map((job) =>
      row(job, job.event, job.notBefore > Date.now() ? new Date(job.notBefore).toISOString() : 'now'),
    ),
    ...targets.map((target) => row(target, null)),
  ]
  if (terminal.json) {
    for (const each of rows) terminal.printJson({ ...each, dryRun: true })
    return
  }
  printReport(terminal, {
    json: rows,
    table: tableOf(rows, [
      { title: 'AGENT', cell: ({ agent }) => agent },
      { title: 'FOUND BY', drop: 2, cell: ({ queued }) => (queued === null ? 'search' : `hook ${queued}`) },
      { title: 'WHEN', drop: 1, cell: ({ when }) => when },
      { title: 'LOG', cell: ({ log }) => log },
      { title: 'STORE', drop: 3, cell: ({ store }) => store },
    ]),
    said: [
      rows.length === 0
        ? 'Nothing to compress.'
        : `${formatNumberOf(rows.length, 'log')} to compress; nothing was written.`,
      ...skippedLines(skipped),
    ],
  })
}
