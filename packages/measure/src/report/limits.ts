import { shareOf } from '../score.ts'
import { groupOf, workOf } from './group-rows.ts'
import type { BundleReport, ReportBreach, ReportComparison, ReportGroup, ReportRow } from './report-schema.ts'

/** Limits for a report. */
export interface ReportLimits {
  /** Largest ratio of a session that is large enough for a ratio, including sessions kept whole. */
  readonly maxRatio?: number | undefined
  /** Smallest share that a bundle keeps, as the mean over the kinds of facts. */
  readonly minRetention?: number | undefined
  /** Smallest share of the names in a bundle that occur in its log. */
  readonly minFaithfulness?: number | undefined
  /** Largest cost of all bundles together. */
  readonly maxCost?: number | undefined
  /** Largest number of logs that failed. */
  readonly maxFailures?: number | undefined
}

/** The part of a report that can be compared with another one. */
export type ComparedReport = Pick<BundleReport, 'rows' | 'failures'>

/** A share that limits and comparisons use. */
interface Figure {
  readonly name: string
  readonly better: 'lower' | 'higher'
  /** The limit's name as a command-line option and as a key of {@link ReportLimits}. */
  readonly limit?: readonly [option: string, key: 'maxRatio' | 'minRetention' | 'minFaithfulness']
  readonly ofRow: (row: ReportRow) => number | undefined
  readonly ofGroup: (group: ReportGroup) => number | undefined
}

const figures: readonly Figure[] = [
  {
    name: 'ratio',
    better: 'lower',
    limit: ['max-ratio', 'maxRatio'],
    ofRow: ({ band, ratio }) => (band === 'small' ? undefined : ratio),
    ofGroup: ({ work }) => work.ratio,
  },
  {
    name: 'retention',
    better: 'higher',
    limit: ['min-retention', 'minRetention'],
    ofRow: ({ retention }) => retention?.share,
    ofGroup: ({ all }) => all.retention,
  },
  // Only for all logs together, because a bundle has few statements of a kind.
  { name: 'precision', better: 'higher', ofRow: () => undefined, ofGroup: ({ precision }) => precision },
  {
    name: 'faithfulness',
    better: 'higher',
    limit: ['min-faithfulness', 'minFaithfulness'],
    ofRow: ({ faithfulness }) => faithfulness && shareOf(faithfulness),
    ofGroup: ({ faithfulness }) => faithfulness,
  },
]

/** Each exceeded limit, with the log and the difference. */
export function checkLimits(
  { rows, failures }: ComparedReport,
  { measured, costs }: ReportGroup,
  limits: ReportLimits,
): ReportBreach[] {
  const current = currentOf(rows)
  const ofShares = figures.flatMap(({ better, limit, ofRow }): ReportBreach[] => {
    const [option, key] = limit ?? []
    const bound = key && limits[key]
    if (option === undefined || bound === undefined) return []
    // A limit fails if nothing could be compared with it.
    if (better === 'higher' && measured === 0 && current.length > 0) {
      const message = `--${option} ${percent(bound)}: no bundle could be measured, since none of their logs is here`
      return [{ limit: option, value: 0, bound, by: bound, message }]
    }
    return current.flatMap((row) => {
      const value = ofRow(row)
      if (value === undefined || lossOf(better, bound, value) <= 0) return []
      const by = Math.abs(value - bound)
      const off = `${(by * 100).toFixed(2)} points ${better === 'lower' ? 'above' : 'below'}`
      const message = `${nameOf(row)}: ${percent(value)} is ${off} --${option} ${percent(bound)}`
      return [{ limit: option, log: row.log, value, bound, by, message }]
    })
  })
  const { maxCost = Number.POSITIVE_INFINITY, maxFailures = Number.POSITIVE_INFINITY } = limits
  const spent = costs
    .filter(({ amount }) => amount > maxCost)
    .map((cost) => costBreach(cost, maxCost, current))
  const failed = failures.length
  if (failed <= maxFailures) return [...ofShares, ...spent]
  const by = failed - maxFailures
  const message = `${failed} ${failed === 1 ? 'log' : 'logs'} failed, ${by} more than --max-failures ${maxFailures}`
  return [...ofShares, ...spent, { limit: 'max-failures', value: failed, bound: maxFailures, by, message }]
}

