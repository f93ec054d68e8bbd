import { appendFile, readFile } from 'node:fs/promises'
import { dirname, join, relative, resolve, sep } from 'node:path'
import { type ContextBundle, type Redactor, TenfoldError } from '@tenfold/core'
import { cleanText } from '@tenfold/core/internal'
import { createRedaction } from '@tenfold/core/redact'
import {
  type BundleReport,
  type History,
  historyOf,
  historyToMarkdown,
  measureBundle,
  parseReport,
  type ReportFailure,
  type ReportRow,
  report,
  reportRow,
  reportToJunit,
  reportToMarkdown,
} from '@tenfold/measure'
import { makeRedactors } from '../options/log-options.ts'
import { readPrices } from '../options/model-options.ts'
import { openStore } from '../store/open-store.ts'
import { failureOf, failureOfLog } from '../terminal/failure.ts'
import { countProgress } from '../terminal/progress.ts'
import { headedTable, wrapText } from '../terminal/table.ts'
import {
  type CommandContext,
  type ExitCode,
  exitCodes,
  inFile,
  type Screen,
  type Terminal,
  toSafeJson,
} from '../terminal/terminal.ts'
import { messageOf, unlessFaulty } from '../terminal/thrown.ts'
import { reasonOf, writeOutput } from '../terminal/user-files.ts'
import { formatOf, type ReportFormat, type ReportOptions } from './report-options.ts'
import { type ReportSource, reportSources, type SourcedBundle } from './report-sources.ts'

export async function runReport(names: readonly string[], options: ReportOptions, context: CommandContext) {
  const { terminal } = context
  const { store, reading, pages, baseline: baselinePath, tolerance } = options
  const baseline = baselinePath === undefined ? undefined : await readBaseline(baselinePath)
  if (typeof baseline === 'string') {
    terminal.fail(baseline)
    return exitCodes.usage
  }
  const redactors = await makeRedactors(options)
  const sources = await reportSources(names, { ...context, redactors, store, reading })
  const { rows, failures } = await makeRows(sources, { pages, redactors }, context)
  const made = report(rows, { failures, limits: options, baseline, tolerance })
  await writeStepSummary(made, process.env.GITHUB_STEP_SUMMARY)
  await writeReport(formsOfReport(made), options, terminal)
  return verdict(made, options, context)
}

function verdict(made: BundleReport, options: ReportOptions, { terminal }: CommandContext): ExitCode {
  const { rows, breaches, failures } = made
  // Only a warning, because a project's first CI job has nothing to measure.
  const { maxRatio, minRetention, minFaithfulness, maxCost } = options
  const hasLimit = (maxRatio ?? minRetention ?? minFaithfulness ?? maxCost) !== undefined
  if (rows.length === 0 && failures.length === 0 && hasLimit)
    terminal.warn('warning: there is no bundle to measure, so no limit was checked')
  for (const { message } of breaches) terminal.fail(cleanText(message))
  // Without --max-failures, any failure fails the command, as in other commands.
  const failed = options.maxFailures === undefined && failures.length > 0
  if (failed) for (const { message } of failures) terminal.fail(cleanText(message))
  return failed || breaches.length > 0 ? exitCodes.failed : exitCodes.done
}

async function readBaseline(path: string): Promise<BundleReport | string> {
  try {
    return parseReport(JSON.parse(await readFile(path, 'utf8')))
  } catch (error) {
    return `--baseline ${path}: ${cleanText(messageOf(error))}`
  }
}

/** Measures one source after another, so that only one session is in memory. Throws if interrupted. */
async function makeRows(
  sources: readonly ReportSource[],
  { pages, redactors }: { readonly pages: string | undefined; readonly redactors: readonly Redactor[] },
  { terminal, signal }: CommandContext,
) {
  const progress = countProgress(terminal)
  const redaction = createRedaction(redactors)
  const rows: ReportRow[] = []
  const failures: ReportFailure[] = []
  for (const [at, source] of sources.entries()) {
    signal.throwIfAborted()
    progress('measuring', at, sources.length)
    try {
      const sourced = await source.load()
      const page = pages === undefined ? undefined : await writePage(sourced, pages, redactors)
      const { bundle, session, earlier, from, reason = 'its log is not here', log } = sourced
      const measured =
        session === undefined || from === 'bundle'
          ? ({ from: 'bundle', reason } as const)
          : { from, measure: await measureBundle(session, bundle, { earlier }) }
      const row = redaction.redactValue(reportRow(bundle, measured, log))
      rows.push({ ...row, ...(page !== undefined && { page }) })
    } catch (error) {
      const isOut = TenfoldError.isInstance(error) && error.code === 'out-failed'
      if (signal.aborted || isOut) throw error
      const { code, message } = failureOfLog(source.name, error)
      failures.push({ log: source.name, code, message })
    }
  }
  return { rows, failures }
}

