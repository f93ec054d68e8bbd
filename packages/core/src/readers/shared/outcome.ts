import type { ToolResultEvent } from '../../session/event.ts'

/** The result of a tool, without the names of call and agent. */
export type Outcome = Pick<ToolResultEvent, 'status' | 'text' | 'exitCode' | 'changes' | 'images'>

/** An outcome with only the fields that say something: no empty list, and no images if there are none. */
export function knownOutcome({
  status,
  text,
  exitCode,
  changes = [],
  images = 0,
}: { readonly exitCode?: number | undefined } & Omit<Outcome, 'exitCode'>): Outcome {
  return {
    status,
    text,
    ...(exitCode !== undefined && { exitCode }),
    ...(changes.length > 0 && { changes }),
    ...(images > 0 && { images }),
  }
}
