import type { BundleKind, Reader } from '@tenfold/core'
import type { ModelOptions } from '../options/model-options.ts'
import type { CounterName } from '../options/options.ts'
import type { RedactOptions } from '../options/redact-options.ts'

/** Options of `tenfold compress`, parsed and checked. */
export interface CompressOptions extends ModelOptions, RedactOptions {
  readonly store: string
  readonly kind: BundleKind
  readonly track: string
  readonly task?: string
  /** Id of the bundle to continue from, or `LATEST`. */
  readonly previous?: string
  readonly format?: string
  /** @default all built-in readers */
  readonly readers?: readonly Reader[]
  readonly maxLogSize?: number
  readonly maxRatio: number
  readonly minRatio: number
  readonly maxTokens?: number
  readonly minSourceTokens: number
  readonly counter: CounterName
  readonly archive: boolean
  readonly dropUnverified?: true
  readonly concurrency: number
  readonly dryRun?: true
  readonly out?: string
  readonly quiet?: true
  readonly verbose?: true
  readonly json?: true
}
