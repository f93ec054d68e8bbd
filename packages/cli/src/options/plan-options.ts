import type { BundleKind } from '@tenfold/core'
import type { Command } from 'commander'
import {
  type CounterName,
  counterOption,
  madeKindOption,
  notEmpty,
  share,
  trackOption,
  wholeNumber,
} from './options.ts'
import { addReaderOptions } from './readers-option.ts'

/** Options for the purpose and the size of bundles. */
export interface PlanOptions {
  readonly kind: BundleKind | 'auto'
  readonly track: string
  readonly task?: string | undefined
  readonly maxRatio: number
  readonly minRatio?: number | undefined
  readonly maxTokens?: number | undefined
  readonly minSourceTokens: number
  readonly maxReadRatio?: number | undefined
  readonly counter: CounterName
  readonly archive: boolean
  readonly dropUnverified?: true | undefined
}

/** Options of a command that makes bundles, by default of a kind that may depend on the session. */
export function addPlanOptions(command: Command, kind = madeKindOption()): void {
  command
    .addOption(kind)
    .addOption(trackOption('line of work that the bundles belong to').default('main'))
    .option('--task <id>', 'task that the bundles belong to', notEmpty('a task'))
  addReaderOptions(command)
  command
    .option(
      '--max-ratio <share>',
      'largest share of the source tokens that a bundle may take',
      share('above zero'),
      0.1,
    )
    .option(
      '--min-ratio <share>',
      'a smaller share gets a note that says why (default: 0.05, or half of --max-ratio)',
      share('zero'),
    )
    .option('--max-tokens <n>', 'maximum tokens of a bundle, no matter what the ratio is', wholeNumber(1))
    .option(
      '--min-source-tokens <n>',
      'a bundle of a smaller log may take up to 600 tokens, no matter what the ratio is',
      wholeNumber(0),
      4000,
    )
    .option(
      '--max-read-ratio <share>',
      'share of the source tokens that a model reads, 1 for all (default: 0.35)',
      share('above zero'),
    )
    .addOption(counterOption())
    .option('--no-archive', 'do not keep the log in the store')
    .option('--drop-unverified', 'drop statements that the log does not confirm, instead of flagging them')
}

type Ratios = Pick<PlanOptions, 'minRatio' | 'maxRatio'>

/** The share below which a bundle gets a note. */
export function minRatioOf({ minRatio, maxRatio }: Ratios): number {
  return minRatio ?? Math.min(0.05, maxRatio / 2)
}

/** Why the shares cannot go together. */
export function ratioFault({ minRatio = 0, maxRatio }: Ratios): string | undefined {
  if (minRatio <= maxRatio) return undefined
  return `expected --min-ratio to be at most --max-ratio (${maxRatio}), got ${minRatio}`
}
