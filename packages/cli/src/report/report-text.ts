import {
  type BundleReport,
  groupCells,
  groupHead,
  groupKeys,
  kindCells,
  kindHead,
  percent,
  rowCells,
  rowHead,
  totalSentences,
} from '@tenfold/measure'
import type { Style } from '../terminal/style.ts'
import { formatTable } from '../terminal/table.ts'

/** Most lines of each table and list. */
const shown = 40

/** The report for a terminal. Texts of a report are clean. */
export function reportText(report: BundleReport, style: Style): string {
  const { groups, rows, failures, comparison } = report
  const current = rows.filter(({ superseded }) => superseded === undefined)
  const several = groupKeys.filter((key) => key === 'format' || groups[key].length > 1)
  return [
    ...totalSentences(report),
    ...several.flatMap((key) =>
      section(
        `By ${key}`,
        [key, ...groupHead],
        groups[key].map((group) => [group.name, ...groupCells(group)]),
        style,
      ),
    ),
    ...section('What is kept', kindHead, kindCells(report), style),
    ...section(
      'By bundle',
      ['session', 'format', ...rowHead],
      current
        .toSorted((a, b) => b.sourceTokens - a.sourceTokens)
        .map((row) => [row.title ?? row.log, row.format, ...rowCells(row)]),
      style,
    ),
    ...section(
      'Failures',
      ['log', 'why'],
      failures.map(({ log, message }) => [log, message]),
      style,
    ),
    ...(comparison === undefined ? [] : comparisonLines(comparison, style)),
  ].join('\n')
}

function comparisonLines(
  { changes, added, removed, tolerance }: NonNullable<BundleReport['comparison']>,
  style: Style,
): string[] {
  const rows = changes.map(({ figure, log, before, after, worse }) => [
    log ?? 'all',
    figure,
    ...(figure === 'failures' ? [String(before), String(after)] : [percent(before), percent(after)]),
    worse ? style.red('worse') : '',
  ])
  return [
    ...section('Since the baseline', ['log', 'figure', 'before', 'after', ''], rows, style),
    `${changes.length} changes (tolerance ${percent(tolerance)}), ${added.length} new, ${removed.length} gone`,
  ]
}

function section(
  title: string,
  head: readonly string[],
  rows: readonly (readonly string[])[],
  style: Style,
): string[] {
  if (rows.length === 0) return []
  const columns = head.map((name, at) => ({
    title: name.toUpperCase(),
    ...(at === 0 ? { max: 48 } : {}),
    ...(/^\d|%|–|none/.test(rows[0]?.[at] ?? '') && at > 0 ? { align: 'right' as const } : {}),
  }))
  const [first = '', ...lines] = formatTable(columns, rows.slice(0, shown))
  const left = rows.length - shown
  return [
    '',
    style.bold(title),
    style.dim(first),
    ...lines,
    ...(left > 0 ? [style.dim(`… and ${left} more; --format json has all`)] : []),
  ]
}
