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
import { formatTable, wrapText } from '../terminal/table.ts'
import type { Screen } from '../terminal/terminal.ts'

/** Most lines of each table and list. */
const shown = 40

const nothingYet =
  'There is no bundle to report on yet. To compress the newest session of this folder: tenfold compress'

/** The report in plain text. Texts of a report are clean. */
export function reportText(report: BundleReport, screen: Screen): string {
  const { groups, rows, failures, comparison } = report
  const current = rows.filter(({ superseded }) => superseded === undefined)
  const several = groupKeys.filter((key) => key === 'format' || groups[key].length > 1)
  const isEmpty = rows.length === 0 && failures.length === 0
  const sentences = isEmpty ? [nothingYet] : totalSentences(report)
  return [
    ...sentences.flatMap((sentence) => wrapText(sentence, screen.columns)),
    ...several.flatMap((key) =>
      section(
        `By ${key}`,
        [key, ...groupHead],
        groups[key].map((group) => [group.name, ...groupCells(group)]),
        screen,
      ),
    ),
    ...section('What is kept', kindHead, kindCells(report), screen),
    ...section(
      'By bundle',
      ['session', 'format', ...rowHead],
      current
        .toSorted((a, b) => b.sourceTokens - a.sourceTokens)
        .map((row) => [row.title ?? row.log, row.format, ...rowCells(row)]),
      screen,
    ),
    ...section(
      'Failures',
      ['log', 'why'],
      failures.map(({ log, message }) => [log, message]),
      screen,
    ),
    ...(comparison === undefined ? [] : comparisonLines(comparison, screen)),
  ].join('\n')
}

function comparisonLines(
  { changes, added, removed, tolerance }: NonNullable<BundleReport['comparison']>,
  screen: Screen,
): string[] {
  const rows = changes.map(({ figure, log, before, after, worse }) => [
    log ?? 'all',
    figure,
    ...(figure === 'failures' ? [String(before), String(after)] : [percent(before), percent(after)]),
    worse ? screen.style.red('worse') : '',
  ])
  return [
    ...section('Since the baseline', ['log', 'figure', 'before', 'after', ''], rows, screen),
    `${changes.length} changes (tolerance ${percent(tolerance)}), ${added.length} new, ${removed.length} gone`,
  ]
}

function section(
  title: string,
  head: readonly string[],
  rows: readonly (readonly string[])[],
  { style, columns: width }: Screen,
): string[] {
  if (rows.length === 0) return []
  const columns = head.map((name, at) => ({
    title: name.toUpperCase(),
    ...(at === 0 ? { max: 48 } : {}),
    ...(/^\d|%|–|none/.test(rows[0]?.[at] ?? '') && at > 0 ? { align: 'right' as const } : {}),
  }))
  const [first = '', ...lines] = formatTable(columns, rows.slice(0, shown), width)
  const left = rows.length - shown
  return [
    '',
    style.bold(title),
    style.dim(first),
    ...lines,
    ...(left > 0 ? [style.dim(`… and ${left} more; --format json has all`)] : []),
  ]
}
