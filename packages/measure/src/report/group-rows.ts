import { shareOf } from '../score.ts'
import type { ReportGroup, ReportRow, ReportSizes } from './report-schema.ts'

/** Whether a bundle was saved by hand or imported, so that it has no session to compare with. */
export function isGiven({ sourceTokens }: ReportRow): boolean {
  return sourceTokens === 0
}

/** Sums up rows under a name. Superseded rows count only for the cost; bundles without a session do not count. */
export function groupOf(name: string, rows: readonly ReportRow[]): ReportGroup {
  const current = rows.filter((row) => row.superseded === undefined && !isGiven(row))
  const small = current.filter(({ band }) => band === 'small')
  const added = small.reduce((sum, row) => sum + Math.max(0, row.bundleTokens - row.sourceTokens), 0)
  const measured = current.filter(({ measuredFrom }) => measuredFrom !== 'bundle')
  return {
    name,
    all: sizesOf(current),
    work: sizesOf(current.filter(({ band }) => band === 'within' || band === 'below')),
    small: { ...sizesOf(small), added },
    whole: sizesOf(current.filter(({ band }) => band === 'verbatim')),
    costs: costsOf(rows.flatMap(({ cost }) => cost ?? [])),
    measured: measured.length,
    ...meanOf('precision', measured, ({ precision }) => precision && totalShare(precision.by)),
    ...meanOf('faithfulness', measured, ({ faithfulness }) => faithfulness && shareOf(faithfulness)),
  }
}

/** Groups rows by a text, largest group first. */
export function groupsBy(rows: readonly ReportRow[], nameOf: (row: ReportRow) => string): ReportGroup[] {
  return groupBy(rows, nameOf)
    .map(([name, same]) => groupOf(name, same))
    .filter(({ all, costs }) => all.bundles > 0 || costs.length > 0)
    .sort((a, b) => b.all.sourceTokens - a.all.sourceTokens || (a.name < b.name ? -1 : 1))
}

/** Groups values by a key, in the order of each key's first value. */
export function groupBy<T>(values: readonly T[], keyOf: (value: T) => string): [string, T[]][] {
  const groups = new Map<string, T[]>()
  for (const value of values) {
    const same = groups.get(keyOf(value))
    if (same === undefined) groups.set(keyOf(value), [value])
    else same.push(value)
  }
  return [...groups]
}

/** Marks each row that has a later row of the same session, kind and track. */
export function markSuperseded(rows: readonly ReportRow[]): ReportRow[] {
  const newest = new Map<string, string>()
  for (const row of rows) {
    const known = newest.get(workOf(row))
    if (known === undefined || row.bundle > known) newest.set(workOf(row), row.bundle)
  }
  return rows.map((row) => (newest.get(workOf(row)) === row.bundle ? row : { ...row, superseded: true }))
}

/** Identifies a row's session across reports. */
export function workOf({ format, sessionId, kind, track }: ReportRow): string {
  return JSON.stringify([format, sessionId, kind, track])
}

/** The share over the statements of all kinds. */
export function totalShare(by: Readonly<Record<string, { kept: number; of: number }>>): number | undefined {
  const scores = Object.values(by)
  const of = scores.reduce((sum, score) => sum + score.of, 0)
  return of === 0 ? undefined : scores.reduce((sum, score) => sum + score.kept, 0) / of
}

function sizesOf(rows: readonly ReportRow[]): ReportSizes {
  const sourceTokens = rows.reduce((sum, row) => sum + row.sourceTokens, 0)
  const bundleTokens = rows.reduce((sum, row) => sum + row.bundleTokens, 0)
  const ratio = sourceTokens === 0 ? {} : { ratio: bundleTokens / sourceTokens }
  const retention = meanOf('retention', rows, (row) => row.retention?.share)
  return { bundles: rows.length, sourceTokens, bundleTokens, ...ratio, ...retention }
}

/** Costs by currency. `atLeast` is set if it is set for one of them. */
export function costsOf(costs: readonly NonNullable<ReportRow['cost']>[]): ReportGroup['costs'] {
  return groupBy(costs, ({ currency }) => currency)
    .sort(([a], [b]) => (a < b ? -1 : 1))
    .map(([currency, same]) => ({
      amount: Math.round(same.reduce((sum, { amount }) => sum + amount, 0) * 1e6) / 1e6,
      currency,
      ...(same.some(({ atLeast }) => atLeast) && { atLeast: true as const }),
    }))
}

function meanOf<K extends string>(
  name: K,
  rows: readonly ReportRow[],
  figureOf: (row: ReportRow) => number | undefined,
): Partial<Record<K, number>> {
  const values = rows.flatMap((row) => figureOf(row) ?? [])
  if (values.length === 0) return {}
  const mean = values.reduce((sum, value) => sum + value, 0) / values.length
  return { [name]: mean } as Partial<Record<K, number>>
}
