import type { BundleCost } from '../../bundle/compression-schema.ts'
import {
  aNumber,
  type Check,
  type Checks,
  checkOptions,
  isObject,
  wrongType,
  wrongValue,
} from '../../options/check.ts'
import { appendTo } from '../../session/append-to.ts'
import type { TokenUsage } from '../../session/usage.ts'
import type { CallEstimate, Summarizer, SummarizerCall } from '../summarizer.ts'
import { SummarizerError, type SummarizerFailure } from '../summarizer-error.ts'
import { assertPriceTable, defaultPrices, type ModelPrice, type PriceTable, priceOf } from './prices.ts'

/** Limits on the cost of summarizing one session. */
export interface SpendingLimits {
  /**
   * Maximum cost, in the currency of the prices. A call is made only if the limit covers the amount already spent, the
   * maximum of the calls in progress and the maximum of this one: its input by an upper estimate, and the output tokens
   * that it requests. Once a call has ended, its actual usage counts. So a run exceeds the limit only if a provider
   * reads more input than estimated.
   * @default no limit
   */
  readonly maxCost?: number | undefined
  /**
   * Maximum input tokens of all calls: estimated before a call, and as reported after it. Calls that failed, or that
   * reported far too few, count as estimated.
   * @default no limit
   */
  readonly maxInputTokens?: number | undefined
  /** @default defaultPrices */
  readonly prices?: PriceTable | undefined
}

const atLeastZero: Check = (name, value) => {
  aNumber(name, value)
  if (!((value as number) >= 0)) throw wrongValue(name, 'of at least 0', value)
}

const limitChecks: Checks<SpendingLimits> = {
  maxCost: atLeastZero,
  maxInputTokens: atLeastZero,
  prices: (_, value) => assertPriceTable(value),
}

/** Requires amounts of at least 0, and a complete price table. */
export const spendingLimits: Check = (name, value) => {
  if (!isObject(value)) throw wrongType(name, 'an object such as { maxCost: 0.5 }', value)
  checkOptions(value, limitChecks)
}

/** Keeps the amount spent, plus what calls in progress may take, within the limits. */
export interface Spending {
  /** Throws {@link SummarizerError} `over-budget` if these planned calls do not fit. */
  planned(estimates: readonly CallEstimate[]): void
  /** Reserves the maximum of a call. Throws {@link SummarizerError} `over-budget` if it does not fit. */
  admit(estimate: CallEstimate): void
  /** Replaces the amount reserved for a call by its usage. */
  record(call: SummarizerCall): void
  /** Returns what `maxCost` leaves for further calls; Infinity without it. */
  remainingCost(): number
}

interface Amounts {
  readonly cost: number
  readonly inputTokens: number
}

/** Starts with nothing spent. Throws TypeError or RangeError for invalid limits. */
export function trackSpending(limits: SpendingLimits = {}): Spending {
  spendingLimits('limits', limits)
  const { maxCost, maxInputTokens, prices = defaultPrices } = limits
  let spent: Amounts = { cost: 0, inputTokens: 0 }
  const reserved = new Map<string, Amounts[]>()

  const amountsOf = (estimate: CallEstimate): Amounts => {
    const cost = maxCost === undefined ? 0 : maxCostOf(estimate, prices)
    if (cost === undefined) throw noPrice(estimate)
    return { cost, inputTokens: estimate.inputTokens }
  }

  const takenSoFar = () => [...reserved.values()].flat().reduce(add, spent)

  const assertRoom = (calls: number, wanted: Amounts) => {
    const taken = takenSoFar()
    const sum = add(taken, wanted)
    const what = calls === 1 ? 'a call' : `${calls} calls`
    if (maxInputTokens !== undefined && sum.inputTokens > maxInputTokens)
      throw overBudget(
        `maxInputTokens ${maxInputTokens} does not allow ${what} of about ${wanted.inputTokens} input tokens${after(taken.inputTokens)}: raise it, or use a summarizer that calls no model`,
      )
    if (maxCost !== undefined && sum.cost > maxCost)
      throw overBudget(
        `maxCost ${maxCost} ${prices.currency} does not allow ${what} of up to ${money(wanted.cost)} ${prices.currency}${after(money(taken.cost))}: raise it, or use a cheaper model or a summarizer that calls none`,
      )
  }

  return {
    planned(estimates) {
      if (estimates.length > 0) assertRoom(estimates.length, estimates.map(amountsOf).reduce(add))
    },
    admit(estimate) {
      const wanted = amountsOf(estimate)
      assertRoom(1, wanted)
      appendTo(reserved, estimate.summarizer, wanted)
    },
    record(call) {
      // Which of the reserved amounts is released does not matter: when all calls have ended, none is reserved.
      const estimate = reserved.get(call.summarizer)?.shift()
      spent = add(spent, spentBy(call, estimate, prices))
    },
    remainingCost: () => Math.max(0, (maxCost ?? Number.POSITIVE_INFINITY) - takenSoFar().cost),
  }
}

/** Failures of calls that reached no model, and that fail again if repeated. */
const neverRead: ReadonlySet<string> = new Set<SummarizerFailure>(['auth', 'over-budget', 'spend-limit'])

