import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { type ContextBundle, type Redactor, TenfoldError } from '@tenfold/core'
import { cleanText } from '@tenfold/core/internal'
import { createRedaction } from '@tenfold/core/redact'
import {
  type BundleReport,
  historyOf,
  measureBundle,
  parseReport,
  type ReportFailure,
  type ReportRow,
  report,
  reportRow,
} from '@tenfold/measure'
import { makeRedactors } from '../options/log-options.ts'
import { readPrices } from '../options/model-options.ts'
import { openStore } from '../store/open-store.ts'
import { type ExitCode, exitCodes } from '../terminal/exit-codes.ts'
import { failureOf, failureOfLog } from '../terminal/failure.ts'
import { countProgress } from '../terminal/progress.ts'
import type { CommandContext } from '../terminal/terminal.ts'
import { messageOf, unlessFaulty } from '../terminal/thrown.ts'
import { writeOutput } from '../terminal/user-files.ts'
import type { ReportOptions } from './report-options.ts'
import { type ReportSource, reportSources, type SourcedBundle } from './report-sources.ts'
import { formsOfHistory, formsOfReport, writeReport, writeStepSummary } from './write-report.ts'

export async function runReport(
  names: readonly string[],
  options: ReportOptions,
  context: CommandContext,
): Promise<ExitCode> {
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

function verdict(
  { rows, breaches, failures }: BundleReport,
  options: ReportOptions,
  { terminal }: CommandContext,
): ExitCode {
  // Not a failure: a project's first job has nothing to measure.
  const { maxRatio, minRetention, minFaithfulness, maxCost } = options
  const hasLimit = (maxRatio ?? minRetention ?? minFaithfulness ?? maxCost) !== undefined
  if (rows.length === 0 && failures.length === 0 && hasLimit)
    terminal.warn('warning: there is no bundle to measure, so no limit was checked')
  for (const { message } of breaches) terminal.fail(cleanText(message))
  // Without a limit, each failure counts, as in other commands.
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

/** Measures one source after the other, so that only one session is in memory. Throws if it is interrupted. */
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

async function writePage(
  { bundle, session }: SourcedBundle,
  folder: string,
  redactors: readonly Redactor[],
): Promise<string | undefined> {
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
