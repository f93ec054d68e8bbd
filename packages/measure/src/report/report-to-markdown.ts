import { percent } from './check-limits.ts'
import { codeSpan, markdownTable } from './markdown-table.ts'
import {
  groupCells,
  groupHead,
  kindCells,
  kindHead,
  number,
  rowCells,
  rowHead,
  totalSentences,
} from './report-figures.ts'
import { type BundleReport, groupKeys } from './report-schema.ts'

/** What the Markdown shows. */
export interface ReportMarkdownOptions {
  /** Most rows of the table of bundles, and most entries of each list. @default 50 */
  readonly rows?: number | undefined
}

/** The report as Markdown for a comment or a job's summary: no text of a log can be a link, a mention or HTML. */
export function reportToMarkdown(
  report: BundleReport,
  { rows: most = 50 }: ReportMarkdownOptions = {},
): string {
  const { breaches, failures, comparison, groups, rows } = report
  const current = rows.filter(({ superseded }) => superseded === undefined)
  const several = groupKeys.filter((key) => groups[key].length > 1)
  const list = (title: string, items: readonly string[]) => section(title, listed(items, most))
  const shown = [...current].sort((a, b) => b.sourceTokens - a.sourceTokens).slice(0, most)
  const sections = [
    '# Tenfold report',
    totalSentences(report).join('\n'),
    list(
      breaches.length === 1 ? '1 limit is not kept' : `${breaches.length} limits are not kept`,
      breaches.map(({ message }) => codeSpan(message, 300)),
    ),
    list(
      number(failures.length, 'failure'),
      failures.map(({ log, message }) => `${codeSpan(log)} ${codeSpan(message, 300)}`),
    ),
    section(
      'By format',
      markdownTable(
        ['format', ...groupHead],
        groups.format.map((group) => [codeSpan(group.name), ...groupCells(group)]),
      ),
    ),
    section('Retention and precision', kindsTable(report)),
    comparison === undefined ? '' : section('Since the baseline', changesText(comparison, most)),
    ...several
      .filter((key) => key !== 'format')
      .map((key) =>
        folded(
          `By ${key}`,
          markdownTable(
            [key, ...groupHead],
            groups[key].slice(0, most).map((group) => [codeSpan(group.name, 60), ...groupCells(group)]),
          ),
        ),
      ),
    folded(
      shown.length < current.length
        ? `The ${shown.length} largest of ${current.length} bundles`
        : number(shown.length, 'bundle'),
      markdownTable(
        ['log', 'format', ...rowHead],
        shown.map((row) => [codeSpan(row.title ?? row.log, 60), codeSpan(row.format), ...rowCells(row)]),
      ),
    ),
  ]
  return `${sections.filter(Boolean).join('\n\n')}\n`
}

function kindsTable(report: BundleReport): string {
  const rows = kindCells(report)
  return rows.length === 0 ? '' : markdownTable(kindHead, rows)
}

function changesText(
  { changes, added, removed, tolerance }: NonNullable<BundleReport['comparison']>,
  most: number,
): string {
  const rows = changes
    .slice(0, most)
    .map(({ figure, log, before, after, worse }) => [
      log === undefined ? 'all' : codeSpan(log, 60),
      figure,
      ...(figure === 'failures' ? [String(before), String(after)] : [percent(before), percent(after)]),
      worse ? 'worse' : '',
    ])
  const others = [
    `Tolerance ${percent(tolerance)}`,
    `${number(changes.length, 'change')}`,
    `${number(added.length, 'new log')}`,
    `${number(removed.length, 'log')} gone`,
  ]
  const text = `${others.join(', ')}.`
  return rows.length === 0
    ? text
    : `${text}\n\n${markdownTable(['log', 'figure', 'before', 'after', ''], rows)}`
}

function listed(items: readonly string[], most: number): string {
  const left = items.length - most
  return [
    ...items.slice(0, most).map((item) => `- ${item}`),
    ...(left > 0 ? [`- … and ${left} more`] : []),
  ].join('\n')
}

function section(title: string, body: string): string {
  return body === '' ? '' : `## ${title}\n\n${body}`
}

function folded(title: string, body: string): string {
  return `<details><summary>${title}</summary>\n\n${body}\n\n</details>`
}
