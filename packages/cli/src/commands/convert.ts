import { cleanLine } from '@tenfold/core'
import { type Command, Option } from 'commander'
import { type ConvertOptions, conversions, convertLog } from '../convert/convert-log.ts'
import { notEmpty } from '../options/options.ts'
import { addReaderOptions, type ReaderOptions, readersOf } from '../options/readers-option.ts'
import { addRedactOptions, redactFault } from '../options/redact-options.ts'
import type { CommandContext } from '../terminal/command-context.ts'
import { formatNumberOf } from '../terminal/numbers.ts'

export function addCommand(program: Command, context: CommandContext): void {
  const command = program
    .command('convert')
    .description("Print a log in another form: Tenfold's own lines, ATIF, or Markdown to read.")
    .argument('<log>', 'path of a log or its folder, PATH#ID for one of several sessions, or - for stdin')
    .addOption(new Option('--to <form>', 'form to write').choices(conversions).makeOptionMandatory())
    .option('-o, --output <file>', 'file to write, or - for stdout (default: stdout)', notEmpty('a file'))
    .option('--full', 'in Markdown, do not cut long tool arguments and results')
  addReaderOptions(command)
  addRedactOptions(command)
  command
    .addHelpText('after', convertHelp)
    .action(async (log: string, options: ConvertOptions & ReaderOptions) => {
      const fault = redactFault(options)
      if (fault !== undefined) command.error(`error: ${fault}`)
      const readers = await readersOf(options, command)
      const session = await convertLog(log, options, readers, context)
      if (options.output !== undefined && options.output !== '-') {
        const events = formatNumberOf(session.events.length, 'event')
        context.terminal.warn(
          `Wrote ${events} of a ${session.format} session to ${cleanLine(options.output)}`,
        )
      }
    })
}

const convertHelp = `
Examples:
  tenfold convert session.jsonl --to markdown -o session.md
  tenfold convert session.jsonl --to atif > trajectory.json
  tenfold convert opencode.db#ses_1a2b3c --to tenfold -o session.tenfold.jsonl`
