import { shareOf } from '../score.ts'
import { percent } from './check-limits.ts'
import { groupOf, workOf } from './group-rows.ts'
import type { BundleReport, ReportBreach, ReportComparison, ReportGroup, ReportRow } from './report-schema.ts'

/** A report with what changed since an earlier one. */
export type ComparedReport = Pick<BundleReport, 'rows' | 'failures'>

interface Figure<T> {
  readonly name: string
  readonly better: 'lower' | 'higher'
  readonly of: (value: T) => number | undefined
}

const totalFigures: readonly Figure<ReportGroup>[] = [
  { name: 'ratio', better: 'lower', of: ({ work }) => work.ratio },
  { name: 'retention', better: 'higher', of: ({ all }) => all.retention },
  { name: 'precision', better: 'higher', of: ({ precision }) => precision },
  { name: 'faithfulness', better: 'higher', of: ({ faithfulness }) => faithfulness },
]

const rowFigures: readonly Figure<ReportRow>[] = [
  { name: 'ratio', better: 'lower', of: ({ band, ratio }) => (band === 'small' ? undefined : ratio) },
  { name: 'retention', better: 'higher', of: ({ retention }) => retention?.share },
  { name: 'faithfulness', better: 'higher', of: ({ faithfulness }) => faithfulness && shareOf(faithfulness) },
]

/**
 * What changed since a baseline: of each log that is in both, and of all those together. `worse` if it is beyond the tolerance,
 * an absolute difference of shares. One more failed log is worse at any tolerance.
 */
export function compareReports(
  before: ComparedReport,
  after: ComparedReport,
  tolerance: number,
): ReportComparison {
  const known = new Map(current(before).map((row) => [workOf(row), row]))
  const now = new Map(current(after).map((row) => [workOf(row), row]))
  const both = (rows: ReadonlyMap<string, ReportRow>): ReportGroup =>
    groupOf(
      'both',
      [...rows].flatMap(([work, row]) => (known.has(work) && now.has(work) ? [row] : [])),
    )
  const ofRows = [...now].flatMap(([work, row]) => {
    const same = known.get(work)
    return same === undefined ? [] : changesOf(rowFigures, same, row, tolerance, row.log)
  })
  const failed = { before: before.failures.length, after: after.failures.length }
  const failures = { figure: 'failures', ...failed, worse: failed.after > failed.before }
  return {
    tolerance,
    changes: [
      ...changesOf(totalFigures, both(known), both(now), tolerance),
      ...(failed.before === failed.after ? [] : [failures]),
      ...ofRows,
    ],
    added: [...now].flatMap(([work, { log }]) => (known.has(work) ? [] : [log])),
    removed: [...known].flatMap(([work, { log }]) => (now.has(work) ? [] : [log])),
  }
}

/** The changes for the worse, as limits that are not kept. */
export function baselineBreaches({ changes, tolerance }: ReportComparison): ReportBreach[] {
  return changes.flatMap(({ worse, figure, log, before, after }) => {
    if (!worse) return []
    const shown = figure === 'failures' ? [String(before), String(after)] : [percent(before), percent(after)]
    const beyond = figure === 'failures' ? '' : `, beyond --tolerance ${tolerance}`
    return [
      {
        limit: `baseline ${figure}`,
        ...(log !== undefined && { log }),
        value: after,
        bound: before,
        by: Math.abs(after - before),
        message: `${log ?? 'all logs'}: ${figure} went from ${shown.join(' to ')}${beyond}`,
      },
    ]
  })
}

function current({ rows }: ComparedReport): ReportRow[] {
  return rows.filter(({ superseded }) => superseded === undefined)
}

function changesOf<T>(
  figures: readonly Figure<T>[],
  before: T,
  after: T,
  tolerance: number,
  log?: string,
): ReportComparison['changes'] {
  return figures.flatMap(({ name, better, of }) => {
    const [old, now] = [of(before), of(after)]
    // Less than one ten-thousandth is how ratios are rounded.
    if (old === undefined || now === undefined || Math.abs(now - old) < 1e-4) return []
    const loss = better === 'lower' ? now - old : old - now
    const change = { figure: name, before: old, after: now, worse: loss > tolerance }
    return [log === undefined ? change : { ...change, log }]
  })
}
