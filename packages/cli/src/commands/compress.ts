import type { Command } from 'commander'
import { compressAll } from '../compress/compress-all.ts'
import type { CompressOptions } from '../compress/compress-options.ts'
import { addLogOptions } from '../options/log-options.ts'
import { addModelOptions, chainOf, modelFault } from '../options/model-options.ts'
import { notEmpty, storeOption, wholeNumber } from '../options/options.ts'
import { addPlanOptions, minRatioOf, ratioFault } from '../options/plan-options.ts'
import { type ReaderOptions, readersOf } from '../options/readers-option.ts'
import { addRedactOptions, redactFault } from '../options/redact-options.ts'
import { timeAt } from '../options/time-options.ts'
import { chooseSession } from '../sources/choose-session.ts'
import type { CommandContext } from '../terminal/command-context.ts'

type GivenOptions = Omit<CompressOptions, 'minRatio' | 'readers'> &
  ReaderOptions & { readonly minRatio?: number }

export function addCommand(program: Command, context: CommandContext): void {
  const command = program
    .command('compress')
    .description(
      'Compress logs, each to a bundle in the store. The store also keeps the log, packed; secrets are replaced. Sessions of several projects in a folder go to a track each, unless --track is given.',
    )
    .argument(
      '[log...]',
      'paths of logs or folders (every log in them, oldest first), or - for stdin (default: the newest session of this folder)',
    )
    .addOption(storeOption())
  addPlanOptions(command)
  command.option(
    '--previous <bundle>',
    'earlier bundle of the same session, an id or LATEST: a model reads only what is new since then',
    notEmpty('a bundle'),
  )
  addLogOptions(command)
  command
    .option('--again', 'also compress logs that the store has already, compressed with the same options')
    .option('--limit <n>', 'compress at most this many logs; a later run continues', wholeNumber(1))
    .option(
      '--since <time>',
      'of the logs in folders only those changed since a date, or an age such as 7d',
      timeAt('start'),
    )
    .option(
      '--dry-run',
      'write nothing; with a model, also send nothing, and print what the requests would cost at most',
    )
    .option(
      '--out <file>',
      'also write the bundle of a single log to this file, as JSON if its name ends in .json, otherwise as Markdown; - for stdout',
      notEmpty('a file'),
    )
    .option('--json', 'print one line of JSON per log; for folders, also what else is in them')
  addModelOptions(command)
  addRedactOptions(command)
  command.addHelpText('after', compressHelp)
  command.action(async (named: string[], given: GivenOptions) => {
    const options = {
      ...given,
      minRatio: minRatioOf(given),
      trackByProject: command.getOptionValueSource('track') === 'default',
    }
    const fault = usageFault(named, options)
    if (fault !== undefined) command.error(`error: ${fault}`)
    const readers = await readersOf(options, command)
    const logs = named.length > 0 ? named : [await newestSession(command, context)]
    context.finish(await compressAll(logs, { ...options, readers }, context))
  })
}

async function newestSession(command: Command, context: CommandContext): Promise<string> {
  const path = await chooseSession(process.cwd(), context)
  if (path !== undefined) return path
  return command.error(
    'error: No agent has left a session of this folder. Name a log; tenfold sources shows where agents keep theirs.',
  )
}

/** The first conflict between options that are each valid alone. */
function usageFault(logs: readonly string[], options: CompressOptions): string | undefined {
  const { out, json, dryRun, previous } = options
  const fault = ratioFault(options)
  if (fault !== undefined) return fault
  if (logs.filter((log) => log === '-').length > 1) return 'expected - (stdin) once, got it several times'
  if (out !== undefined && logs.length > 1) return `expected a single log with --out, got ${logs.length}`
  if (out === '-' && json) return 'expected a file for --out with --json: both would write to stdout'
  if (out !== undefined && out !== '-' && dryRun)
    return 'expected --out - with --dry-run, which writes no file'
  if (out !== undefined && dryRun && chainOf(options).some(({ name }) => name !== 'extractive'))
    return 'expected no --out with --dry-run and a model: a dry run asks no model, so there is no bundle'
  if (previous !== undefined && logs.length > 1)
    return `expected a single log with --previous, got ${logs.length}`
  return modelFault(options) ?? redactFault(options)
}

const compressHelp = `
Examples:
  tenfold compress                        the newest session of this folder
  tenfold compress session.jsonl
  tenfold compress --track review --kind progress session.jsonl
  tenfold compress --summarizer anthropic --model MODEL --max-cost 0.50 session.jsonl
  tenfold compress --summarizer openai --model MODEL --base-url http://127.0.0.1:8000/v1 session.jsonl
  tenfold compress --previous LATEST session.jsonl
  tenfold compress --summarizer anthropic --model MODEL --dry-run ~/.claude/projects
  tenfold compress --since 7d --max-cost 5 --summarizer anthropic --model MODEL ~/.claude/projects
  tenfold compress --json logs/ | jq '.tokens.ratio // empty'
  tenfold compress --dry-run --out - session.jsonl | less
  gunzip -c session.jsonl.gz | tenfold compress -`
