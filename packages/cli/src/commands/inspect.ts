import type { Command } from 'commander'
import { type InspectOptions, inspectAll } from '../inspect/inspect-all.ts'
import { counterOption } from '../options/options.ts'
import { addReaderOptions, type ReaderOptions, readersOf } from '../options/readers-option.ts'
import { addRedactOptions, redactFault } from '../options/redact-options.ts'
import type { CommandContext } from '../terminal/command-context.ts'

export function addCommand(program: Command, context: CommandContext): void {
  const command = program
    .command('inspect')
    .description(
      'Print how the tokens of logs are spread over categories and agents, with events, lines, usage and notes.',
    )
    .argument('<log...>', 'paths of logs or folders (every log in them, oldest first), or - for stdin')
    .addOption(counterOption())
    .option('--json', 'print one line of JSON per log; for folders, also what else is in them')
  addReaderOptions(command)
  addRedactOptions(command)
  command.addHelpText('after', inspectHelp)
  command.action(async (logs: string[], options: InspectOptions & ReaderOptions) => {
    if (logs.filter((log) => log === '-').length > 1)
      command.error('error: expected - (stdin) once, got it several times')
    const fault = redactFault(options)
    if (fault !== undefined) command.error(`error: ${fault}`)
    context.finish(
      await inspectAll(logs, { ...options, readers: await readersOf(options, command) }, context),
    )
  })
}

const inspectHelp = `
Examples:
  tenfold inspect session.jsonl
  tenfold inspect --json logs/ | jq '.tokens.total // empty'`
