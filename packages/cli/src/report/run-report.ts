import { readFile } from 'node:fs/promises'
import { cleanText } from '@tenfold/core'
import { type BundleReport, parseReport, report } from '@tenfold/measure'
import { makeRedactors } from '../options/redact-options.ts'
import type { CommandContext } from '../terminal/command-context.ts'
import { type ExitCode, exitCodes } from '../terminal/exit-codes.ts'
import { inFile } from '../terminal/terminal.ts'
import { messageOf } from '../terminal/thrown.ts'
import { makeRows } from './make-rows.ts'
import type { ReportOptions } from './report-options.ts'
import { reportSources } from './report-sources.ts'
import { renderReport, writeOutputs, writeStepSummary } from './write-report.ts'

/** Reports on what the names stand for, writes the report, and fails if a limit is not kept or a log failed. */
export async function runReport(
  names: readonly string[],
  options: ReportOptions,
  context: CommandContext,
): Promise<ExitCode> {
  const { terminal } = context
  const { store, format, reading, output = [], pages, baseline: baselinePath, tolerance } = options
  const baseline = baselinePath === undefined ? undefined : await readBaseline(baselinePath)
  if (typeof baseline === 'string') {
    terminal.fail(baseline)
    return exitCodes.usage
  }
  const redactors = await makeRedactors(options)
  const given = { ...context, redactors }
  const { rows, failures } = await makeRows(await reportSources(names, { ...given, store, reading }), {
    ...given,
    pages,
  })
  const made = report(rows, { failures, limits: options, baseline, tolerance })
  await writeOutputs(output, format, (each, folder) => renderReport(made, each, inFile, folder))
  await writeStepSummary(made, process.env.GITHUB_STEP_SUMMARY)
  const printed = output.length > 0 ? 'text' : format
  if (output.length === 0 || !terminal.quiet) terminal.write(await renderReport(made, printed, terminal, '.'))
  return verdict(made, options, context)
}

function verdict(
  { rows, breaches, failures }: BundleReport,
  options: ReportOptions,
  { terminal }: CommandContext,
): ExitCode {
  // Not a failure: a project's first job has nothing to measure.
  if (rows.length === 0 && failures.length === 0 && hasLimit(options))
    terminal.warn('warning: there is no bundle to measure, so no limit was checked')
  for (const { message } of breaches) terminal.fail(cleanText(message))
  // Without a limit, each failure counts, as in other commands.
  const failed = options.maxFailures === undefined && failures.length > 0
  if (failed) for (const { message } of failures) terminal.fail(cleanText(message))
  return failed || breaches.length > 0 ? exitCodes.failed : exitCodes.done
}

function hasLimit({ maxRatio, minRetention, minFaithfulness, maxCost }: ReportOptions): boolean {
  return [maxRatio, minRetention, minFaithfulness, maxCost].some((limit) => limit !== undefined)
}

/** The earlier report, or what is wrong with its file. */
async function readBaseline(path: string): Promise<BundleReport | string> {
  try {
    return parseReport(JSON.parse(await readFile(path, 'utf8')))
  } catch (error) {
    return `--baseline ${path}: ${cleanText(messageOf(error))}`
  }
}
