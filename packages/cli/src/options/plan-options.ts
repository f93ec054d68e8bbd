import { type Command, Option } from 'commander'
import { counterOption, kindOption, notEmpty, share, trackOption, wholeNumber } from './options.ts'
import { addReaderOptions } from './readers-option.ts'

/** Options for the purpose and the size of bundles. */
export function addPlanOptions(command: Command): void {
  command
    .addOption(kindOption('kind of the bundles').default('context'))
    .addOption(trackOption('line of work that the bundles belong to').default('main'))
    .addOption(new Option('--task <id>', 'task that the bundles belong to').argParser(notEmpty('a task')))
  addReaderOptions(command)
  command
    .addOption(
      new Option('--max-ratio <share>', 'largest share of the source tokens that a bundle may take')
        .argParser(share('above zero'))
        .default(0.1),
    )
    .addOption(
      new Option(
        '--min-ratio <share>',
        'a smaller share gets a note that says why (default: 0.05, or half of --max-ratio)',
      ).argParser(share('zero')),
    )
    .addOption(
      new Option('--max-tokens <n>', 'maximum tokens of a bundle, no matter what the ratio is').argParser(
        wholeNumber(1),
      ),
    )
    .addOption(
      new Option(
        '--min-source-tokens <n>',
        'a bundle of a smaller log may take up to 600 tokens, no matter what the ratio is',
      )
        .argParser(wholeNumber(0))
        .default(4000),
    )
    .addOption(
      new Option(
        '--max-read-ratio <share>',
        'share of the source tokens that a model reads, 1 for all (default: 0.35)',
      ).argParser(share('above zero')),
    )
    .addOption(counterOption())
    .option('--no-archive', 'do not keep the log in the store')
    .option('--drop-unverified', 'drop statements that the log does not confirm, instead of flagging them')
}

interface Ratios {
  readonly minRatio?: number | undefined
  readonly maxRatio: number
}

/** The share below which a bundle gets a note. */
export function minRatioOf({ minRatio, maxRatio }: Ratios): number {
  return minRatio ?? Math.min(0.05, maxRatio / 2)
}

/** Why the shares cannot go together. */
export function ratioFault({ minRatio = 0, maxRatio }: Ratios): string | undefined {
  if (minRatio <= maxRatio) return undefined
  return `expected --min-ratio to be at most --max-ratio (${maxRatio}), got ${minRatio}`
}
