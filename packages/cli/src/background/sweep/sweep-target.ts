import type { LogOutcome } from '../../compress/compress-one.ts'
import type { LogDigests } from '../../state/digest-logs.ts'
import type { SeenLogs } from '../../state/seen-logs.ts'
import type { HookJob } from '../hooks/job-queue.ts'

export interface SweepTarget {
  /** `PATH`, or `PATH#ID` for a session in a database. */
  readonly log: string
  readonly agent: string
  readonly store: string
  readonly track: string
  /** Digest of the content when it was found; what is written later is for the next sweep. */
  readonly digest: string
  /** Digests of other logs that are read with it, and need no bundle of their own. */
  readonly parts?: readonly string[]
  readonly changed: number
  /** The job that requested it; absent if the log was found in the folder of its agent. */
  readonly job?: HookJob
}

export interface SweepSkips {
  /** Compressed before, in this very state. */
  readonly done: number
  /** Still being written to, or written to not long ago. */
  readonly busy: number
  /** Failed before, in this very state and with this version. */
  readonly failed: number
  /** Sessions of tenfold's own summarizer. */
  readonly own: number
}

export type SweptLog = Omit<LogOutcome, 'known'> & { readonly target: SweepTarget; readonly known?: string }

export interface KnownLogs {
  readonly digests: LogDigests
  readonly seen: SeenLogs
  readonly version: string
}

// A fault in the content of a log recurs until the content or tenfold changes. A full disk, an unreachable server or a
// log that grows while it is read may be better next time.
const lasting = new Set([
  'unknown-format',
  'log-empty',
  'log-too-large',
  'log-unreadable',
  'session-missing',
  'invalid-bundle',
  'secret-left',
])

export function isLasting(code: string): boolean {
  return lasting.has(code)
}
