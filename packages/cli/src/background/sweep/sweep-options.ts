import { modelOptions } from '../../options/model-options.ts'
import { option, type ValuesOf } from '../../options/option.ts'
import { madeKindOption, maxLogSizeOption } from '../../options/options.ts'
import { parseHours, parseStore, wholeNumber } from '../../options/parsers.ts'
import { redactOptions } from '../../options/redact-options.ts'
import { agentOption } from '../../sources/agent-option.ts'

export const sweepOptions = [
  option('--store <store>', "one store for all logs (default: .agents/bundles in each log's project)", {
    env: 'TENFOLD_STORE',
    parse: parseStore,
  }),
  option('--idle <hours>', 'only logs that have not been written to for this long', {
    parse: parseHours,
    default: parseHours('4'),
    shown: '4',
  }),
  agentOption,
  madeKindOption,
  option('--concurrency <n>', 'stores to write to at a time', { parse: wholeNumber(1, 64), default: 1 }),
  maxLogSizeOption,
  option('--retry', 'also try logs that failed before and have not changed since'),
  option('--dry-run', 'print what would be compressed, and write nothing'),
  option('--json', 'print one line of JSON per log'),
  option('--queued', 'compress only the queue of the hooks'),
  ...modelOptions,
  ...redactOptions,
] as const

export type SweepOptions = ValuesOf<typeof sweepOptions>
