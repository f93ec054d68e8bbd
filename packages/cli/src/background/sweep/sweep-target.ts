import type { LogOutcome } from '../../compress/compress-one.ts'
import type { HookJob } from '../hooks/hook-job.ts'

/** A log, or a session of one, that a sweep has to compress. */
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
  /** When the log was last written to. */
  readonly changed: number
  /** The job that requested it; absent if the log was found in the folder of its agent. */
  readonly job?: HookJob
}

/** Number of logs that a sweep leaves alone, by reason. */
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

/** Outcome of a target: `known` if the store already had it. */
export type SweptLog = Omit<LogOutcome, 'known'> & { readonly target: SweepTarget; readonly known?: string }
