import type { LogDigests } from '../../state/digest-logs.ts'
import type { SeenLogs } from '../../state/seen-logs.ts'

/** Knowledge of earlier runs about logs. */
export interface KnownLogs {
  readonly digests: LogDigests
  readonly seen: SeenLogs
  /** Version of the tenfold that is running. */
  readonly version: string
}
