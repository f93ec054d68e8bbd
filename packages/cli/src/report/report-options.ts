import { readerOnlyOption, redactOptions } from '../options/log-options.ts'
import { pricesOption } from '../options/model-options.ts'
import { heading, option, type ValuesOf } from '../options/option.ts'
import { storeOption } from '../options/options.ts'
import { listOf, notEmpty, parseAmount, share, timeAt, wholeNumber } from '../options/parsers.ts'

const reportFormats = ['text', 'md', 'json', 'html', 'junit'] as const
export type ReportFormat = (typeof reportFormats)[number]

export const reportOptions = [
  storeOption,
  option('--format <format>', 'format of the report', { choices: reportFormats, default: 'text' }),
  option('--json', 'the same as --format json', { implies: { format: 'json' } }),
  option(
    '-o, --output <file>',
    'write the report to this file, in the format of its name (.html, .md, .json, .xml for JUnit, .txt); may be repeated',
    { parse: listOf(notEmpty('a file')) },
  ),
  option('--pages <folder>', 'also write a page of each session, which the rows of the HTML link to', {
    parse: notEmpty('a folder'),
  }),
  option(
    '--since <time>',
    'instead show weeks and projects of the store since a date (UTC), or since 12h, 7d or 2w ago: cost, decisions, open work',
    { parse: timeAt('start') },
  ),
  pricesOption,
  readerOnlyOption,
  heading('Limits (exit code 1 beyond them):'),
  option('--max-ratio <share>', 'largest allowed ratio of a session (small sessions do not count)', {
    parse: share('above zero'),
  }),
  option(
    '--min-retention <share>',
    'smallest allowed share of the facts of a session that its bundle keeps',
    { parse: share('zero') },
  ),
  option(
    '--min-faithfulness <share>',
    'smallest allowed share of the names in a bundle that occur in its log',
    { parse: share('zero') },
  ),
  option('--max-cost <amount>', 'largest allowed cost of all bundles together', { parse: parseAmount }),
  option('--max-failures <n>', 'most logs that may fail (default: 0)', { parse: wholeNumber(0) }),
  option('--baseline <file>', 'JSON of an earlier report: shows what changed', { parse: notEmpty('a file') }),
  option('--tolerance <share>', 'largest allowed change for the worse since the baseline', {
    parse: share('zero'),
    default: 0.01,
  }),
  ...redactOptions,
] as const

export type ReportOptions = ValuesOf<typeof reportOptions>

const endings: Readonly<Record<string, ReportFormat>> = {
  html: 'html',
  htm: 'html',
  json: 'json',
  md: 'md',
  xml: 'junit',
  txt: 'text',
}

export function formatOf(path: string, otherwise: ReportFormat): ReportFormat {
  return endings[endingOf(path) ?? ''] ?? otherwise
}

/** The fault if an output's name ends like no known format and --format was not given. */
export function formatFault({ output = [], format }: ReportOptions): string | undefined {
  const unknown = output.map(endingOf).find((ending) => ending !== undefined && !(ending in endings))
  if (unknown === undefined || format !== 'text') return undefined
  return `expected a name that ends in .${Object.keys(endings).join(', .')} for --output, got .${unknown}; --format chooses a format for other names`
}

function endingOf(path: string): string | undefined {
  return /\.([a-z]+)$/i.exec(path)?.[1]?.toLowerCase()
}
