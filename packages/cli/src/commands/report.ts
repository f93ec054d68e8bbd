import { type Command, Option } from 'commander'
import { parseAmount, pricesOption } from '../options/model-options.ts'
import { notEmpty, share, storeOption, wholeNumber } from '../options/options.ts'
import { readerOption, readersOf } from '../options/readers-option.ts'
import { addRedactOptions, redactFault } from '../options/redact-options.ts'
import { timeAt } from '../options/time-options.ts'
import { formatOf, type ReportCommandOptions, reportFormats } from '../report/report-options.ts'
import { holdsStore, isRemoteStore } from '../state/trust.ts'
import type { CommandContext } from '../terminal/command-context.ts'

export function addCommand(program: Command, context: CommandContext): void {
  const command = program
    .command('report')
    .description(
      'Report on many bundles: ratios, cost, what they keep of their logs and how true they are, without a model.',
    )
    .argument(
      '[what...]',
      'stores, files of bundles, or logs and folders of logs, which are compressed offline and not saved (default: the store)',
    )
    .addOption(storeOption())
    .addOption(new Option('--format <format>', 'format of the report').choices(reportFormats).default('text'))
    .addOption(new Option('--json', 'the same as --format json').implies({ format: 'json' }))
    .option(
      '-o, --output <file>',
      'write the report to this file, in the format of its name (.html, .md, .json, .xml for JUnit, .txt); may be repeated',
      (value: string, before: readonly string[] = []) => [...before, notEmpty('a file')(value)],
    )
    .option(
      '--pages <folder>',
      'also write a page of each session, which the rows of the HTML link to',
      notEmpty('a folder'),
    )
    .option(
      '--since <time>',
      'instead show weeks and projects of the store since a date (UTC), or since 12h, 7d or 2w ago: what sessions cost, what was decided, what stays open',
      timeAt('start'),
    )
    .addOption(pricesOption())
    .addOption(readerOption())
    .optionsGroup('Limits (exit code 1 beyond them):')
    .option('--max-ratio <share>', 'largest ratio of a session that is not small', share('above zero'))
    .option(
      '--min-retention <share>',
      'smallest share of the facts of a session that its bundle keeps',
      share('zero'),
    )
    .option(
      '--min-faithfulness <share>',
      'smallest share of the names in a bundle that occur in its log',
      share('zero'),
    )
    .option('--max-cost <amount>', 'largest cost of all bundles together', parseAmount)
    .option('--max-failures <n>', 'most logs that may fail (default: 0)', wholeNumber(0))
    .option('--baseline <file>', 'JSON of an earlier report: shows what changed', notEmpty('a file'))
    .option(
      '--tolerance <share>',
      'change for the worse since the baseline that is still fine',
      share('zero'),
      0.01,
    )
  addRedactOptions(command)
  command.addHelpText('after', reportHelp)
  command.action(
    async (names: string[], options: ReportCommandOptions & { readonly reader?: readonly string[] }) => {
      const fault = historyFault(names, options) ?? redactFault(options)
      if (fault !== undefined) command.error(`error: ${fault}`)
      // Other commands need not load the measures.
      if (options.since !== undefined) {
        const { runHistory } = await import('../report/run-history.ts')
        context.finish(await runHistory(names, options.since, options, context))
        return
      }
      const { runReport } = await import('../report/run-report.ts')
      const readers = await readersOf({ reader: options.reader }, command)
      context.finish(await runReport(names, { ...options, readers }, context))
    },
  )
}

/** A history has no measures, so it has no limits and no page of a session. */
function historyFault(names: readonly string[], options: ReportCommandOptions): string | undefined {
  const { since, format, output = [], pages, baseline, maxRatio, maxCost, maxFailures } = options
  if (since === undefined) return undefined
  const limits = [
    pages,
    baseline,
    maxRatio,
    options.minRetention,
    options.minFaithfulness,
    maxCost,
    maxFailures,
  ]
  if (limits.some((limit) => limit !== undefined))
    return 'expected neither limits nor --pages nor --baseline with --since'
  if (names.length > 1 || names.some((name) => !isRemoteStore(name) && !holdsStore(name)))
    return 'expected at most one store with --since'
  if ([format, ...output.map((path) => formatOf(path, format))].includes('junit'))
    return 'expected another format than junit with --since'
  return undefined
}

const reportHelp = `
A stored bundle is measured against its archived log; if that is not there, the report has what the bundle itself says.
In a GitHub job the report is also added to the summary of the job.

Examples:
  tenfold report
  tenfold report -o report.html --pages sessions
  tenfold report logs/ --max-ratio 0.1 --min-retention 0.9 --format junit
  tenfold report -o report.json
  tenfold report --baseline report.json --tolerance 0.02
  tenfold report --since 30d -o weeks.html
  tenfold report --format json | jq '.totals.work.ratio'

Exit codes: 0 all limits are kept, 1 a limit is not kept or a log failed, 2 wrong usage, 130 interrupted.`
