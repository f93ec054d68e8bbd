import { known } from '../session/known.ts'
import type { BundleUsage } from './schema.ts'

/** Usage as `in 12, out 3, cache-read 4`. */
export function formatUsage(usage: BundleUsage): string {
  const parts = usageNames.flatMap(([field, name]) =>
    usage[field] === undefined ? [] : [`${name} ${usage[field]}`],
  )
  return parts.join(', ')
}

/** Reverse of `formatUsage`. */
export function parseUsage(text: string): Record<string, unknown> {
  const values = new Map(
    text
      .split(', ')
      .map((part) => [part.slice(0, part.indexOf(' ')), Number(part.slice(part.indexOf(' ') + 1))]),
  )
  return known(Object.fromEntries(usageNames.map(([field, name]) => [field, values.get(name)])))
}

const usageNames = [
  ['inputTokens', 'in'],
  ['outputTokens', 'out'],
  ['cacheReadTokens', 'cache-read'],
  ['cacheWriteTokens', 'cache-write'],
  ['reasoningTokens', 'reasoning'],
] as const
