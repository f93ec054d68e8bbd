import type { Reader } from '@tenfold/core'
import type { LogOptions } from '../options/log-options.ts'
import type { ModelOptions } from '../options/model-options.ts'
import type { PlanOptions } from '../options/plan-options.ts'
import type { ReaderOptions } from '../options/readers-option.ts'
import type { RedactOptions } from '../options/redact-options.ts'

/** Options of `tenfold compress`, parsed and checked. */
export interface CompressOptions
  extends ModelOptions,
    RedactOptions,
    PlanOptions,
    LogOptions,
    Omit<ReaderOptions, 'reader'> {
  readonly store: string
  /** Logs of several projects in a folder go to a track each. */
  readonly trackByProject?: boolean | undefined
  /** Id of the bundle to continue from, or `LATEST`. */
  readonly previous?: string | undefined
  /** @default all built-in readers */
  readonly readers?: readonly Reader[] | undefined
  readonly minRatio: number
  /** Compress logs even if that was done before. */
  readonly again?: true | undefined
  /** Most logs to compress. */
  readonly limit?: number | undefined
  /** Of the logs in folders only those changed since then. */
  readonly since?: Date | undefined
  readonly dryRun?: true | undefined
  readonly out?: string | undefined
  readonly json?: true | undefined
}
