import { resolve } from 'node:path'
import { pathToFileURL } from 'node:url'
import { type Reader, type Redactor, secretRedactor } from '@tenfold/core'
import { defaultReaders, defineReader, type SourceAgent, sourceAgents } from '@tenfold/core/readers'
import { envValues, patternRedactor, valueRedactor } from '@tenfold/core/redact'
import { InvalidArgumentError } from 'commander'
import { isModulePath } from '../config/config-file.ts'
import { errorCode, messageOf } from '../terminal/thrown.ts'
import { readGivenFile } from '../terminal/user-files.ts'
import { heading, option, optionOf, type Row, type ValuesOf } from './option.ts'
import { madeKindOption, maxLogSizeOption, taskOption } from './options.ts'
import { listOf, notOneOf, parseTrack, share, wholeNumber } from './parsers.ts'

export interface Reading {
  readonly readers: readonly Reader[]
  readonly format?: string | undefined
  readonly maxLogBytes?: number | undefined
}

interface GivenReading {
  readonly reader?: readonly string[]
  readonly format?: string
  readonly maxLogSize?: number
}

/** `--reader`, which gives a command the field `reading`. */
function readerOption(fields: (given: GivenReading) => GivenReading): Row<{ readonly reading: Reading }> {
  return {
    ...optionOf('--reader <module>', 'a JavaScript module that exports your own reader; may be repeated', {
      parse: listOf(String),
    }),
    complete: async (given, refuse) => ({ reading: await readingOf(fields(given), refuse) }),
  }
}

export const readerOnlyOption = readerOption(({ reader = [] }) => ({ reader }))

export const readerOptions = [
  option('--format <reader>', 'format of the logs (default: detected from their content)'),
  readerOption((given) => given),
  maxLogSizeOption,
] as const

/** Readers from the given modules come before the built-in ones. */
async function readingOf(
  { reader: modules = [], format, maxLogSize }: GivenReading,
  refuse: (fault: string) => never,
) {
  const own: Reader[] = []
  for (const module of modules) {
    try {
      own.push(await loadReader(module))
    } catch (error) {
      // The missing module may be one that the reader imports.
      const named = `'${isModulePath(module) ? resolve(module) : module}'`
      const isMissing = errorCode(error) === 'ERR_MODULE_NOT_FOUND' && messageOf(error).includes(named)
      refuse(`--reader ${module}: ${isMissing ? 'no such file or package' : messageOf(error)}`)
    }
  }
  const readers = [...own, ...defaultReaders]
  const names = readers.map(({ name }) => name)
  if (format !== undefined && !names.includes(format)) refuse(`--format: ${notOneOf(names, format).message}`)
  return { readers, format, maxLogBytes: maxLogSize }
}

async function loadReader(module: string): Promise<Reader> {
  const url = isModulePath(module) ? pathToFileURL(resolve(module)).href : module
  const loaded: unknown = await import(url)
  const { default: main, reader = main } = loaded as { default?: unknown; reader?: unknown }
  const recipe = { module: url, name: reader === main ? 'default' : 'reader' }
  if (typeof reader !== 'object' || reader === null)
    throw new Error('it exports no reader; expected "export default defineReader({ … })"')
  return { recipe, ...defineReader(reader as Reader) }
}

export const redactEnvOption = option(
  '--redact-env <file>',
  'also redact the values of this .env file; may be repeated',
  { parse: listOf(String) },
)

const noRedactOption: Row<{ readonly redact: boolean }> = {
  ...option('--no-redact', 'do not redact secrets in output, store, archive and requests to a model'),
  fault: ({ redact, redactEmails, redactEnv, redactPattern }) =>
    !redact && (redactEmails ?? redactEnv ?? redactPattern) !== undefined
      ? 'expected --no-redact without other options that redact'
      : undefined,
}
const emailsOption = option('--redact-emails', 'also redact e-mail addresses')
const patternOption = option(
  '--redact-pattern <regex>',
  'also redact what this matches, or only its first group if it has one; may be repeated',
  { parse: listOf(parsePattern) },
)

export const redactOptions = [
  heading('Redaction options:'),
  noRedactOption,
  emailsOption,
  redactEnvOption,
  patternOption,
] as const

/** Redaction options that may be sent to other machines, unlike the values of a `.env` file. */
export const queuedRedactOptions = [
  heading('Redaction options:'),
  noRedactOption,
  emailsOption,
  patternOption,
] as const

export async function makeRedactors(options: ValuesOf<typeof redactOptions>): Promise<Redactor[]> {
  if (!options.redact) return []
  const files = await Promise.all(
    (options.redactEnv ?? []).map((path) => readGivenFile(path, '--redact-env', 'no-env-file')),
  )
  const values = files.flatMap((text) => envValues(text))
  return [
    secretRedactor({ emails: options.redactEmails ?? false }),
    ...(values.length > 0 ? [valueRedactor(values)] : []),
    ...(options.redactPattern ?? []).map((pattern) => patternRedactor({ type: 'pattern', pattern })),
  ]
}

function parsePattern(value: string): RegExp {
  try {
    return new RegExp(value, 'gu')
  } catch (error) {
    throw new InvalidArgumentError(`expected a regular expression: ${messageOf(error)}`)
  }
}

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
  option('--max-tokens <n>', 'maximum tokens of a bundle, whatever the ratio is', { parse: wholeNumber(1) }),
  option(
    '--max-read-ratio <share>',
    'share of the source tokens that a model reads; 1 reads all (default: 0.35)',
    { parse: share('above zero') },
  ),
  option('--no-archive', 'do not keep the log in the store'),
  option('--drop-unverified', 'drop statements that the log does not confirm, instead of marking them'),
] as const

export const plannedKindOptions = [madeKindOption, ...planOptions] as const

type PlanOptions = ValuesOf<typeof plannedKindOptions>

export function planOf<Kind>(options: Omit<PlanOptions, 'kind'> & { readonly kind: Kind }) {
  const { kind, maxRatio, maxTokens, maxReadRatio } = options
  // Earlier runs recorded their work under these names, so they must not change.
  return { kind, maxRatio, minRatio: minRatioOf(options), minSourceTokens: 4000, maxTokens, maxReadRatio }
}

export function minRatioOf({ maxRatio }: Pick<PlanOptions, 'maxRatio'>): number {
  return Math.min(0.05, maxRatio / 2)
}

export const agentOption = option('--agent <name>', 'only logs of this agent; may be repeated', {
  parse: listOf(parseAgent),
})

function parseAgent(value: string): SourceAgent {
  // Also accepts the name that `tenfold install` uses.
  const wanted = value === 'gemini' ? 'gemini-cli' : value
  const agent = sourceAgents.find(({ name }) => name === wanted)
  if (agent !== undefined) return agent
  throw notOneOf(
    sourceAgents.map(({ name }) => name),
    value,
  )
}
