import type { Command } from 'commander'
import { storeOption } from '../options/options.ts'
import { findStatus } from '../status/find-status.ts'
import { statusLines } from '../status/status-lines.ts'
import type { CommandContext } from '../terminal/command-context.ts'
import { toSafeJson } from '../terminal/json-output.ts'

export function addCommand(program: Command, context: CommandContext): void {
  const { terminal } = context
  program
    .command('status')
    .description(
      'Print where the work in this folder stands: the last session, what is open, the newest checkpoint, and sessions that are not compressed yet. It is what tenfold alone prints.',
    )
    .addOption(storeOption())
    .option('--json', 'print one JSON object')
    .addHelpText('after', statusHelp)
    .action(async ({ store, json }: { readonly store: string; readonly json?: true }) => {
      const status = await findStatus(process.cwd(), store, context)
      terminal.print(json ? toSafeJson(status, 2) : statusLines(status, new Date(), terminal).join('\n'))
    })
}

const statusHelp = `
Examples:
  tenfold
  tenfold status --json | jq -r '.last.nextSteps[0] // empty'`
