import { groupOf, groupsBy, markSuperseded } from './group-rows.ts'
import {
  baselineBreaches,
  type ComparedReport,
  checkLimits,
  compareReports,
  currentOf,
  type ReportLimits,
} from './limits.ts'
import {
  type BundleReport,
  type GroupKey,
  groupKeys,
  type ReportFailure,
  type ReportRow,
} from './report-schema.ts'

/** Limits to check, and a report to compare with. */
export interface ReportOptions {
  /** Logs that gave no bundle, and bundles that could not be read. @default none */
  readonly failures?: readonly ReportFailure[] | undefined
  /** Limits for the bundles. */
  readonly limits?: ReportLimits | undefined
  /** An earlier report to compare with. */
  readonly baseline?: ComparedReport | undefined
  /** Difference from the baseline that is tolerated, as a share. @default 0.01 */
  readonly tolerance?: number | undefined
}

/** Sums up rows by format, agent, model, kind, project and summarizer, and checks limits. Pure. */
export function report(rows: readonly ReportRow[], options: ReportOptions = {}): BundleReport {
  const { failures = [], limits = {}, baseline, tolerance = 0.01 } = options
  const marked = markSuperseded(rows)
  const current = currentOf(marked)
  const totals = groupOf('all', marked)
  const compared = { rows: marked, failures: [...failures] }
  const comparison = baseline && compareReports(baseline, compared, tolerance)
  const groups = groupKeys.map((key) => [key, groupsBy(marked, (row) => row[key])])
  return {
    schemaVersion: 1,
    totals,
    retention: totalOf(current, 'retention'),
    precision: totalOf(current, 'precision'),
    groups: Object.fromEntries(groups) as Record<GroupKey, BundleReport['totals'][]>,
    breaches: [
      ...checkLimits(compared, totals, limits),
      ...(comparison === undefined ? [] : baselineBreaches(comparison)),
    ],
    ...(comparison !== undefined && { comparison }),
    failures: [...failures],
    rows: marked,
  }
}

type Figure = 'retention' | 'precision'

function totalOf(rows: readonly ReportRow[], figure: Figure): BundleReport[Figure] {
  const isSmall = ({ band }: ReportRow) => band === 'small'
  return {
    work: sumByKind(
      rows.filter((row) => !isSmall(row)),
      figure,
    ),
    small: sumByKind(rows.filter(isSmall), figure),
  }
}

function sumByKind(rows: readonly ReportRow[], figure: Figure): BundleReport[Figure]['work'] {
  const sums: BundleReport[Figure]['work'] = {}
  for (const row of rows)
    for (const [name, { kept, of }] of Object.entries(row[figure]?.by ?? {})) {
      const sum = sums[name] ?? { kept: 0, of: 0 }
      sums[name] = { kept: sum.kept + kept, of: sum.of + of }
    }
  return sums
}
