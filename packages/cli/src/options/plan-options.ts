import { option, type ValuesOf } from './option.ts'
import { counterOption, madeKindOption, taskOption } from './options.ts'
import { parseTrack, share, wholeNumber } from './parsers.ts'
import { readerOptions } from './reader-options.ts'

export const planOptions = [
  option('--track <name>', 'line of work (track) that the bundles belong to', {
    parse: parseTrack,
    default: 'main',
  }),
  taskOption('task that the bundles belong to'),
  ...readerOptions,
  option('--max-ratio <share>', 'largest share of the source tokens that a bundle may take', {
    parse: share('above zero'),
    default: 0.1,
  }),
  option(
    '--min-ratio <share>',
    'smallest share without a note that explains it (default: 0.05, or half of --max-ratio)',
    { parse: share('zero') },
  ),
  option('--max-tokens <n>', 'maximum tokens of a bundle, whatever the ratio is', {
    parse: wholeNumber(1),
  }),
  option(
    '--min-source-tokens <n>',
    'size below which a log is small: its bundle may take up to 600 tokens, whatever the ratio is',
    { parse: wholeNumber(0), default: 4000 },
  ),
  option(
    '--max-read-ratio <share>',
    'share of the source tokens that a model reads; 1 reads all (default: 0.35)',
    { parse: share('above zero') },
  ),
  counterOption,
  option('--no-archive', 'do not keep the log in the store'),
  option('--drop-unverified', 'drop statements that the log does not confirm, instead of marking them'),
] as const

export const plannedKindOptions = [madeKindOption, ...planOptions] as const

export type PlanOptions = ValuesOf<typeof plannedKindOptions>

export function planOf<Kind>(options: Omit<PlanOptions, 'kind'> & { readonly kind: Kind }) {
  const { kind, maxRatio, minSourceTokens, maxTokens, maxReadRatio } = options
  return { kind, maxRatio, minRatio: minRatioOf(options), minSourceTokens, maxTokens, maxReadRatio }
}

type Ratios = Pick<PlanOptions, 'minRatio' | 'maxRatio'>

export function minRatioOf({ minRatio, maxRatio }: Ratios): number {
  return minRatio ?? Math.min(0.05, maxRatio / 2)
}

export function ratioFault({ minRatio = 0, maxRatio }: Ratios): string | undefined {
  if (minRatio <= maxRatio) return undefined
  return `expected --min-ratio to be at most --max-ratio (${maxRatio}), got ${minRatio}`
}
