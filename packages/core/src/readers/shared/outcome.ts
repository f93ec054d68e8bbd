import type { EventDraft } from '../../session/event.ts'

/** The result of a tool, without the names of call and agent. */
export type Outcome = Pick<
  Extract<EventDraft, { type: 'tool_result' }>,
  'status' | 'text' | 'exitCode' | 'changes' | 'images'
>
