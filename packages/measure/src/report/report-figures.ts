import { shareOf } from '../score.ts'
import { isGiven, totalShare } from './group-rows.ts'
import { currentOf, percent } from './limits.ts'
import type { BundleReport, ReportGroup, ReportRow } from './report-schema.ts'

// The figures of a report as text, the same in all formats.

export const groupHead = [
  'bundles',
  'tokens before',
  'after',
  'ratio',
  'small',
  'cost',
  'retention',
  'of small',
  'precision',
  'faithfulness',
] as const

export function groupCells({ all, work, small, costs, ...means }: ReportGroup): string[] {
  return [
    count(all.bundles),
    count(all.sourceTokens),
    count(all.bundleTokens),
    share(work.ratio),
    count(small.bundles),
    costText(costs),
    share(work.retention),
    share(small.retention),
    share(means.precision),
    share(means.faithfulness),
  ]
}

export const rowHead = [
  'tokens before',
  'after',
  'ratio',
  'cost',
  'retention',
  'precision',
  'faithfulness',
] as const

export function rowCells(row: ReportRow): string[] {
  return [
    count(row.sourceTokens),
    count(row.bundleTokens),
    isGiven(row)
      ? '–'
      : `${percent(row.ratio)}${row.band === 'small' ? ' small' : row.band === 'verbatim' ? ' whole' : ''}`,
    costText(row.cost === undefined ? [] : [row.cost]),
    share(row.retention?.share),
    share(row.precision && totalShare(row.precision.by)),
    share(row.faithfulness && shareOf(row.faithfulness)),
  ]
}

const figuresMean =
  'Retention counts the files, commands, errors and rare words of the log that the bundle names; precision its files, commands, errors, quotes and event ids that the log has; faithfulness its names that occur there. None of them says whether state, next step, decisions or title are right.'

/** The totals as sentences. */
export function totalSentences({ totals, failures, rows }: BundleReport): string[] {
  const { all, work, small, whole, costs, measured } = totals
  const given = currentOf(rows).filter(isGiven).length
  const older = rows.length - all.bundles - given
  const unmeasured = all.bundles - measured
  const ofWork =
    work.bundles === 0
      ? ', none of them of real work'
      : `, of which ${number(work.bundles, 'session')} of real work: ${count(work.sourceTokens)} → ${count(work.bundleTokens)} (${share(work.ratio)})`
  return [
    `${number(all.bundles, 'bundle')}${older > 0 ? ` (and ${older} replaced by later ones of the same session)` : ''}, ${number(failures.length, 'failure')}.`,
    `${count(all.sourceTokens)} → ${count(all.bundleTokens)} tokens (${share(all.ratio)})${ofWork}.`,
    ...(small.bundles === 0
      ? []
      : [
          `${number(small.bundles, 'small session')}: ${count(small.sourceTokens)} → ${count(small.bundleTokens)} (${share(small.ratio)})${small.added > 0 ? `; bundles larger than their session added ${count(small.added)} tokens` : ''}.`,
        ]),
    ...(whole.bundles === 0
      ? []
      : [
          `${number(whole.bundles, 'session')} kept whole: ${count(whole.sourceTokens)} → ${count(whole.bundleTokens)}.`,
        ]),
    ...(totals.measured === 0
      ? []
      : [
          `Retention: ${share(work.retention)} in real work, ${share(small.retention)} in small sessions. Precision: ${share(totals.precision)}. Faithfulness: ${share(totals.faithfulness)}.`,
          figuresMean,
        ]),
    ...(given === 0
      ? []
      : [
          `${number(given, 'bundle')} given by hand or imported, without a session to compare with: in no figure.`,
        ]),
    `Cost: ${costText(costs)}.`,
    `Measured: ${number(measured, 'bundle')} against their logs${unmeasured > 0 ? `; of ${count(unmeasured)} only what the bundle itself says, since the log is not here` : ''}.`,
  ]
}

/** The figures by kind as rows, for real work and for small sessions. */
export function kindCells({
  retention,
  precision,
}: Pick<BundleReport, 'retention' | 'precision'>): string[][] {
  return Object.entries({ retention, precision }).flatMap(([figure, { work, small }]) =>
    [...new Set([...Object.keys(work), ...Object.keys(small)])].flatMap((name) => {
      const sums = [work[name], small[name]]
      if (sums.every((sum) => sum === undefined || sum.of === 0)) return []
      const cells = sums.flatMap((sum) => {
        const { kept, of } = sum ?? { kept: 0, of: 0 }
        return of === 0 ? ['–', '–'] : [`${count(kept)} of ${count(of)}`, share(kept / of)]
      })
      return [[figure, wordsOf(name), ...cells]]
    }),
  )
}

export const kindHead = ['figure', 'of', 'in work', 'share', 'in small', 'share'] as const

/** A kind's name as words: `lastCommands` becomes `last commands`. */
export function wordsOf(name: string): string {
  return name.replace(/[A-Z]/g, (letter) => ` ${letter.toLowerCase()}`)
}

export function costText(costs: ReportGroup['costs']): string {
  if (costs.length === 0) return 'none'
  return costs
    .map(
      ({ amount, currency, atLeast }) =>
        `${atLeast ? 'at least ' : ''}${amount.toFixed(amount < 1 ? 4 : 2)} ${currency}`,
    )
    .join(', ')
}

export function share(value: number | undefined): string {
  return value === undefined ? '–' : percent(value)
}

export function count(value: number): string {
  return value.toLocaleString('en-US')
}

export function number(value: number, noun: string): string {
  return `${count(value)} ${noun}${value === 1 ? '' : 's'}`
}
