import { readFile } from 'node:fs/promises'
import { type PriceTable, parsePriceTable, type SpendingLimits } from '@tenfold/core'
import { type Command, InvalidArgumentError, Option } from 'commander'
import { notEmpty, wholeNumber } from './options.ts'
import { timeLimit } from './time-options.ts'

export const summarizerNames = ['extractive', 'anthropic', 'openai', 'ollama'] as const
type SummarizerName = (typeof summarizerNames)[number]

/** One link of the chain: a summarizer, and its model if that was given with the name. */
export interface SummarizerChoice {
  readonly name: SummarizerName
  readonly model?: string | undefined
}

/** Options that choose who summarizes a session, how, and at what cost. */
export interface ModelOptions {
  readonly summarizer: readonly SummarizerChoice[]
  readonly model?: string | undefined
  readonly baseUrl?: string | undefined
  readonly api?: 'responses' | 'chat' | undefined
  readonly effort?: string | undefined
  readonly contextWindow?: number | undefined
  readonly maxRequestTokens?: number | undefined
  readonly maxOutputTokens?: number | undefined
  readonly modelConcurrency: number
  /** Summarizers to ask, in this order, if those before them fail. */
  readonly fallback?: readonly SummarizerChoice[] | undefined
  readonly maxCost?: number | undefined
  readonly maxInputTokens?: number | undefined
  /** Milliseconds. */
  readonly timeout?: number | undefined
  readonly prices?: string | undefined
}

export function addModelOptions(command: Command): void {
  command.optionsGroup('Model options:')
  addSummarizerOptions(command)
  addRequestOptions(command)
  command.addOption(modelConcurrencyOption())
  addLimitOptions(command)
  command.addOption(timeoutOption()).addOption(fallbackOption())
}

/** Options that shape the summary, without those of the server and of the machine that asks it. */
export function addQueuedModelOptions(command: Command): void {
  command.optionsGroup('Model options:')
  addSummarizerOptions(command)
  addSizeOptions(command)
  command
    .addOption(maxCostOption())
    .addOption(maxInputTokensOption())
    .addOption(timeoutOption())
    .addOption(fallbackOption())
}

function addSummarizerOptions(command: Command): void {
  command
    .addOption(
      new Option(
        '--summarizer <names>',
        `summarizer of the session: ${summarizerNames.join(', ')}; or a chain such as anthropic:MODEL,openai:MODEL`,
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
      new Option('--api <api>', 'API of openai (default: responses; with --base-url, chat)').choices([
        'responses',
        'chat',
      ]),
    )
}

/** Options of a single request. */
export function addRequestOptions(command: Command): void {
  command.addOption(baseUrlOption())
  addSizeOptions(command)
}

function addSizeOptions(command: Command): void {
  command
    .option('--effort <level>', 'how much the model thinks, passed on as given', notEmpty('a level'))
    .option(
      '--context-window <n>',
      'context window of the model in tokens; larger sessions are sent in parts',
      wholeNumber(4000),
    )
    .option(
      '--max-request-tokens <n>',
      'maximum tokens of one request, for models whose larger requests cost more',
      wholeNumber(2000),
    )
    .option('--max-output-tokens <n>', 'maximum tokens of one answer, including thinking', wholeNumber(500))
}

/** Options that limit spending. */
export function addLimitOptions(command: Command): void {
  command.addOption(maxCostOption()).addOption(maxInputTokensOption()).addOption(pricesOption())
}

export function baseUrlOption(): Option {
  return new Option(
    '--base-url <url>',
    'server of the summarizer: an OpenAI-compatible server, a proxy, or Ollama',
  ).argParser(parseUrl)
}

export function modelConcurrencyOption(): Option {
  return new Option('--model-concurrency <n>', 'requests to make at a time, of all logs together')
    .argParser(wholeNumber(1, 64))
    .default(4)
}

export function maxCostOption(): Option {
  return new Option(
    '--max-cost <amount>',
    'spend at most this much in all, in the currency of the prices',
  ).argParser(parseAmount)
}

export function pricesOption(): Option {
  return new Option('--prices <file>', 'JSON price table to use instead of the built-in one').argParser(
    notEmpty('a file'),
  )
}

function maxInputTokensOption(): Option {
  return new Option(
    '--max-input-tokens <n>',
    'send at most this many tokens in all requests of a log or job together',
  ).argParser(wholeNumber(1))
}

function timeoutOption(): Option {
  return new Option(
    '--timeout <time>',
    'time limit for all requests of a log, including retries, such as 90s, 10m or 2h (default: none; a single request ends after 30m, or after 1h on your own server)',
  ).argParser(timeLimit)
}

function fallbackOption(): Option {
  return new Option(
    '--fallback <names>',
    'summarizer to ask if the first one fails: extractive, or another model such as openai:MODEL (default: the log fails)',
  )
    .env('TENFOLD_FALLBACK')
    .argParser(parseChain)
}

/** Reads a price table; undefined without a file. */
export async function readPrices(path: string | undefined): Promise<PriceTable | undefined> {
  return path === undefined ? undefined : parsePriceTable(await readFile(path, 'utf8'))
}

/** Every summarizer to ask, in order. None follows the offline summarizer, since it does not fail. */
export function chainOf({ summarizer, fallback = [] }: Pick<ModelOptions, 'summarizer' | 'fallback'>) {
  const chain = [...summarizer, ...fallback]
  const last = chain.findIndex(({ name }) => name === 'extractive')
  return last === -1 ? chain : chain.slice(0, last + 1)
}

/** The first conflict between model options that are each valid alone. */
export function modelFault(options: ModelOptions): string | undefined {
  const { model, baseUrl, api } = options
  const models = chainOf(options).filter(({ name }) => name !== 'extractive')
  const nameless = models.find((choice) => choice.model === undefined)
  if (nameless !== undefined && model === undefined)
    return `expected --model with --summarizer ${nameless.name}, such as --model MODEL or --summarizer ${nameless.name}:MODEL`
  if (model !== undefined && models.length === 0)
    return 'expected a --summarizer that takes a model with --model: anthropic, openai or ollama'
  if (model !== undefined && models.length > 1)
    return 'expected each model next to its summarizer in a chain, such as --summarizer anthropic:MODEL,openai:MODEL'
  if (baseUrl !== undefined && models.length !== 1) return 'expected one model summarizer with --base-url'
  if (api !== undefined && !models.some(({ name }) => name === 'openai'))
    return 'expected --summarizer openai with --api'
  return undefined
}

/** The limits that were given; the others are absent. Throws if the price table cannot be read. */
export async function limitsOf({
  maxCost,
  maxInputTokens,
  prices,
}: Pick<ModelOptions, 'maxCost' | 'maxInputTokens' | 'prices'>): Promise<SpendingLimits> {
  return {
    maxCost,
    maxInputTokens,
    prices: await readPrices(prices),
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

/** Parses an amount of money, such as `0.50`. */
export function parseAmount(value: string): number {
  const amount = /^\d*\.?\d+$/.test(value) ? Number(value) : Number.NaN
  if (Number.isFinite(amount)) return amount
  throw new InvalidArgumentError(`expected an amount such as 0.50, got ${JSON.stringify(value)}`)
}
