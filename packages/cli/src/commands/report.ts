import { formatFault, formatOf, type ReportOptions, reportOptions } from '../report/report-options.ts'
import { holdsStore, isRemoteStore } from '../state/trust.ts'
import { defineCommand } from './define-command.ts'

export const addCommand = defineCommand({
  name: 'report',
  description:
    'Report on many bundles: ratio, cost, how much of their logs they keep and how faithful they are, without a model.',
  arguments: [
    [
      '[what...]',
      'stores, files of bundles, or logs and folders of logs, which are compressed offline and not saved (default: the store)',
    ],
  ],
  options: reportOptions,
  help: `
A stored bundle is measured against its archived log; if that is missing, the report uses the bundle's own figures.
In a GitHub job the report is also added to the summary of the job.

Examples:
  tenfold report
  tenfold report -o report.html --pages sessions
  tenfold report logs/ --max-ratio 0.1 --min-retention 0.9 --format junit
  tenfold report --baseline report.json --tolerance 0.02
  tenfold report --format json | jq '.totals.work.ratio'

Exit codes: 0 all limits are met, 1 a limit is not met or a log failed, 2 wrong usage, 130 interrupted.`,
  fault: (options, names) =>
    formatFault(options) ??
    historyFault(options, names) ??
    (options.prices !== undefined && options.since === undefined
      ? 'expected --since with --prices: only the history uses prices'
      : undefined),
  async run(options, context, names) {
    // Loaded here, because only this command uses the measures.
    const { runHistory, runReport } = await import('../report/run-report.ts')
    if (options.since !== undefined) return await runHistory(names, options.since, options, context)
    return await runReport(names, options, context)
  },
})

/** A history has no measures, so it takes no limits and writes no pages. */
function historyFault(options: ReportOptions, names: readonly string[]): string | undefined {
  const { since, format, output = [], pages, baseline, maxRatio, maxCost, maxFailures } = options
  if (since === undefined) return undefined
  const { minRetention, minFaithfulness } = options
  const limits = [pages, baseline, maxRatio, minRetention, minFaithfulness, maxCost, maxFailures]
  if (limits.some((limit) => limit !== undefined))
    return 'expected neither limits nor --pages nor --baseline with --since'
  if (names.length > 1 || names.some((name) => !isRemoteStore(name) && !holdsStore(name)))
    return 'expected at most one store with --since'
  if ([format, ...output.map((path) => formatOf(path, format))].includes('junit'))
    return 'expected another format than junit with --since'
  return undefined
}
