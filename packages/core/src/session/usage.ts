/**
 * Tokens that a provider billed. `inputTokens` includes tokens read from and written to the cache, and `outputTokens`
 * includes reasoning, as in OpenTelemetry's GenAI conventions; an absent field is unknown, not 0.
 * https://opentelemetry.io/docs/specs/semconv/gen-ai/
 */
export interface TokenUsage {
  /** Includes tokens read from and written to a prompt cache. */
  readonly inputTokens?: number
  /** Includes reasoning tokens. */
  readonly outputTokens?: number
  /** Part of the input that was read from a prompt cache. */
  readonly cacheReadTokens?: number
  /** Part of the input that was written to a prompt cache. */
  readonly cacheWriteTokens?: number
  /** Part of the output. */
  readonly reasoningTokens?: number
}

export interface Cost {
  readonly amount: number
  /** ISO 4217. */
  readonly currency: string
  /** Date of the prices. */
  readonly pricesOf: string
  /** Set if the usage of a call is unknown. */
  readonly atLeast?: true | undefined
}

/** Usage of one agent with one model. */
export interface UsageEntry {
  /** `main`, or the id of a subagent. */
  readonly agent: string
  /** Model name as recorded in the log. */
  readonly model: string
  /** Usage as reported by the vendor. */
  readonly usage: TokenUsage
}

export const usageFields = [
  'inputTokens',
  'outputTokens',
  'cacheReadTokens',
  'cacheWriteTokens',
  'reasoningTokens',
] as const satisfies readonly (keyof TokenUsage)[]

export function addUsage(a: TokenUsage, b: TokenUsage): TokenUsage {
  const sum: { -readonly [K in keyof TokenUsage]: number } = {}
  for (const field of usageFields)
    if (a[field] !== undefined || b[field] !== undefined) sum[field] = (a[field] ?? 0) + (b[field] ?? 0)
  return sum
}

export function sumUsage(entries: Iterable<UsageEntry>): UsageEntry[] {
  const sums = new Map<string, UsageEntry>()
  for (const { agent, model, usage } of entries) {
    const key = JSON.stringify([agent, model])
    sums.set(key, { agent, model, usage: addUsage(sums.get(key)?.usage ?? {}, usage) })
  }
  return [...sums.values()]
}

export function totalUsage(entries: readonly UsageEntry[]): TokenUsage {
  return entries.reduce<TokenUsage>((sum, entry) => addUsage(sum, entry.usage), {})
}

/** Sums usage by agent or by model, in the order of first appearance. */
export function usageBy(entries: readonly UsageEntry[], key: 'agent' | 'model') {
  const sums = new Map<string, TokenUsage>()
  for (const entry of entries) sums.set(entry[key], addUsage(sums.get(entry[key]) ?? {}, entry.usage))
  return [...sums]
}
