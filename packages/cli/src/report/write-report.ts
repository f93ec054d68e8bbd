import { appendFile } from 'node:fs/promises'
import { dirname, relative, resolve, sep } from 'node:path'
import { TenfoldError } from '@tenfold/core'
import { type BundleReport, reportToJunit, reportToMarkdown } from '@tenfold/measure'
import { toSafeJson } from '../terminal/json-output.ts'
import { replaceFile } from '../terminal/replace-file.ts'
import type { Screen } from '../terminal/terminal.ts'
import { messageOf } from '../terminal/thrown.ts'
import { formatOf, type ReportFormat } from './report-options.ts'
import { reportText } from './report-text.ts'

/** The report in a format. `folder` is where it will be, for links to pages. */
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

/** A relative address from the folder of the report to a page. */
function linkTo(page: string, folder: string): string {
  const path = relative(resolve(folder), resolve(page))
  return path.split(sep).map(encodeURIComponent).join('/')
}

/** Writes files, each in the format of its name. Throws TenfoldError `out-failed`. */
export async function writeOutputs(
  paths: readonly string[],
  otherwise: ReportFormat,
  render: (format: ReportFormat, folder: string) => Promise<string>,
): Promise<void> {
  for (const path of paths) {
    const text = await render(formatOf(path, otherwise), dirname(path))
    await writing(path, () => replaceFile(path, [text]))
  }
}

/** GitHub refuses a summary of more than 1 MiB: https://docs.github.com/actions/reference/workflow-commands-for-github-actions */
const summaryRows = 100

/** Adds the report to the summary of a GitHub job, if this is one. */
export async function writeStepSummary(report: BundleReport, path: string | undefined): Promise<void> {
  if (path === undefined || path === '') return
  await writing(path, () => appendFile(path, reportToMarkdown(report, { rows: summaryRows })))
}

async function writing(path: string, write: () => Promise<void>): Promise<void> {
  try {
    await write()
  } catch (cause) {
    const message = `The report cannot be written to ${path}: ${messageOf(cause)}.`
    throw new TenfoldError('out-failed', message, { cause })
  }
}
