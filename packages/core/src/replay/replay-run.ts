import type { ConversationTurn } from '../readers/cursor/turn-events.ts'
import { type ReplayOptions, replaySession } from './replay-session.ts'
import type { ReplayedEvent } from './task-event.ts'

/** A run of `@cursor/sdk`, or anything else that gives its conversation as such turns. */
export interface ConversationRun {
  /** Loads the turns of the run. */
  conversation(): Promise<readonly ConversationTurn[]>
  /** When it began, in milliseconds. */
  readonly createdAt?: number | undefined
}

/** What lists the runs of an agent: the `Agent` of `@cursor/sdk`. */
export interface RunLister {
  /** Lists the runs of an agent, the newest first. */
  listRuns(agentId: string): Promise<{ readonly items: readonly ConversationRun[] }>
}

/** {@link replaySession} for a run. Rejects as `conversation()` does, and with a `TypeError` if that gives no list. */
export async function replayRun(
  run: ConversationRun,
  options: ReplayOptions = {},
): Promise<readonly ReplayedEvent[]> {
  const turns = await run.conversation()
  if (!Array.isArray(turns))
    throw new TypeError(
      `expected a list of turns from conversation(), got ${turns === null ? null : typeof turns}`,
    )
  return replaySession(turns, options)
}

/**
 * {@link replayRun} for the most recent run of an agent, for what resumes it; empty if it has none. Runs without a time
 * are taken in their order, the newest first.
 */
export async function replayLatestRun(
  agents: RunLister,
  agentId: string,
  options: ReplayOptions = {},
): Promise<readonly ReplayedEvent[]> {
  const { items } = await agents.listRuns(agentId)
  const newestFirst = items.toSorted((a, b) => (b.createdAt ?? 0) - (a.createdAt ?? 0))
  return newestFirst[0] === undefined ? [] : await replayRun(newestFirst[0], options)
}
