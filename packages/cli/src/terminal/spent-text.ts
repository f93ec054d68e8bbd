import { type CompressedLog, costOf, defaultPrices, type PriceTable, usageIsPartial } from '@tenfold/core'
import { formatCount, formatNumberOf } from './numbers.ts'

type Calls = CompressedLog['calls']

/** `3 calls · 12,000 tokens in, 300 out · 0.0120 USD` for all requests made; undefined if there were none. */
export function spentText(calls: Calls, prices: PriceTable = defaultPrices): string | undefined {
  if (calls.length === 0) return undefined
  const sum = (field: 'inputTokens' | 'outputTokens') =>
    calls.reduce((total, { usage }) => total + (usage[field] ?? 0), 0)
  const least = usageIsPartial(calls) ? 'at least ' : ''
  const cost = costOf(calls, prices)
  const parts = [
    formatNumberOf(calls.length, 'call'),
    `${least}${formatCount(sum('inputTokens'))} tokens in, ${formatCount(sum('outputTokens'))} out`,
    ...(cost === undefined
      ? []
      : [`${cost.atLeast ? 'at least ' : ''}${cost.amount.toFixed(4)} ${cost.currency}`]),
  ]
  return parts.join(' · ')
}

/** {@link spentText} of a log that failed; undefined also if nothing was billed: no request was made, or none was taken. */
export function billedText(calls: Calls, prices: PriceTable = defaultPrices): string | undefined {
  const cost = costOf(calls, prices)
  const isFree = cost?.amount === 0 && cost.atLeast !== true
  const hasTokens = calls.some(({ usage }) => (usage.inputTokens ?? 0) + (usage.outputTokens ?? 0) > 0)
  return isFree && !hasTokens ? undefined : spentText(calls, prices)
}
