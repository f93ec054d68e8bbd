import { blocksToMarkdown } from './blocks.ts'
import { currentOf } from './limits.ts'
import { reportBlocks } from './report-blocks.ts'
import { number, rowCells, rowHead, totalSentences } from './report-figures.ts'
import type { BundleReport } from './report-schema.ts'

/** Limits of the Markdown. */
export interface ReportMarkdownOptions {
  /** Maximum rows in the table of bundles and entries in each list. @default 50 */
  readonly rows?: number | undefined
}

/** The report as Markdown for a comment or a job summary. Text from logs cannot be a link, a mention or HTML. */
export function reportToMarkdown(
  report: BundleReport,
  { rows: most = 50 }: ReportMarkdownOptions = {},
): string {
  const all = currentOf(report.rows).sort((a, b) => b.sourceTokens - a.sourceTokens)
  const bundles = {
    title: all.length > most ? `The ${most} largest of ${all.length} bundles` : number(all.length, 'bundle'),
    folded: true,
    head: ['log', 'format', ...rowHead],
    rows: all.map((row) => [{ log: row.title ?? row.log, most: 60 }, { log: row.format }, ...rowCells(row)]),
  }
  const blocks = blocksToMarkdown([...reportBlocks(report), bundles], most)
  return `${['# Tenfold report', totalSentences(report).join('\n'), ...blocks].join('\n\n')}\n`
}
