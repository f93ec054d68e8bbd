import { bundleToMarkdown } from '@tenfold/core'
import { type Command, Option } from 'commander'
import { storeOption, trackOption } from '../options/options.ts'
import { findBundle } from '../store/find-bundle.ts'
import { openStore } from '../store/open-store.ts'
import type { CommandContext } from '../terminal/command-context.ts'
import { toSafeJson } from '../terminal/json-output.ts'

interface ShowOptions {
  readonly store: string
  readonly track: string
  readonly json?: true | undefined
}

export function addCommand(program: Command, context: CommandContext): void {
  program
    .command('show')
    .description('Print a bundle as Markdown or JSON. A file in either form can be printed in either.')
    .argument(
      '<bundle>',
      'LATEST, an id or its beginning, a session, a task, a track, a kind, or the path of a .json or .md file',
    )
    .addOption(storeOption())
    .addOption(trackOption('track whose LATEST to use').default('main'))
    .addOption(new Option('--json', 'print JSON').conflicts('markdown'))
    .option('--markdown', 'print Markdown (default)')
    .addHelpText('after', showHelp)
    .action(async (name: string, options: ShowOptions) => {
      const { terminal } = context
      const store = await openStore(options.store, terminal)
      const bundle = await findBundle(name, { store, track: options.track, terminal })
      // A bundle that passed its schema contains only clean text.
      terminal.write(options.json ? `${toSafeJson(bundle, 2)}\n` : bundleToMarkdown(bundle))
    })
}

const showHelp = `
Examples:
  tenfold show LATEST
  tenfold show LATEST --track review --json
  tenfold show 20260304T0506
  tenfold show handover.md --json`
