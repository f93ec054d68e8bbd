import type { BundleKind, PlanOptions, TokenCounter } from '@tenfold/core'
import type { JobOptions } from '../store/batch-job.ts'

/** How the bundles of a job are planned, the same at any time. */
export function planOptionsOf(
  { kind, maxRatio, minRatio, maxTokens, minSourceTokens }: JobOptions,
  counter: TokenCounter,
): PlanOptions & { readonly kind: BundleKind } {
  return {
    counter,
    kind,
    ...(maxRatio === undefined ? {} : { maxRatio }),
    ...(minRatio === undefined ? {} : { minRatio }),
    ...(maxTokens === undefined ? {} : { maxTokens }),
    ...(minSourceTokens === undefined ? {} : { minSourceTokens }),
  }
}
