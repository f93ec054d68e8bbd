import type { PriceTable, Summarizer } from '@tenfold/core'
import { defaultPrices, parsePriceTable, trackSpending, withSharedSpending } from '@tenfold/core/internal'
import { readGivenFile } from '../terminal/user-files.ts'
import { heading, option, type ValuesOf } from './option.ts'
import { notEmpty, oneOf, parseAmount, parseUrl, timeLimit, wholeNumber } from './parsers.ts'

export const summarizerNames = ['extractive', 'anthropic', 'openai', 'ollama'] as const

type SummarizerChoice = {
  readonly name: (typeof summarizerNames)[number]
  readonly model?: string | undefined
}

const summarizerOptions = [
  heading('Model options:'),
  option(
    '--summarizer <names>',
    `summarizer of the session: ${summarizerNames.join(', ')}; or a chain such as anthropic:MODEL,openai:MODEL`,
    { env: 'TENFOLD_SUMMARIZER', default: [{ name: 'extractive' }], shown: 'extractive', parse: parseChain },
  ),
  option('--model <name>', 'model of the summarizer', { env: 'TENFOLD_MODEL', parse: notEmpty('a model') }),
  option('--api <api>', 'API of openai (default: responses; with --base-url, chat)', {
    choices: ['responses', 'chat'],
  }),
] as const

const sizeOptions = [
  option('--effort <level>', 'reasoning effort of the model, passed on as given', {
    parse: notEmpty('a level'),
  }),
  option('--context-window <n>', 'context window of the model in tokens; larger sessions are sent in parts', {
    parse: wholeNumber(4000),
  }),
  option(
    '--max-request-tokens <n>',
    'maximum tokens of one request, for models whose larger requests cost more',
    { parse: wholeNumber(2000) },
  ),
  option('--max-output-tokens <n>', 'maximum tokens of one answer, including thinking', {
    parse: wholeNumber(500),
  }),
] as const

export const baseUrlOption = option(
  '--base-url <url>',
  'server of the summarizer: an OpenAI-compatible server, a proxy, or Ollama',
  { parse: parseUrl },
)

export const requestOptions = [baseUrlOption, ...sizeOptions] as const

export const modelConcurrencyOption = option(
  '--model-concurrency <n>',
  'requests to make at a time, for all logs together',
  { parse: wholeNumber(1, 64), default: 4 },
)

export const maxCostOption = option(
  '--max-cost <amount>',
  'spend at most this much in total, in the currency of the prices',
  { parse: parseAmount },
)

const maxInputTokensOption = option(
  '--max-input-tokens <n>',
  'send at most this many tokens in all requests of a log or job together',
  { parse: wholeNumber(1) },
)

export const pricesOption = option('--prices <file>', 'JSON price table to use instead of the built-in one', {
  parse: notEmpty('a file'),
})

export const limitOptions = [maxCostOption, maxInputTokensOption, pricesOption] as const

const lastOptions = [
  option(
    '--timeout <time>',
    'time limit for all requests of a log, including retries, such as 90s, 10m or 2h (default: none; a single request is limited to 30m, or to 1h on your own server)',
    { parse: timeLimit },
  ),
  option(
    '--fallback <names>',
    'summarizer to use if the first one fails: extractive, or another model such as openai:MODEL (default: the log fails)',
    { env: 'TENFOLD_FALLBACK', parse: parseChain },
  ),
] as const

export const modelOptions = [
  ...summarizerOptions,
  ...requestOptions,
  modelConcurrencyOption,
  ...limitOptions,
  ...lastOptions,
] as const

type ModelOptions = ValuesOf<typeof modelOptions>

/** Options that shape the summary, without those for the server and the machine that calls it. */
export const queuedModelOptions = [
  ...summarizerOptions,
  ...sizeOptions,
  maxCostOption,
  maxInputTokensOption,
  ...lastOptions,
] as const

type ChoiceOptions = Omit<ModelOptions, 'modelConcurrency' | 'prices' | 'maxCost' | 'maxInputTokens'>

export async function readPrices(path: string | undefined): Promise<PriceTable | undefined> {
  if (path === undefined) return undefined
  return parsePriceTable(await readGivenFile(path, '--prices', 'bad-prices'))
}

/** All summarizers in the order to try them. The chain ends at the offline summarizer, since it does not fail. */
export function chainOf({ summarizer, fallback = [] }: Pick<ModelOptions, 'summarizer' | 'fallback'>) {
  const chain = [...summarizer, ...fallback]
  const last = chain.findIndex(({ name }) => name === 'extractive')
  return last === -1 ? chain : chain.slice(0, last + 1)
}

export function modelFault(options: ChoiceOptions): string | undefined {
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

export async function limitsOf({ maxCost, maxInputTokens, prices }: Partial<ValuesOf<typeof limitOptions>>) {
  return { maxCost, maxInputTokens, prices: await readPrices(prices) }
}

const parseSummarizer = oneOf(summarizerNames, { claude: 'anthropic', gpt: 'openai', llama: 'ollama' })

function parseChain(value: string): SummarizerChoice[] {
  return value.split(',').map((link) => {
    const [given = '', ...rest] = link.trim().split(':')
    const name = parseSummarizer(given)
    const model = rest.join(':').trim()
    return model === '' ? { name } : { name, model }
  })
}

export async function makeSummarizers(options: ChoiceOptions): Promise<Summarizer[]> {
  return await Promise.all(chainOf(options).map((choice) => makeSummarizer(choice, options)))
}

async function makeSummarizer(choice: SummarizerChoice, options: ChoiceOptions): Promise<Summarizer> {
  const model = choice.model ?? options.model ?? ''
  // The time limit for a whole log also limits each of its requests.
  const { baseUrl, api, contextWindow, maxOutputTokens, timeout: timeoutMs } = options
  switch (choice.name) {
    case 'extractive':
      return (await import('@tenfold/summarizers/extractive')).extractiveSummarizer()
    case 'anthropic': {
      const { anthropicSummarizer } = await import('@tenfold/summarizers/anthropic')
      return anthropicSummarizer({ ...serverOptions({ ...options, model }), timeoutMs })
    }
    case 'openai': {
      const { openaiSummarizer } = await import('@tenfold/summarizers/openai')
      return openaiSummarizer({ ...serverOptions({ ...options, model }), timeoutMs, api })
    }
    case 'ollama': {
      const { ollamaSummarizer } = await import('@tenfold/summarizers/ollama')
      return ollamaSummarizer({ model, host: baseUrl, numCtx: contextWindow, maxOutputTokens, timeoutMs })
    }
  }
}

export function serverOptions(options: ValuesOf<typeof requestOptions> & { readonly model: string }) {
  const { model, baseUrl: baseURL, effort, contextWindow, maxOutputTokens } = options
  const maxInputTokens = options.maxRequestTokens
  return { model, baseURL, effort, contextWindow, maxInputTokens, maxOutputTokens }
}

/** The summarizers, with the spending that all logs share. Throws before any log is read if one is unavailable. */
export async function sharedSpending(options: ModelOptions) {
  const summarizers = await makeSummarizers(options)
  const limits = await limitsOf(options)
  const { prices = defaultPrices, maxCost } = limits
  const spending = trackSpending({ prices, maxCost })
  const sharing = summarizers.map((summarizer) => withSharedSpending(summarizer, spending))
  return { limits, prices, maxCost, spending, summarizers: sharing }
}
