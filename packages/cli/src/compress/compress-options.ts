import type { BundleKind, Reader } from '@tenfold/core'
import type { ModelOptions } from '../options/model-options.ts'
import type { CounterName } from '../options/options.ts'
import type { RedactOptions } from '../options/redact-options.ts'

/** Options of `tenfold compress`, parsed and checked. */
export interface CompressOptions extends ModelOptions, RedactOptions {
  readonly store: string
  readonly kind: BundleKind
  readonly track: string
  /** Logs of several projects in a folder go to a track each. */
  readonly trackByProject?: boolean | undefined
  readonly task?: string | undefined
  /** Id of the bundle to continue from, or `LATEST`. */
  readonly previous?: string | undefined
  readonly format?: string | undefined
  /** @default all built-in readers */
  readonly readers?: readonly Reader[] | undefined
  readonly maxLogSize?: number | undefined
  readonly maxRatio: number
  readonly minRatio: number
  readonly maxTokens?: number | undefined
  readonly minSourceTokens: number
  readonly maxReadRatio?: number | undefined
  readonly counter: CounterName
  readonly archive: boolean
  readonly dropUnverified?: true | undefined
  /** @default the number of cores */
  readonly concurrency?: number | undefined
  /** Milliseconds that one log may take. */
  readonly logTime?: number | undefined
  /** Bytes of memory that one log may take. */
  readonly logMemory?: number | undefined
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
