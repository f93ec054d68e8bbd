import { option, type ValuesOf } from './option.ts'
import { madeKindOption, taskOption } from './options.ts'
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
  option('--max-tokens <n>', 'maximum tokens of a bundle, whatever the ratio is', {
    parse: wholeNumber(1),
  }),
  option(
    '--max-read-ratio <share>',
    'share of the source tokens that a model reads; 1 reads all (default: 0.35)',
    { parse: share('above zero') },
  ),
  option('--no-archive', 'do not keep the log in the store'),
  option('--drop-unverified', 'drop statements that the log does not confirm, instead of marking them'),
] as const

export const plannedKindOptions = [madeKindOption, ...planOptions] as const

export type PlanOptions = ValuesOf<typeof plannedKindOptions>

export function planOf<Kind>(options: Omit<PlanOptions, 'kind'> & { readonly kind: Kind }) {
  const { kind, maxRatio, maxTokens, maxReadRatio } = options
  // As a run before named them: what it did is known by them.
  return { kind, maxRatio, minRatio: minRatioOf(options), minSourceTokens: 4000, maxTokens, maxReadRatio }
}

export function minRatioOf({ maxRatio }: Pick<PlanOptions, 'maxRatio'>): number {
  return Math.min(0.05, maxRatio / 2)
}
