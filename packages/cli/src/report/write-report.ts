import { appendFile } from 'node:fs/promises'
import { dirname, relative, resolve, sep } from 'node:path'
import { TenfoldError } from '@tenfold/core'
import { type BundleReport, reportToJunit, reportToMarkdown } from '@tenfold/measure'
import {
  groupCells,
  groupHead,
  groupKeys,
  kindCells,
  kindHead,
  percent,
  rowCells,
  rowHead,
  totalSentences,
} from '@tenfold/measure/internal'
import { toSafeJson } from '../terminal/json-output.ts'
import { headedTable, wrapText } from '../terminal/table.ts'
import type { Screen } from '../terminal/terminal.ts'
import { reasonOf, writeOutput } from '../terminal/user-files.ts'
import { formatOf, type ReportFormat } from './report-options.ts'

export async function renderReport(
  report: BundleReport,
  format: ReportFormat,
  screen: Screen,
  folder: string,
): Promise<string> {
  switch (format) {
    case 'text':
      return `${reportText(report, screen)}\n`
    case 'md':
      return reportToMarkdown(report)
    case 'json':
      return `${toSafeJson(report, 2)}\n`
    case 'junit':
      return reportToJunit(report)
    case 'html':
      return await htmlOf(report, folder)
  }
}

async function htmlOf(report: BundleReport, folder: string): Promise<string> {
  // The plots take long to load.
  const { reportToHtml } = await import('@tenfold/measure/html')
  const rows = report.rows.map((row) =>
    row.page === undefined ? row : { ...row, page: linkTo(row.page, folder) },
  )
  return reportToHtml({ ...report, rows })
}

function linkTo(page: string, folder: string): string {
  const path = relative(resolve(folder), resolve(page))
  return path.split(sep).map(encodeURIComponent).join('/')
}

export async function writeOutputs(
  paths: readonly string[],
  otherwise: ReportFormat,
  render: (format: ReportFormat, folder: string) => Promise<string>,
): Promise<void> {
  for (const path of paths) {
    const text = await render(formatOf(path, otherwise), dirname(path))
    await writeOutput(path, [text], { what: 'The report' })
  }
}

/** GitHub refuses a summary of more than 1 MiB: https://docs.github.com/actions/reference/workflow-commands-for-github-actions */
const summaryRows = 100

export async function writeStepSummary(report: BundleReport, path: string | undefined): Promise<void> {
  if (path === undefined || path === '') return
  try {
    await appendFile(path, reportToMarkdown(report, { rows: summaryRows }))
  } catch (cause) {
    const message = `The report cannot be added to ${path}: ${reasonOf(cause)}.`
    throw new TenfoldError('out-failed', message, { cause })
  }
}

const shown = 40

const nothingYet =
  'There is no bundle to report on yet. To compress the newest session of this folder: tenfold compress'

function reportText(report: BundleReport, screen: Screen): string {
  const { groups, rows, failures, comparison } = report
  const part = (title: string, head: readonly string[], cells: readonly (readonly string[])[]) =>
    section(title, head, cells, screen)
  const current = rows
    .filter(({ superseded }) => superseded === undefined)
    .sort((a, b) => b.sourceTokens - a.sourceTokens)
  const sentences = rows.length + failures.length === 0 ? [nothingYet] : totalSentences(report)
  const whole = screen.quiet
    ? []
    : [
        ...groupKeys.flatMap((key) =>
          groups[key].length < 2
            ? []
            : part(
                `By ${key}`,
                [key, ...groupHead],
                groups[key].map((each) => [each.name, ...groupCells(each)]),
              ),
        ),
        ...(screen.verbose ? part('Retention and precision', kindHead, kindCells(report)) : []),
        ...part(
          'By bundle',
          ['session', 'format', ...rowHead],
          current.map((row) => [row.title ?? row.log, row.format, ...rowCells(row)]),
        ),
      ]
  return [
    ...sentences.flatMap((sentence) => wrapText(sentence, screen.columns)),
    ...part(
      'Failures',
      ['log', 'reason'],
      failures.map(({ log, message }) => [log, message]),
    ),
    ...(comparison === undefined ? [] : comparisonLines(comparison, screen)),
    ...whole,
  ].join('\n')
}

function comparisonLines(
  { changes, added, removed, tolerance }: NonNullable<BundleReport['comparison']>,
  screen: Screen,
): string[] {
  const rows = changes.map(({ figure, log = 'all', before, after, worse }) => {
    const text = figure === 'failures' ? String : percent
    return [log, figure, text(before), text(after), worse ? screen.style.red('worse') : '']
  })
  return [
    ...section('Since the baseline', ['log', 'figure', 'before', 'after', ''], rows, screen),
    `${changes.length} changes (tolerance ${percent(tolerance)}), ${added.length} new, ${removed.length} gone`,
  ]
}

function section(
  title: string,
  head: readonly string[],
  rows: readonly (readonly string[])[],
  screen: Screen,
): string[] {
  if (rows.length === 0) return []
  const { style } = screen
  const columns = head.map((name, at) => ({
    title: name.toUpperCase(),
    ...(at === 0 ? { max: 48 } : {}),
    ...(/^\d|%|–|none/.test(rows[0]?.[at] ?? '') && at > 0 ? { align: 'right' as const } : {}),
  }))
  const left = rows.length - shown
  return [
    '',
    style.bold(title),
    ...headedTable(columns, rows.slice(0, shown), screen),
    ...(left > 0 ? [style.dim(`… and ${left} more; --format json has all`)] : []),
  ]
}
