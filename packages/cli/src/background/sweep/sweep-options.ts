import type { BundleKind, SourceAgent } from '@tenfold/core'
import type { CompressOptions } from '../../compress/compress-options.ts'
import type { ModelOptions } from '../../options/model-options.ts'
import type { RedactOptions } from '../../options/redact-options.ts'

/** Options of `tenfold sweep`, parsed and checked. */
export interface SweepOptions extends ModelOptions, RedactOptions {
  /** Absent: each log goes to the store of its project. */
  readonly store?: string | undefined
  readonly idle: number
  readonly kind: BundleKind | 'auto'
  readonly agent?: readonly SourceAgent[] | undefined
  readonly concurrency: number
  readonly maxLogSize?: number | undefined
  readonly retry?: true | undefined
  readonly dryRun?: true | undefined
  /** Only the queue of the hooks. */
  readonly queued?: true | undefined
  readonly json?: true | undefined
}

/** The options for compressing each log; store and track are set for each. */
export function compressOptionsOf({ dryRun, json, ...options }: SweepOptions): CompressOptions {
  return {
    ...options,
    store: options.store ?? '',
    track: 'main',
    maxRatio: 0.1,
    minRatio: 0.05,
    minSourceTokens: 4000,
    counter: 'o200k_base',
    archive: true,
  }
}
