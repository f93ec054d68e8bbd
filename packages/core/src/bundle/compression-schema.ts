import * as z from 'zod/mini'
import { lazySchema } from '../session/lazy-schema.ts'
import { count, line } from './fields.ts'

/** Tokens that providers billed for the session; `input` includes the cache, `output` includes reasoning. */
export const usageSchema = lazySchema(() =>
  z.strictObject({
    inputTokens: z.optional(count),
    outputTokens: z.optional(count),
    cacheReadTokens: z.optional(count),
    cacheWriteTokens: z.optional(count),
    reasoningTokens: z.optional(count),
  }),
)

const summarizerCallSchema = lazySchema(() =>
  z.strictObject({
    summarizer: line,
    model: z.optional(line),
    purpose: z.optional(line),
    requestId: z.optional(line),
    stop: z.optional(line),
    tier: z.optional(z.literal('batch')),
    durationMs: z.optional(count),
    error: z.optional(line),
    usage: usageSchema,
  }),
)

export const compressionSchema = lazySchema(() =>
  z.strictObject({
    counter: line,
    sourceTokens: count,
    bundleTokens: count,
    /** bundleTokens / sourceTokens, four decimals. */
    ratio: z.number().check(z.nonnegative()),
    /**
     * `small`: too small for the ratio, kept within the limit of small sessions. `verbatim`: kept whole by an older
     * version.
     */
    band: z.enum(['within', 'below', 'small', 'verbatim']),
    summarizer: line,
    model: z.optional(line),
    promptVersion: z.optional(line),
    /** Source tokens that the summarizer read. */
    readTokens: count,
    /** Number of summary items flagged `unverified`. */
    unverified: count,
    calls: z.array(summarizerCallSchema),
    /** Sum over the calls; absent if there are none. A field is present if any call has it. */
    usage: z.optional(usageSchema),
    /** Computed from the price table; absent if a call has no price. */
    cost: z.optional(
      z.strictObject({
        amount: z.number().check(z.nonnegative()),
        /** ISO 4217. */
        currency: z.string().check(z.regex(/^[A-Z]{3}$/)),
        /** Date of the prices. */
        pricesOf: z.iso.date(),
        /** Set if the usage of a call is unknown. */
        atLeast: z.optional(z.literal(true)),
      }),
    ),
    /** Why another summarizer than the first one wrote the summary. */
    fallback: z.optional(line),
  }),
)

/** Cost of the summarizers' calls, by a dated price table. */
export type BundleCost = NonNullable<z.infer<typeof compressionSchema>['cost']>
/** Tokens by price class; a class that was not reported is absent. */
export type BundleUsage = z.infer<typeof usageSchema>

/** Returns bundleTokens / sourceTokens to four decimals, rounded up so that it never looks too small; 0 without a source. */
export function compressionRatio(tokens: { bundleTokens: number; sourceTokens: number }): number {
  return tokens.sourceTokens === 0
    ? 0
    : Math.ceil((tokens.bundleTokens / tokens.sourceTokens) * 10_000) / 10_000
}