async function writePage({ bundle, session }: SourcedBundle, folder: string, redactors: readonly Redactor[]) {
  if (session === undefined) return undefined
  const { renderPage } = await import('@tenfold/view')
  const path = join(folder, `${bundle.id}.html`)
  // A session may be too large for a page.
  const html = await unlessFaulty(renderPage(session, { bundle, redactors }), undefined)
  if (html === undefined) return undefined
  await writeOutput(path, [html], { what: 'The page', inFolder: true })
  return path
}

export async function runHistory(
  names: readonly string[],
  since: Date,
  options: ReportOptions,
  { terminal, signal }: CommandContext,
): Promise<ExitCode> {
  const store = await openStore(names[0] ?? options.store, terminal)
  const bundles: ContextBundle[] = []
  let failed = 0
  for (const { id } of await store.list({ since })) {
    signal.throwIfAborted()
    try {
      bundles.push(await store.load(id))
    } catch (error) {
      failed += 1
      terminal.fail(cleanText(failureOf(error).message))
    }
  }
  const history = historyOf(bundles, { since, prices: await readPrices(options.prices) })
  await writeReport(formsOfHistory(history), options, terminal)
  return failed > 0 ? exitCodes.failed : exitCodes.done
}

/** Renders a report or a history in each format, for a screen or for a file in a folder. */
export type Forms = Readonly<
  Partial<Record<ReportFormat, (screen: Screen, folder: string) => string | Promise<string>>>
>

/** Writes the files named by --output, and prints to stdout, shortened if there are files. */
async function writeReport(forms: Forms, { output = [], format }: ReportOptions, terminal: Terminal) {
  const render = async (form: ReportFormat, screen: Screen, folder: string): Promise<string> =>
    (await (forms[form] ?? forms.text)?.(screen, folder)) ?? ''
  for (const path of output)
    await writeOutput(path, [await render(formatOf(path, format), inFile, dirname(path))], {
      what: 'The report',
    })
  if (output.length === 0 || !terminal.quiet)
    terminal.write(await render(output.length > 0 ? 'text' : format, terminal, '.'))
}

function formsOfReport(report: BundleReport): Forms {
  return {
    text: (screen) => reportText(report, screen),
    md: () => reportToMarkdown(report),
    json: () => `${toSafeJson(report, 2)}\n`,
    junit: () => reportToJunit(report),
    async html(_, folder) {
      // The plots take long to load.
      const { reportToHtml } = await import('@tenfold/measure/html')
      const linkTo = (page: string) =>
        relative(resolve(folder), resolve(page)).split(sep).map(encodeURIComponent).join('/')
      const rows = report.rows.map((row) => (row.page ? { ...row, page: linkTo(row.page) } : row))
      return reportToHtml({ ...report, rows })
    },
  }
}

function formsOfHistory(history: History): Forms {
  return {
    text: (screen) => textOfMarkdown(historyToMarkdown(history), screen),
    md: () => historyToMarkdown(history),
    json: () => `${toSafeJson(history, 2)}\n`,
    html: async () => (await import('@tenfold/measure/html')).historyToHtml(history),
  }
}

/** GitHub refuses a summary of more than 1 MiB: https://docs.github.com/actions/reference/workflow-commands-for-github-actions */
const summaryRows = 100

async function writeStepSummary(report: BundleReport, path: string | undefined): Promise<void> {
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
  // Breaches are printed as errors, so they are left out here.
  const markdown = reportToMarkdown({ ...report, breaches: [] }, { rows: 40 })
  const isShown = (title: string): boolean =>
    screen.quiet ? /failure|baseline/.test(title) : screen.verbose || title !== 'Retention and precision'
  return textOfMarkdown(markdown.replace(/^# .*\n+/, ''), screen, isShown)
}

/** Formats a report's Markdown for a terminal, with bold titles and tables that fit. */
function textOfMarkdown(markdown: string, screen: Screen, isShown: (title: string) => boolean = () => true) {
  const lines: string[] = []
  let table: string[][] = []
  let shown = true
  for (const line of markdown.replaceAll('`', '').split('\n')) {
    const title = /^(?:#+ |<details><summary>)(.+?)(?:<\/summary>)?$/.exec(line)?.[1]
    if (line.startsWith('|'))
      table.push(
        line
          .slice(1, -1)
          .trim()
          .split(/\s*\|\s*/),
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
