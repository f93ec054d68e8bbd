import type { BundleKind } from '@tenfold/core'
import type { CounterName } from './options.ts'

/** Options of `tenfold compress`, parsed and checked. */
export interface CompressOptions {
  readonly store: string
  readonly kind: BundleKind
  readonly track: string
  readonly task?: string
  readonly format?: string
  readonly maxRatio: number
  readonly minRatio: number
  readonly maxTokens?: number
  readonly minSourceTokens: number
  readonly counter: CounterName
  readonly archive: boolean
  readonly concurrency: number
  readonly dryRun?: true
  readonly out?: string
  readonly quiet?: true
  readonly json?: true
}
