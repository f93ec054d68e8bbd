import type { ConversationTurn } from '../readers/cursor/turns/conversation-turn.ts'
import { type ReplayOptions, replaySession } from './replay-session.ts'
import type { ReplayedEvent } from './task-event.ts'

/** A run of `@cursor/sdk`, or anything else that gives its conversation as such turns. */
export interface ConversationRun {
  conversation(): Promise<readonly ConversationTurn[]>
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
