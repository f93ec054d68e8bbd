import * as z from 'zod/mini'
import { TenfoldError } from '../../errors.ts'
import { lazySchema } from '../../session/lazy-schema.ts'

const amount = lazySchema(() => z.number().check(z.nonnegative()))

/** Prices per million tokens. */
const rateSchema = {
  input: amount,
  output: amount,
  /** Input read from the cache. @default input */
  cacheRead: z.optional(amount),
  /** Input written to the cache. @default input */
  cacheWrite: z.optional(amount),
}

const modelPriceSchema = lazySchema(() =>
  z.strictObject({
    /** Name of the model, or its beginning followed by `*`. A date at the end of a snapshot's name is ignored. */
    match: z.string().check(z.minLength(1)),
    provider: z.string().check(z.minLength(1)),
    /** Limits the row to calls of the summarizer with this name. */
    summarizer: z.optional(z.string().check(z.minLength(1))),
    ...rateSchema,
    /** Factor for the price of batch calls. @default 1 */
    batchFactor: z.optional(amount),
    /** Prices of a call whose input, including cache, is larger than `inputTokens`. */
    above: z.optional(z.strictObject({ inputTokens: amount, ...rateSchema })),
    /** Source of the row: the provider's pages, or others. */
    source: z.optional(z.enum(['provider', 'second-hand'])),
  }),
)

const priceTableSchema = lazySchema(() =>
  z.strictObject({
    date: z.iso.date(),
    /** ISO 4217. */
    currency: z.string().check(z.regex(/^[A-Z]{3}$/, 'expected three capital letters')),
    /** Source of the prices. */
    source: z.optional(z.string()),
    models: z.array(modelPriceSchema),
  }),
)

/** Dated prices of models, as plain data: prices change, and a caller may supply another table. */
export type PriceTable = z.infer<typeof priceTableSchema>
export type ModelPrice = PriceTable['models'][number]

/** Parses a price table from JSON. Throws {@link TenfoldError} `bad-prices` that names the fault. */
export function parsePriceTable(json: string): PriceTable {
  let value: unknown
  try {
    value = JSON.parse(json)
  } catch (error) {
    throw new TenfoldError('bad-prices', 'the price table is not JSON', { cause: error })
  }
  assertPriceTable(value)
  return value
}

/** Throws {@link TenfoldError} `bad-prices` with the invalid field, unless the value is a price table. */
export function assertPriceTable(value: unknown): asserts value is PriceTable {
  const parsed = priceTableSchema.safeParse(value)
  if (parsed.success) return
  const [issue] = parsed.error.issues
  const place = issue === undefined || issue.path.length === 0 ? 'price table' : issue.path.join('.')
  throw new TenfoldError('bad-prices', `the price table is not valid: ${place}: ${issue?.message}`, {
    cause: parsed.error,
  })
}

/**
 * Returns the price of a model: the row with its name, otherwise the one with the longest matching beginning; undefined
 * if there is none.
 */
export function priceOf(
  call: { readonly summarizer: string; readonly model?: string },
  prices: PriceTable,
): ModelPrice | undefined {
  const { model } = call
  if (model === undefined) return undefined
  const names = [model, model.replace(snapshotDate, '')]
  const fits = ({ match, summarizer }: ModelPrice) =>
    (summarizer === undefined || summarizer === call.summarizer) &&
    (match.endsWith('*') ? model.startsWith(match.slice(0, -1)) : names.includes(match))
  const rank = ({ match }: ModelPrice) => (match.endsWith('*') ? match.length : Number.POSITIVE_INFINITY)
  return prices.models
    .filter(fits)
    .reduce<ModelPrice | undefined>((best, row) => (best && rank(best) >= rank(row) ? best : row), undefined)
}

const snapshotDate = /-20\d\d-?[01]\d-?[0-3]\d$/

/**
 * Prices in US dollars as of the date. Rows marked `second-hand` are from pages that are not the provider's.
 * Anthropic's cache prices are those of writes that stay 5 minutes. The input size above which GPT-6 Luna costs more is
 * unknown.
 */
export const defaultPrices: PriceTable = {
  date: '2026-11-20',
  currency: 'USD',
  source: 'model pages of platform.claude.com, October and November 2026; OpenAI rows second hand',
  models: [
    ...rowsOf('anthropic', 'provider', {
      'claude-fable-5-1': { input: 10, output: 50, cacheRead: 1, cacheWrite: 12.5 },
      'claude-opus-5-5': { input: 4, output: 20, cacheRead: 0.4, cacheWrite: 5 },
      'claude-sonnet-5-5': { input: 2, output: 10, cacheRead: 0.2, cacheWrite: 2.5 },
      'claude-haiku-5-5': {
        input: 0.1,
        output: 0.5,
        cacheRead: 0.01,
        cacheWrite: 0.125,
        above: { inputTokens: 100_000, input: 0.5, output: 2.5, cacheRead: 0.05, cacheWrite: 0.625 },
      },
    }),
    ...rowsOf('openai', 'second-hand', {
      'gpt-6.1-sol': {
        input: 2,
        output: 10,
        cacheRead: 0.1,
        cacheWrite: 2.5,
        above: { inputTokens: 272_000, input: 4, output: 15 },
      },
      'gpt-6-sol': {
        input: 2,
        output: 10,
        cacheRead: 0.2,
        cacheWrite: 2.5,
        above: { inputTokens: 272_000, input: 4, output: 15 },
      },
      'gpt-6-luna': { input: 0.1, output: 0.5 },
    }),
    // Runs on the caller's machine.
    { match: '*', provider: 'ollama', summarizer: 'ollama', input: 0, output: 0 },
  ],
}

type Rates = Pick<ModelPrice, 'input' | 'output' | 'cacheRead' | 'cacheWrite' | 'above'>

/** Rows of a provider's models; a batch costs half. */
function rowsOf(
  provider: string,
  source: NonNullable<ModelPrice['source']>,
  models: Readonly<Record<string, Rates>>,
): ModelPrice[] {
  return Object.entries(models).map(([match, { above, ...rates }]) => ({
    match,
    provider,
    ...rates,
    batchFactor: 0.5,
    ...(above !== undefined && { above }),
    source,
  }))
}
