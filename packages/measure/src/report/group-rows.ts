import { shareOf } from '../score.ts'
import type { ReportGroup, ReportRow, ReportSizes } from './report-schema.ts'

/** Whether a bundle was given by hand or imported: there is no session that it could be compared with. */
export function isGiven({ sourceTokens }: ReportRow): boolean {
  return sourceTokens === 0
}

/** Sums up rows under a name. Of superseded rows only the cost counts, and bundles without a session do not. */
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
    costs: costsOf(rows),
    measured: measured.length,
    ...meanOf('precision', measured, ({ precision }) => precision && totalShare(precision.by)),
    ...meanOf('faithfulness', measured, ({ faithfulness }) => faithfulness && shareOf(faithfulness)),
  }
}

/** Groups of the rows by a text, the largest first. */
export function groupsBy(rows: readonly ReportRow[], nameOf: (row: ReportRow) => string): ReportGroup[] {
  const named = new Map<string, ReportRow[]>()
  for (const row of rows) {
    const same = named.get(nameOf(row))
    if (same === undefined) named.set(nameOf(row), [row])
    else same.push(row)
  }
  return [...named]
    .map(([name, same]) => groupOf(name, same))
    .filter(({ all, costs }) => all.bundles > 0 || costs.length > 0)
    .sort((a, b) => b.all.sourceTokens - a.all.sourceTokens || (a.name < b.name ? -1 : 1))
}

/** Marks each row after which another of the same session, kind and track was made. */
export function markSuperseded(rows: readonly ReportRow[]): ReportRow[] {
  const newest = new Map<string, string>()
  for (const row of rows) {
    const known = newest.get(workOf(row))
    if (known === undefined || row.bundle > known) newest.set(workOf(row), row.bundle)
  }
  return rows.map((row) => (newest.get(workOf(row)) === row.bundle ? row : { ...row, superseded: true }))
}

/** Identifies the session of a row in this report and in another. */
export function workOf({ format, sessionId, kind, track }: ReportRow): string {
  return JSON.stringify([format, sessionId, kind, track])
}

/** The share of all statements of all kinds. */
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

function costsOf(rows: readonly ReportRow[]): ReportGroup['costs'] {
  const sums = new Map<string, { amount: number; atLeast: boolean }>()
  for (const { cost } of rows) {
    if (cost === undefined) continue
    const sum = sums.get(cost.currency) ?? { amount: 0, atLeast: false }
    sums.set(cost.currency, {
      amount: sum.amount + cost.amount,
      atLeast: sum.atLeast || cost.atLeast === true,
    })
  }
  return [...sums]
    .sort(([a], [b]) => (a < b ? -1 : 1))
    .map(([currency, { amount, atLeast }]) => ({
      amount: Math.round(amount * 1e6) / 1e6,
      currency,
      ...(atLeast && { atLeast }),
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
