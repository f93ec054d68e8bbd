import { readFile } from 'node:fs/promises'
import { type PriceTable, parsePriceTable, type SpendingLimits } from '@tenfold/core'
import { type Command, InvalidArgumentError, Option } from 'commander'
import { notEmpty, wholeNumber } from './options.ts'
import { timeLimit } from './time-options.ts'

const summarizerNames = ['extractive', 'anthropic', 'openai', 'ollama'] as const
type SummarizerName = (typeof summarizerNames)[number]

/** One link of the chain: who is asked, and which model where that stands beside the name. */
export interface SummarizerChoice {
  readonly name: SummarizerName
  readonly model?: string
}

/** Options that say who summarizes a session, how, and for how much. */
export interface ModelOptions {
  readonly summarizer: readonly SummarizerChoice[]
  readonly model?: string
  readonly baseUrl?: string
  readonly api?: 'responses' | 'chat'
  readonly effort?: string
  readonly contextWindow?: number
  readonly maxRequestTokens?: number
  readonly maxOutputTokens?: number
  readonly modelConcurrency: number
  /** Asked, in this order, if the chain before fails. */
  readonly fallback?: readonly SummarizerChoice[]
  readonly maxCost?: number
  readonly maxInputTokens?: number
  /** Milliseconds. */
  readonly timeout?: number
  readonly prices?: string
}

export function addModelOptions(command: Command): void {
  command
    .optionsGroup('Model options:')
    .addOption(
      new Option(
        '--summarizer <names>',
        `who summarizes the session: ${summarizerNames.join(', ')}; or a chain such as anthropic:MODEL,openai:MODEL`,
      )
        .env('TENFOLD_SUMMARIZER')
        .default([{ name: 'extractive' }], 'extractive')
        .argParser(parseChain),
    )
    .addOption(
      new Option('--model <name>', 'model of the summarizer')
        .env('TENFOLD_MODEL')
        .argParser(notEmpty('a model')),
    )
    .addOption(
      new Option('--api <api>', 'of openai (default: responses, with --base-url chat)').choices([
        'responses',
        'chat',
      ]),
    )
  addRequestOptions(command)
  command.addOption(
    new Option('--model-concurrency <n>', 'requests for the parts of one session at a time')
      .argParser(wholeNumber(1, 64))
      .default(4),
  )
  addLimitOptions(command)
  command.addOption(
    new Option(
      '--timeout <time>',
      'longest time of all requests of a log, retries included, such as 90s, 10m or 2h (default: none; a single request ends after 30m, of a server of your own after 1h)',
    ).argParser(timeLimit),
  )
  command.addOption(
    new Option(
      '--fallback <names>',
      'who is asked if the summarizer fails: extractive, or another model such as openai:MODEL (default: the log fails)',
    )
      .env('TENFOLD_FALLBACK')
      .argParser(parseChain),
  )
}

/** Options of a single request. */
export function addRequestOptions(command: Command): void {
  command
    .addOption(
      new Option(
        '--base-url <url>',
        'server of the summarizer: an OpenAI-compatible one, a proxy, Ollama',
      ).argParser(parseUrl),
    )
    .addOption(
      new Option('--effort <level>', 'how much the model thinks, passed on as it is').argParser(
        notEmpty('a level'),
      ),
    )
    .addOption(
      new Option(
        '--context-window <n>',
        'tokens that the model takes; larger sessions go in parts',
      ).argParser(wholeNumber(4000)),
    )
    .addOption(
      new Option(
        '--max-request-tokens <n>',
        'tokens of one request, where a larger one costs more',
      ).argParser(wholeNumber(2000)),
    )
    .addOption(
      new Option('--max-output-tokens <n>', 'tokens of one answer, thinking included').argParser(
        wholeNumber(500),
      ),
    )
}

/** Options that keep spending down. */
export function addLimitOptions(command: Command): void {
  command
    .addOption(
      new Option(
        '--max-cost <amount>',
        'spend no more, in the currency of the prices; for each log, or each job',
      ).argParser(parseAmount),
    )
    .addOption(
      new Option(
        '--max-input-tokens <n>',
        'send no more tokens, all requests of a log or job together',
      ).argParser(wholeNumber(1)),
    )
    .addOption(
      new Option('--prices <file>', 'JSON price table instead of the one that comes with tenfold').argParser(
        notEmpty('a file'),
      ),
    )
}

/** Everyone to ask, in order; after the offline summarizer, which does not fail, nobody is. */
export function chainOf({ summarizer, fallback = [] }: Pick<ModelOptions, 'summarizer' | 'fallback'>) {
  const chain = [...summarizer, ...fallback]
  const last = chain.findIndex(({ name }) => name === 'extractive')
  return last === -1 ? chain : chain.slice(0, last + 1)
}

/** What is wrong with model options that are good one by one. */
export function modelFault(options: ModelOptions): string | undefined {
  const { model, baseUrl, api } = options
  const models = chainOf(options).filter(({ name }) => name !== 'extractive')
  const nameless = models.find((choice) => choice.model === undefined)
  if (nameless !== undefined && model === undefined)
    return `expected --model beside --summarizer ${nameless.name}, such as --model MODEL or --summarizer ${nameless.name}:MODEL`
  if (model !== undefined && models.length === 0)
    return 'expected a --summarizer that takes a model beside --model: anthropic, openai or ollama'
  if (model !== undefined && models.length > 1)
    return 'expected each model beside its name in a chain, such as --summarizer anthropic:MODEL,openai:MODEL'
  if (baseUrl !== undefined && models.length !== 1) return 'expected one model summarizer beside --base-url'
  if (api !== undefined && !models.some(({ name }) => name === 'openai'))
    return 'expected --summarizer openai beside --api'
  return undefined
}

/** The limits that were given, absent where none was. Throws where the price table cannot be read. */
export async function limitsOf({
  maxCost,
  maxInputTokens,
  prices,
}: Pick<ModelOptions, 'maxCost' | 'maxInputTokens' | 'prices'>): Promise<SpendingLimits> {
  const table: PriceTable | undefined =
    prices === undefined ? undefined : parsePriceTable(await readFile(prices, 'utf8'))
  return {
    ...(maxCost !== undefined && { maxCost }),
    ...(maxInputTokens !== undefined && { maxInputTokens }),
    ...(table !== undefined && { prices: table }),
  }
}

function parseChain(value: string): SummarizerChoice[] {
  return value.split(',').map((link) => {
    const [given = '', ...rest] = link.trim().split(':')
    const name = summarizerNames.find((known) => known === given)
    const model = rest.join(':').trim()
    if (name === undefined)
      throw new InvalidArgumentError(`expected ${summarizerNames.join(', ')}, got ${JSON.stringify(given)}`)
    return model === '' ? { name } : { name, model }
  })
}

function parseUrl(value: string): string {
  if (URL.canParse(value) && /^https?:$/.test(new URL(value).protocol)) return value
  throw new InvalidArgumentError(
    `expected a URL that begins with http:// or https://, got ${JSON.stringify(value)}`,
  )
}

function parseAmount(value: string): number {
  const amount = /^\d*\.?\d+$/.test(value) ? Number(value) : Number.NaN
  if (Number.isFinite(amount)) return amount
  throw new InvalidArgumentError(`expected an amount such as 0.50, got ${JSON.stringify(value)}`)
}
