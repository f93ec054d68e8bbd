import { plannedKindOptions, redactOptions } from '../options/log-options.ts'
import { modelOptions } from '../options/model-options.ts'
import { option, type ValuesOf } from '../options/option.ts'
import { changedSinceOption, logOptions, storeOption } from '../options/options.ts'
import { notEmpty, wholeNumber } from '../options/parsers.ts'

export const compressOptions = [
  storeOption,
  ...plannedKindOptions,
  option(
    '--previous <bundle>',
    'earlier bundle of the same session, an id or LATEST: a model reads only what is new since then',
    { parse: notEmpty('a bundle') },
  ),
  ...logOptions,
  option('--again', 'also compress logs that are already compressed with the same options'),
  option('--limit <n>', 'compress at most this many logs; a later run continues', { parse: wholeNumber(1) }),
  changedSinceOption,
  option('--dry-run', 'write and send nothing; with a model, print the maximum cost of the requests'),
  option(
    '-o, --output <file>',
    'also write the bundle of a single log to this file, as JSON if its name ends in .json, otherwise as Markdown; - for stdout',
    { parse: notEmpty('a file') },
  ),
  option('--json', 'print one line of JSON per log; for folders, also one about their other files'),
  ...modelOptions,
  ...redactOptions,
] as const

export type CompressOptions = ValuesOf<typeof compressOptions> & {
  /** Gives each project's logs in a folder their own track. */
  readonly trackByProject?: boolean | undefined
}
