import type { ConversationTurn } from '../readers/cursor/turn-events.ts'
import { type ReplayOptions, replaySession } from './replay-session.ts'
import type { ReplayedEvent } from './task-event.ts'

/** A run of `@cursor/sdk`, or any other source of such turns. */
export interface ConversationRun {
  /** Loads the turns of the run. */
  conversation(): Promise<readonly ConversationTurn[]>
  /** Time of its start, in milliseconds. */
  readonly createdAt?: number | undefined
}

/** Lists the runs of an agent, such as the `Agent` of `@cursor/sdk`. */
export interface RunLister {
  /** Lists the runs, newest first. */
  listRuns(agentId: string): Promise<{ readonly items: readonly ConversationRun[] }>
}

/** {@link replaySession} for a run. Rejects like `conversation()`, and with `TypeError` if that returns no list. */
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
 * {@link replayRun} for the latest run of an agent; empty if it has none. Runs without times are assumed to be newest
 * first.
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