/** The name of a log: the session's title if it is in a store, its path if it is in a folder. */
function nameOf({ log, title }: ReportRow): string {
  return title === undefined || /[\\/.]/.test(log) ? log : `${title} (${log})`
}

function costBreach(
  { amount, currency }: ReportGroup['costs'][number],
  bound: number,
  rows: readonly ReportRow[],
): ReportBreach {
  const by = amount - bound
  const [dearest] = rows
    .filter(({ cost }) => cost?.currency === currency)
    .sort((a, b) => (b.cost?.amount ?? 0) - (a.cost?.amount ?? 0))
  const most = dearest ? `; most of it for ${dearest.log} (${dearest.cost?.amount.toFixed(4)})` : ''
  const message = `${amount.toFixed(4)} ${currency} is ${by.toFixed(4)} above --max-cost ${bound}${most}`
  return { limit: 'max-cost', value: amount, bound, by, message }
}

/**
 * The changes since a baseline, for each log that is in both reports and for all those together. A change is `worse` if
 * it exceeds the tolerance, an absolute difference of shares. One more failed log is always worse.
 */
export function compareReports(
  before: ComparedReport,
  after: ComparedReport,
  tolerance: number,
): ReportComparison {
  const [known, now] = [before, after].map(
    ({ rows }) => new Map(currentOf(rows).map((row) => [workOf(row), row])),
  )
  const old = known ?? new Map<string, ReportRow>()
  const both = [...(now ?? [])].flatMap(([work, row]) => {
    const same = old.get(work)
    return same === undefined ? [] : [{ same, row }]
  })
  const changesOf = <T>(
    of: (figure: Figure) => (value: T) => number | undefined,
    [earlier, later]: readonly [T, T],
    log?: string,
  ): ReportComparison['changes'] =>
    figures.flatMap((figure) => {
      const [was, is] = [of(figure)(earlier), of(figure)(later)]
      // Differences below one ten-thousandth come from the rounding of ratios.
      if (was === undefined || is === undefined || Math.abs(is - was) < 1e-4) return []
      const worse = lossOf(figure.better, was, is) > tolerance
      return [{ figure: figure.name, before: was, after: is, worse, ...(log !== undefined && { log }) }]
    })
  const groups = [both.map(({ same }) => same), both.map(({ row }) => row)].map((rows) =>
    groupOf('both', rows),
  )
  const failed = { before: before.failures.length, after: after.failures.length }
  const failures = { figure: 'failures', ...failed, worse: failed.after > failed.before }
  return {
    tolerance,
    changes: [
      ...changesOf(({ ofGroup }) => ofGroup, groups as [ReportGroup, ReportGroup]),
      ...(failed.before === failed.after ? [] : [failures]),
      ...both.flatMap(({ same, row }) => changesOf(({ ofRow }) => ofRow, [same, row], row.log)),
    ],
    added: [...(now ?? [])].flatMap(([work, { log }]) => (old.has(work) ? [] : [log])),
    removed: [...old].flatMap(([work, { log }]) => (now?.has(work) ? [] : [log])),
  }
}

/** The changes for the worse, as breaches. */
export function baselineBreaches({ changes, tolerance }: ReportComparison): ReportBreach[] {
  return changes
    .filter(({ worse }) => worse)
    .map(({ figure, log, before, after }) => {
      const isCount = figure === 'failures'
      const [from, to] = [before, after].map(isCount ? String : percent)
      const beyond = isCount ? '' : `, beyond --tolerance ${tolerance}`
      return {
        limit: `baseline ${figure}`,
        ...(log !== undefined && { log }),
        value: after,
        bound: before,
        by: Math.abs(after - before),
        message: `${log ?? 'all logs'}: ${figure} went from ${from} to ${to}${beyond}`,
      }
    })
}

/** How much worse a value is than another. */
function lossOf(better: Figure['better'], before: number, after: number): number {
  return better === 'lower' ? after - before : before - after
}

/** The rows without a later bundle of the same session. */
export function currentOf(rows: readonly ReportRow[]): ReportRow[] {
  return rows.filter(({ superseded }) => superseded === undefined)
}

/** `9.90 %`. */
export function percent(share: number): string {
  return `${(share * 100).toFixed(2)} %`
}
