import { asCount, asObject } from '../../session/json-values.ts'
import type { CodexState } from './state.ts'

/** Token totals of a rollout, under Codex's own names. */
type CodexTotals = Readonly<Record<string, number>>

const fields = [
  'input_tokens',
  'output_tokens',
  'cached_input_tokens',
  'cache_write_input_tokens',
  'reasoning_output_tokens',
] as const

/**
 * Reads one token_count. Codex counts up over the whole thread and repeats itself, so a response's usage is the growth
 * of the total. The total of a copied history is only the starting value.
 */
export function readTokenCount(state: CodexState, info: unknown): boolean {
  const { out } = state
  if (info === null || info === undefined) {
    out.absorb('rate limits')
    return true
  }
  const total = totalsOf(asObject(info)?.total_token_usage)
  const last = totalsOf(asObject(info)?.last_token_usage)
  if (total === undefined && last === undefined) return false
  if (state.copied) {
    state.totals = total ?? state.totals
    out.absorb('usage of the copied history')
    return true
  }
  const growth = growthOf(state, total, last)
  state.totals = total ?? state.totals
  if (fields.every((field) => (growth[field] ?? 0) === 0)) {
    out.absorb('repeated usage')
    return true
  }
  state.responses++
  const {
    input_tokens,
    output_tokens,
    cached_input_tokens,
    cache_write_input_tokens,
    reasoning_output_tokens,
  } = growth
  // The input already includes what was read from the cache.
  state.usage(`${state.agent} ${state.responses}`, {
    inputTokens: input_tokens,
    outputTokens: output_tokens,
    cacheReadTokens: cached_input_tokens,
    cacheWriteTokens: cache_write_input_tokens,
    reasoningTokens: reasoning_output_tokens,
  })
  out.absorb('usage')
  return true
}

function growthOf(
  state: CodexState,
  total: CodexTotals | undefined,
  last: CodexTotals | undefined,
): CodexTotals {
  if (total === undefined) return last ?? {}
  const before = state.totals
  // Since 0.169 the counter of a child starts at 0.
  if (before === undefined) return state.forked && state.copy.until === undefined ? (last ?? {}) : total
  // The counter was reset: it shows what was billed since then.
  if (fell(before, total, 'input_tokens') || fell(before, total, 'output_tokens')) return last ?? total
  const growth: Record<string, number> = {}
  for (const field of fields) {
    const value = total[field]
    if (value !== undefined) growth[field] = Math.max(0, value - (before[field] ?? 0))
  }
  return growth
}

function fell(before: CodexTotals, total: CodexTotals, field: (typeof fields)[number]): boolean {
  return (total[field] ?? 0) < (before[field] ?? 0)
}

function totalsOf(value: unknown): CodexTotals | undefined {
  const usage = asObject(value)
  if (usage === undefined) return undefined
  const counts = fields.map((field) => [field, asCount(usage[field])] as const)
  const known = counts.filter((entry): entry is [(typeof fields)[number], number] => entry[1] !== undefined)
  return known.length === 0 ? undefined : Object.fromEntries(known)
}