/** Returns the usage of a call, with its estimate for unknown values. */
function spentBy(call: SummarizerCall, estimate: Amounts | undefined, prices: PriceTable): Amounts {
  const sent = call.error === undefined || !neverRead.has(call.error.split(':')[0] ?? '')
  const inputTokens = sent ? sentTokens(call.usage.inputTokens, estimate?.inputTokens ?? 0) : 0
  if (!mayBeBilled(call)) return { cost: 0, inputTokens }
  const cost = costOf([call], prices)?.amount ?? 0
  return { inputTokens, cost: isWhole(call.usage) ? cost : Math.max(cost, estimate?.cost ?? 0) }
}

/** An upper estimate is never this many times the actual input: a server that reports less did not count. */
const farTooLow = 4

function sentTokens(reported: number | undefined, estimate: number): number {
  return reported === undefined || reported * farTooLow < estimate ? estimate : reported
}

function add(a: Amounts, b: Amounts): Amounts {
  return { cost: a.cost + b.cost, inputTokens: a.inputTokens + b.inputTokens }
}

function after(spent: number): string {
  return spent === 0 ? '' : ` after ${spent} spent or under way`
}

function money(amount: number): number {
  return Math.ceil(amount * 1e4) / 1e4
}

/** Error for a call with limited cost and unknown price. */
export function noPrice({ model, summarizer }: CallEstimate): SummarizerError {
  return overBudget(
    `no price is known for ${model === undefined ? `the model of ${summarizer}` : `model ${model}`}: give one with prices, or leave maxCost out`,
  )
}

function overBudget(message: string): SummarizerError {
  return new SummarizerError(message, { reason: 'over-budget' })
}

/** Counts the calls of many sessions. `admit` may wait until there is room. */
interface SharedSpending extends Pick<Spending, 'record'> {
  admit(estimate: CallEstimate, signal: AbortSignal): void | Promise<void>
}

/** Returns the summarizer with calls that also count towards the limits of many sessions. */
export function withSharedSpending(summarizer: Summarizer, { admit, record }: SharedSpending): Summarizer {
  if (summarizer.estimate === undefined) return summarizer
  return {
    ...summarizer,
    async summarize(request, control) {
      let told = 0
      const result = await summarizer.summarize(request, {
        ...control,
        async admit(estimate) {
          // The session's own limits come first, because calls that they refuse must not stay reserved here.
          await control.admit?.(estimate)
          await admit(estimate, control.signal)
        },
        onCall(call) {
          told += 1
          record(call)
          control.onCall?.(call)
        },
      })
      // A summarizer may report its calls only at the end.
      result.calls.slice(told).forEach(record)
      return result
    },
  }
}

/**
 * Returns the cost of calls by a price table. Undefined if there are no calls, or if one that may have been billed has
 * no price; `atLeast` if the usage of such a call is only partly known.
 */
export function costOf(calls: readonly SummarizerCall[], prices: PriceTable): BundleCost | undefined {
  if (calls.length === 0) return undefined
  let amount = 0
  let atLeast = false
  for (const call of calls.filter(mayBeBilled)) {
    const price = priceOf(call, prices)
    if (price === undefined) return undefined
    amount += amountOf(call.usage, price, call.tier)
    if ((price.input > 0 || price.output > 0) && !isWhole(call.usage)) atLeast = true
  }
  return {
    amount: Math.round(amount * 1e6) / 1e6,
    currency: prices.currency,
    pricesOf: prices.date,
    ...(atLeast ? { atLeast: true } : {}),
  }
}

/** Returns the maximum cost of a call; undefined if its model has no price. */
export function maxCostOf(estimate: CallEstimate, prices: PriceTable): number | undefined {
  const price = priceOf(estimate, prices)
  if (price === undefined) return undefined
  const { inputTokens, maxOutputTokens: outputTokens, cacheWriteTokens = inputTokens } = estimate
  const plain = amountOf({ inputTokens, outputTokens }, price, estimate.tier)
  const written = amountOf({ inputTokens, outputTokens, cacheWriteTokens }, price, estimate.tier)
  return Math.max(plain, written)
}

/** False for a call that the provider rejected before its answer began, which is never billed. */
function mayBeBilled({ error, usage, begun = false }: SummarizerCall): boolean {
  const known = (usage.inputTokens ?? 0) > 0 || (usage.outputTokens ?? 0) > 0
  return begun || known || error === undefined || !turnedAway.has(error.split(':')[0] ?? '')
}

/** Whether a call that may be billed did not report all of its usage. */
export function usageIsPartial(calls: readonly SummarizerCall[]): boolean {
  return calls.some((call) => mayBeBilled(call) && !isWhole(call.usage))
}

function isWhole(usage: TokenUsage): boolean {
  return usage.inputTokens !== undefined && usage.outputTokens !== undefined
}

const turnedAway: ReadonlySet<string> = new Set<SummarizerFailure>([
  'prompt-too-long',
  'over-budget',
  'auth',
  'spend-limit',
  'rate-limited',
  'overloaded',
  'server-error',
  'bad-request',
])

function amountOf(usage: TokenUsage, price: ModelPrice, tier: 'batch' | undefined): number {
  const { inputTokens = 0, outputTokens = 0, cacheReadTokens = 0, cacheWriteTokens = 0 } = usage
  const { above } = price
  const rate = above !== undefined && inputTokens > above.inputTokens ? above : price
  const plain = Math.max(0, inputTokens - cacheReadTokens - cacheWriteTokens)
  const sum =
    plain * rate.input +
    cacheReadTokens * (rate.cacheRead ?? rate.input) +
    cacheWriteTokens * (rate.cacheWrite ?? rate.input) +
    outputTokens * rate.output
  return (sum / 1e6) * (tier === 'batch' ? (price.batchFactor ?? 1) : 1)
}
