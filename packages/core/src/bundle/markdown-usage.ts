import { known } from '../session/known.ts'
import type { BundleCost, BundleUsage } from './compression-schema.ts'

/** Formats usage as `in 12, out 3, cache-read 4`. */
export function formatUsage(usage: BundleUsage): string {
  const parts = usageNames.flatMap(([field, name]) =>
    usage[field] === undefined ? [] : [`${name} ${usage[field]}`],
  )
  return parts.join(', ')
}

export function parseUsage(text: string): Record<string, unknown> {
  const values = new Map(
    text
      .split(', ')
      .map((part) => [part.slice(0, part.indexOf(' ')), Number(part.slice(part.indexOf(' ') + 1))]),
  )
  return known(Object.fromEntries(usageNames.map(([field, name]) => [field, values.get(name)])))
}

/** Formats cost as `0.12 USD, prices of 2026-11-20, at least`. */
export function formatCost({ amount, currency, pricesOf, atLeast }: BundleCost): string {
  return `${amount} ${currency}, prices of ${pricesOf}${atLeast ? ', at least' : ''}`
}

/** Reverse of {@link formatCost}; the schema rejects other forms. */
export function parseCost(text: string): Record<string, unknown> {
  const [, amount, currency, pricesOf, atLeast] =
    /^(\S+) (\S+), prices of (\S+?)(, at least)?$/.exec(text) ?? []
  return known({ amount: Number(amount), currency, pricesOf, atLeast: atLeast && true })
}

const usageNames = [
  ['inputTokens', 'in'],
  ['outputTokens', 'out'],
  ['cacheReadTokens', 'cache-read'],
  ['cacheWriteTokens', 'cache-write'],
  ['reasoningTokens', 'reasoning'],
] as const
