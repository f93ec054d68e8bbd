import type { BundleCost } from '../../bundle/compression-schema.ts'
import type { TokenUsage } from '../../session/usage.ts'
import type { CallEstimate, SummarizerCall } from '../summarizer.ts'
import type { SummarizerFailure } from '../summarizer-error.ts'
import { type ModelPrice, type PriceTable, priceOf } from './prices.ts'

/**
 * Returns the cost of calls by a price table. Undefined if there is no call, or if one that may have been billed has no
 * price; `atLeast` if the usage of such a call is only partly known.
 */
export function costOf(calls: readonly SummarizerCall[], prices: PriceTable): BundleCost | undefined {
  if (calls.length === 0) return undefined
  let amount = 0
  let atLeast = false
  for (const call of calls.filter(mayBeBilled)) {
    const price = priceOf(call, prices)
    if (price === undefined) return undefined
    amount += amountOf(call.usage, price, call.tier)
    if (!isFree(price) && !isWhole(call.usage)) atLeast = true
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

/** False for a call that the provider rejected before its answer began: nobody bills those. */
export function mayBeBilled({ error, usage, begun = false }: SummarizerCall): boolean {
  const known = (usage.inputTokens ?? 0) > 0 || (usage.outputTokens ?? 0) > 0
  return begun || known || error === undefined || !turnedAway.has(error.split(':')[0] ?? '')
}

/** Whether a call that may be billed did not report all its usage. */
export function usageIsPartial(calls: readonly SummarizerCall[]): boolean {
  return calls.some((call) => mayBeBilled(call) && !isWhole(call.usage))
}

/** Whether input and output are known. */
export function isWhole(usage: TokenUsage): boolean {
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

function isFree({ input, output }: ModelPrice): boolean {
  return input === 0 && output === 0
}
