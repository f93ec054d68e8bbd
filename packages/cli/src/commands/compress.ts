import { type Command, Option } from 'commander'
import { compressAll } from '../compress-all.ts'
import type { CompressOptions } from '../compress-options.ts'
import type { CommandContext } from '../context.ts'
import {
  counterOption,
  formatOption,
  kindOption,
  notEmpty,
  share,
  storeOption,
  trackOption,
  wholeNumber,
} from '../options.ts'

type GivenOptions = Omit<CompressOptions, 'minRatio'> & { readonly minRatio?: number }

export function addCompressCommand(program: Command, context: CommandContext): void {
  const command = program
    .command('compress')
    .description('Compress logs, each to a bundle in the store. The raw log is kept beside it, compressed.')
    .argument('<log...>', 'paths of logs, of folders that hold logs (oldest first), or - for stdin')
    .addOption(storeOption())
    .addOption(kindOption('what the bundles are for').default('context'))
    .addOption(trackOption('line of work that the bundles belong to').default('main'))
    .addOption(new Option('--task <id>', 'task that the bundles belong to').argParser(notEmpty('a task')))
    .addOption(formatOption())
    .addOption(
      new Option('--max-ratio <share>', 'never above this share of the source tokens')
        .argParser(share('above zero'))
        .default(0.1),
    )
    .addOption(
      new Option(
        '--min-ratio <share>',
        'below this share only with a note that says why (default: 0.05, or half of --max-ratio)',
      ).argParser(share('zero')),
    )
    .addOption(
      new Option('--max-tokens <n>', 'cap of a bundle in tokens, whatever the ratio').argParser(
        wholeNumber(1),
      ),
    )
    .addOption(
      new Option('--min-source-tokens <n>', 'smaller logs are kept whole')
        .argParser(wholeNumber(0))
        .default(4000),
    )
    .addOption(counterOption())
    .option('--no-archive', 'do not keep the raw log in the store')
    .addOption(new Option('--concurrency <n>', 'logs at a time').argParser(wholeNumber(1, 64)).default(1))
    .option('--dry-run', 'compress, but write nothing')
    .addOption(
      new Option(
        '--out <file>',
        'write the Markdown of a single log to this file too, - for stdout',
      ).argParser(notEmpty('a file')),
    )
    .option('--quiet', 'print nothing but errors')
    .option('--json', 'print one JSON object a log, one line each')
    .addHelpText('after', compressHelp)
  command.action(async (logs: string[], given: GivenOptions) => {
    const options = { ...given, minRatio: given.minRatio ?? Math.min(0.05, given.maxRatio / 2) }
    const fault = usageFault(logs, options)
    if (fault !== undefined) command.error(`error: ${fault}`)
    context.finish(await compressAll(logs, options, context))
  })
}

/** What is wrong with options that are good one by one. */
function usageFault(logs: readonly string[], options: CompressOptions): string | undefined {
  const { minRatio, maxRatio, out, json, dryRun } = options
  if (minRatio > maxRatio) return `expected --min-ratio of at most --max-ratio (${maxRatio}), got ${minRatio}`
  if (logs.filter((log) => log === '-').length > 1) return 'expected - (stdin) once, got it more often'
  if (out !== undefined && logs.length > 1) return `expected a single log with --out, got ${logs.length}`
  if (out === '-' && json) return 'expected a file for --out beside --json: both would write to stdout'
  if (out !== undefined && out !== '-' && dryRun)
    return 'expected --out - beside --dry-run, which writes no file'
  return undefined
}

const compressHelp = `
Examples:
  tenfold compress session.jsonl
  tenfold compress --track review --kind progress session.jsonl
  tenfold compress --json logs/ | jq .tokens.ratio
  tenfold compress --dry-run --out - session.jsonl | less
  gunzip -c session.jsonl.gz | tenfold compress -`
