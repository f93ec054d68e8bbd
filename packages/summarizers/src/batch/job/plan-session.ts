import type { BundleKind, PlanOptions, TokenCounter } from '@tenfold/core'
import type { JobOptions } from '../store/batch-job.ts'

/** Plans the bundle of a session, with the same result at any time. */
export function planOptionsOf(
  { kind, maxRatio, minRatio, maxTokens, minSourceTokens, maxReadRatio }: JobOptions,
  counter: TokenCounter,
): PlanOptions & { readonly kind: BundleKind } {
  return {
    counter,
    kind,
    maxRatio,
    minRatio,
    maxTokens,
    minSourceTokens,
    maxReadRatio,
  }
}
