import type { LogDigests } from '../../state/digest-logs.ts'
import type { SeenLogs } from '../../state/seen-logs.ts'

/** What is known of logs from before. */
export interface KnownLogs {
  readonly digests: LogDigests
  readonly seen: SeenLogs
  /** Of tenfold, as it is now. */
  readonly version: string
}
