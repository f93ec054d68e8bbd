import { renderBrief, tiktokenCounter } from '@tenfold/core'
import { type Command, Option } from 'commander'
import type { CommandContext } from '../context.ts'
import { exitCodes } from '../exit-codes.ts'
import { findBundle } from '../find-bundle.ts'
import { toSafeJson } from '../json-output.ts'
import { openStore } from '../open-store.ts'
import { type CounterName, counterOption, storeOption, trackOption, wholeNumber } from '../options.ts'

interface ResumeOptions {
  readonly store: string
  readonly track: string
  readonly bundle: string
  readonly maxTokens: number
  readonly counter: CounterName
  readonly json?: true
}

export function addResumeCommand(program: Command, context: CommandContext): void {
  program
    .command('resume')
    .description(
      'Print the brief of a bundle for the next prompt: where to go on, what binds, how things stand.',
    )
    .addOption(storeOption())
    .addOption(trackOption('whose newest bundle').default('main'))
    .addOption(
      new Option('--bundle <id>', 'this bundle instead: an id, or the path of a .json or .md file').default(
        'LATEST',
      ),
    )
    .addOption(
      new Option('--max-tokens <n>', 'most tokens of the brief').argParser(wholeNumber(100)).default(4000),
    )
    .addOption(counterOption())
    .option('--json', 'print one JSON object: bundle, track, tokens, brief')
    .addHelpText('after', resumeHelp)
    .action(async (options: ResumeOptions) => {
      const { terminal } = context
      const store = openStore(options.store, terminal)
      const bundle = await findBundle(options.bundle, { store, track: options.track, terminal })
      const counter = tiktokenCounter(options.counter)
      const brief = renderBrief(bundle, { maxTokens: options.maxTokens, counter })
      const { id, track } = bundle
      if (options.json) terminal.print(toSafeJson({ bundle: id, track, tokens: counter.count(brief), brief }))
      else terminal.write(brief)
      context.finish(exitCodes.done)
    })
}

const resumeHelp = `
Examples:
  tenfold resume
  tenfold resume --track review --max-tokens 1500
  claude "$(tenfold resume)"`
