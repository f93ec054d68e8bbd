import { type Reader, type ReplayedEvent, redactSession, replaySession, type Session } from '@tenfold/core'
import { readLog } from '../logs/read-log.ts'
import { makeRedactors, type RedactOptions } from '../options/redact-options.ts'
import type { CommandContext } from '../terminal/command-context.ts'
import { showProgress } from '../terminal/progress.ts'

/** How to read a log for its replay. */
export interface ReplaySource extends RedactOptions {
  readonly format?: string | undefined
  readonly readers: readonly Reader[]
  readonly maxLogSize?: number | undefined
  readonly after?: string | undefined
}

/** A redacted session, and its events in the form of a replay. */
export interface Replay {
  readonly session: Session
  readonly events: readonly ReplayedEvent[]
}

/** Reads a log, `-` for stdin, and rebuilds its timeline. */
export async function readReplay(
  log: string,
  { readers, format, maxLogSize, after, ...redact }: ReplaySource,
  { terminal, signal }: CommandContext,
): Promise<Replay> {
  const progress = showProgress(terminal, true)
  const { session: read } = await readLog(log, { readers, format, maxLogSize, signal, progress })
  progress.clear()
  const session = redactSession(read, await makeRedactors(redact))
  return { session, events: replaySession(session, after === undefined ? {} : { after }) }
}
