import { shareOf } from '../score.ts'
import type { ReportBreach, ReportGroup, ReportRow } from './report-schema.ts'

/** What a report must keep; a limit that is absent holds. */
export interface ReportLimits {
  /** Largest ratio of a session that is large enough for one; those kept whole count as well. */
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

export interface LimitedReport {
  readonly rows: readonly ReportRow[]
  readonly totals: ReportGroup
  readonly failures: number
}

/** Each limit that is not kept, with the log and how far it is off. */
export function checkLimits({ rows, totals, failures }: LimitedReport, limits: ReportLimits): ReportBreach[] {
  const { maxRatio, minRetention, minFaithfulness, maxCost, maxFailures } = limits
  const current = rows.filter(({ superseded }) => superseded === undefined)
  const eachAbove = (bound: number | undefined): ReportBreach[] =>
    bound === undefined
      ? []
      : current.flatMap(({ band, ratio, log }) =>
          band === 'small' || ratio <= bound ? [] : [breach('max-ratio', ratio, bound, log)],
        )
  const eachBelow = (
    limit: string,
    bound: number | undefined,
    figureOf: (row: ReportRow) => number | undefined,
  ): ReportBreach[] => {
    if (bound === undefined) return []
    // A limit that nothing was compared with is not kept.
    if (totals.measured === 0 && current.length > 0) return [unmeasured(limit, bound)]
    return current.flatMap((row) => {
      const value = figureOf(row)
      return value === undefined || value >= bound ? [] : [breach(limit, value, bound, row.log)]
    })
  }
  const spent = totals.costs.filter(({ amount }) => maxCost !== undefined && amount > maxCost)
  return [
    ...eachAbove(maxRatio),
    ...eachBelow('min-retention', minRetention, ({ retention }) => retention?.share),
    ...eachBelow(
      'min-faithfulness',
      minFaithfulness,
      ({ faithfulness }) => faithfulness && shareOf(faithfulness),
    ),
    ...spent.map(({ amount, currency }) => costBreach(amount, maxCost ?? 0, currency, current)),
    ...(maxFailures !== undefined && failures > maxFailures
      ? [countBreach('max-failures', failures, maxFailures)]
      : []),
  ]
}

function breach(limit: string, value: number, bound: number, log: string): ReportBreach {
  const by = Math.abs(value - bound)
  const side = value > bound ? 'above' : 'below'
  const message = `${log}: ${percent(value)} is ${points(by)} ${side} --${limit} ${percent(bound)}`
  return { limit, log, value, bound, by, message }
}

function unmeasured(limit: string, bound: number): ReportBreach {
  const message = `--${limit} ${percent(bound)}: no bundle could be measured, since none of their logs is here`
  return { limit, value: 0, bound, by: bound, message }
}

function costBreach(
  amount: number,
  bound: number,
  currency: string,
  rows: readonly ReportRow[],
): ReportBreach {
  const by = amount - bound
  const dearest = rows
    .filter(({ cost }) => cost?.currency === currency)
    .sort((a, b) => (b.cost?.amount ?? 0) - (a.cost?.amount ?? 0))[0]
  const most =
    dearest === undefined ? '' : `; most of it for ${dearest.log} (${dearest.cost?.amount.toFixed(4)})`
  const message = `${amount.toFixed(4)} ${currency} is ${by.toFixed(4)} above --max-cost ${bound}${most}`
  return { limit: 'max-cost', value: amount, bound, by, message }
}

function countBreach(limit: string, value: number, bound: number): ReportBreach {
  const by = value - bound
  return {
    limit,
    value,
    bound,
    by,
    message: `${value} ${value === 1 ? 'log' : 'logs'} failed, ${by} more than --${limit} ${bound}`,
  }
}

/** `9.90 %`. */
export function percent(share: number): string {
  return `${(share * 100).toFixed(2)} %`
}

function points(difference: number): string {
  return `${(difference * 100).toFixed(2)} points`
}
