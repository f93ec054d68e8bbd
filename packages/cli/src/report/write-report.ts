import { appendFile } from 'node:fs/promises'
import { dirname, relative, resolve, sep } from 'node:path'
import { TenfoldError } from '@tenfold/core'
import {
  type BundleReport,
  type History,
  historyToMarkdown,
  reportToJunit,
  reportToMarkdown,
} from '@tenfold/measure'
import { toSafeJson } from '../terminal/json-output.ts'
import { headedTable, wrapText } from '../terminal/table.ts'
import { inFile, type Screen, type Terminal } from '../terminal/terminal.ts'
import { reasonOf, writeOutput } from '../terminal/user-files.ts'
import { formatOf, type ReportFormat, type ReportOptions } from './report-options.ts'

/** A report or a history, in each form that it has: for a screen, or for a file in a folder. */
export type Forms = Readonly<
  Partial<Record<ReportFormat, (screen: Screen, folder: string) => string | Promise<string>>>
>

/** Into the files that were asked for, and to stdout: in short if there are files. */
export async function writeReport(
  forms: Forms,
  { output = [], format }: Pick<ReportOptions, 'output' | 'format'>,
  terminal: Terminal,
): Promise<void> {
  const render = async (form: ReportFormat, screen: Screen, folder: string): Promise<string> =>
    (await (forms[form] ?? forms.text)?.(screen, folder)) ?? ''
  for (const path of output)
    await writeOutput(path, [await render(formatOf(path, format), inFile, dirname(path))], {
      what: 'The report',
    })
  if (output.length === 0 || !terminal.quiet)
    terminal.write(await render(output.length > 0 ? 'text' : format, terminal, '.'))
}

export function formsOfReport(report: BundleReport): Forms {
  return {
    text: (screen) => reportText(report, screen),
    md: () => reportToMarkdown(report),
    json: () => `${toSafeJson(report, 2)}\n`,
    junit: () => reportToJunit(report),
    async html(_, folder) {
      // The plots take long to load.
      const { reportToHtml } = await import('@tenfold/measure/html')
      const rows = report.rows.map((row) =>
        row.page === undefined ? row : { ...row, page: linkTo(row.page, folder) },
      )
      return reportToHtml({ ...report, rows })
    },
  }
}

export function formsOfHistory(history: History): Forms {
  return {
    text: (screen) => textOfMarkdown(historyToMarkdown(history), screen),
    md: () => historyToMarkdown(history),
    json: () => `${toSafeJson(history, 2)}\n`,
    html: async () => (await import('@tenfold/measure/html')).historyToHtml(history),
  }
}

function linkTo(page: string, folder: string): string {
  const path = relative(resolve(folder), resolve(page))
  return path.split(sep).map(encodeURIComponent).join('/')
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

const nothingYet =
  'There is no bundle to report on yet. To compress the newest session of this folder: tenfold compress'

function reportText(report: BundleReport, screen: Screen): string {
  if (report.rows.length + report.failures.length === 0) return `${nothingYet}\n`
  // Exceeded limits are printed as errors.
  const markdown = reportToMarkdown({ ...report, breaches: [] }, { rows: 40 })
  const isShown = (title: string): boolean =>
    screen.quiet ? /failure|baseline/.test(title) : screen.verbose || title !== 'Retention and precision'
  return textOfMarkdown(markdown.replace(/^# .*\n+/, ''), screen, isShown)
}

/** Markdown as reports and histories are written in, for a terminal: titles in bold, and tables that fit. */
function textOfMarkdown(
  markdown: string,
  screen: Screen,
  isShown: (title: string) => boolean = () => true,
): string {
  const lines: string[] = []
  let table: string[][] = []
  let shown = true
  for (const line of markdown.replaceAll('`', '').split('\n')) {
    const title = /^(?:#+ |<details><summary>)(.+?)(?:<\/summary>)?$/.exec(line)?.[1]
    if (line.startsWith('|'))
      table.push(
        line
          .slice(1, -1)
          .split('|')
          .map((cell) => cell.trim()),
      )
    else {
      if (shown) lines.push(...tableLines(table, screen))
      table = []
      shown = title === undefined ? shown : isShown(title)
      if (shown && title !== undefined) lines.push('', screen.style.bold(title))
      else if (shown && line !== '' && line !== '</details>') lines.push(...wrapText(line, screen.columns))
    }
  }
  return `${lines.join('\n').trimStart()}\n`
}

function tableLines([head, , ...rows]: readonly (readonly string[])[], screen: Screen): string[] {
  const columns = (head ?? []).map((name, at) => ({
    title: name.toUpperCase(),
    ...(at === 0 ? { max: 48 } : {}),
    ...(/^\d|%|–|none/.test(rows[0]?.[at] ?? '') && at > 0 ? { align: 'right' as const } : {}),
  }))
  return head === undefined ? [] : headedTable(columns, rows, screen)
}
