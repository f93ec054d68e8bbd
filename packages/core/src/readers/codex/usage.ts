import { asCount, asObject } from '../../session/json-values.ts'
import type { CodexState } from './state.ts'

/** Token totals of a rollout. */
type Totals = Readonly<Record<string, number>>

/** Codex's own names; the input already includes what was read from the cache. */
const fields = {
  inputTokens: 'input_tokens',
  outputTokens: 'output_tokens',
  cacheReadTokens: 'cached_input_tokens',
  cacheWriteTokens: 'cache_write_input_tokens',
  reasoningTokens: 'reasoning_output_tokens',
}

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
  if (Object.values(growth).every((count) => count === 0)) {
    out.absorb('repeated usage')
    return true
  }
  state.responses++
  state.usage(`${state.agent} ${state.responses}`, growth)
  out.absorb('usage')
  return true
}

function growthOf(state: CodexState, total: Totals | undefined, last: Totals | undefined): Totals {
  if (total === undefined) return last ?? {}
  const before = state.totals
  // Since 0.169 the counter of a child starts at 0.
  if (before === undefined) return state.forked && state.copy.until === undefined ? (last ?? {}) : total
  const fell = (name: string): boolean => (total[name] ?? 0) < (before[name] ?? 0)
  // The counter was reset: it shows what was billed since then.
  if (fell('inputTokens') || fell('outputTokens')) return last ?? total
  const growths = Object.entries(total).map(([name, count]) => [
    name,
    Math.max(0, count - (before[name] ?? 0)),
  ])
  return Object.fromEntries(growths)
}

function totalsOf(value: unknown): Totals | undefined {
  const usage = asObject(value)
  const counts = Object.entries(fields).flatMap(([name, field]): [string, number][] => {
    const count = asCount(usage?.[field])
    return count === undefined ? [] : [[name, count]]
  })
  return counts.length === 0 ? undefined : Object.fromEntries(counts)
}
