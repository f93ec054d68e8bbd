import type { TokenUsage } from '@tenfold/core/summarizer'

/** Keeps the fields that are token counts; any other value is unknown. */
export function tokenUsage(counts: { readonly [K in keyof TokenUsage]: unknown }): TokenUsage {
  return Object.fromEntries(
    Object.entries(counts).filter(([, count]) => Number.isSafeInteger(count) && Number(count) >= 0),
  )
}
