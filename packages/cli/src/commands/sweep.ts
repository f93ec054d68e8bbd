import { type Command, InvalidArgumentError, Option } from 'commander'
import { runSweep } from '../background/sweep/run-sweep.ts'
import type { SweepOptions } from '../background/sweep/sweep-options.ts'
import { maxLogSizeOption } from '../options/max-log-size.ts'
import { addModelOptions, modelFault } from '../options/model-options.ts'
import { madeKindOption, parseStore, wholeNumber } from '../options/options.ts'
import { addRedactOptions, redactFault } from '../options/redact-options.ts'
import { agentOption } from '../sources/agent-option.ts'
import type { CommandContext } from '../terminal/command-context.ts'

const hour = 60 * 60 * 1000

export function addCommand(program: Command, context: CommandContext): void {
  const command = program
    .command('sweep')
    .description(
      'Compress what was missed: first the queue of the hooks, then quiet logs of all agents that are not compressed yet.',
    )
    .addOption(
      new Option('--store <store>', "one store for all logs (default: .agents/bundles in each log's project)")
        .env('TENFOLD_STORE')
        .argParser(parseStore),
    )
    .addOption(
      new Option('--idle <hours>', 'only logs that have not been written to for this long')
        .argParser(parseHours)
        .default(4 * hour, '4'),
    )
    .addOption(agentOption())
    .addOption(madeKindOption())
    .option('--concurrency <n>', 'stores to write to at a time', wholeNumber(1, 64), 1)
    .addOption(maxLogSizeOption())
    .option('--retry', 'also try logs that failed before and have not changed since')
    .option('--dry-run', 'print what would be compressed, and write nothing')
    .option('--json', 'print one line of JSON per log')
    .option('--queued', 'compress only the queue of the hooks')
  addModelOptions(command)
  addRedactOptions(command)
  command.addHelpText('after', sweepHelp)
  command.action(async (options: SweepOptions) => {
    const fault = modelFault(options) ?? redactFault(options)
    if (fault !== undefined) command.error(`error: ${fault}`)
    context.finish(await runSweep(options, context))
  })
}

function parseHours(value: string): number {
  const hours = /^\d{1,5}(?:\.\d+)?$/.test(value) ? Number(value) : Number.NaN
  if (!Number.isNaN(hours)) return hours * hour
  throw new InvalidArgumentError(`expected hours such as 4 or 0.5, got ${JSON.stringify(value)}`)
}

const sweepHelp = `
If a sweep is killed, the next one continues its work; if two run at once, the second does nothing. A session that ended
earlier than others comes before them on the track. Logs whose project is unknown or missing go to the folder bundles
below TENFOLD_HOME, which is $XDG_STATE_HOME/tenfold or ~/.local/state/tenfold.

The bundles that hooks ask for are made by a sweep too: TENFOLD_SWEEP_KIND, or "kind" for sweep in a config file, is the
kind of theirs.

Examples:
  tenfold sweep --dry-run
  tenfold sweep --idle 12 --agent claude-code
  0 * * * *  tenfold sweep --quiet          a line of a crontab`
