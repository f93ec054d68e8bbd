import type { EventDraft } from '../../session/event.ts'

/** The result of a tool, without the names of call and agent. */
export type Outcome = Pick<
  Extract<EventDraft, { type: 'tool_result' }>,
  'status' | 'text' | 'exitCode' | 'changes' | 'images'
>

/** The number that the first group of an expression matches in a text, such as an exit code. */
export function numberIn(text: string, expression: RegExp): number | undefined {
  const digits = expression.exec(text)?.[1]
  return digits === undefined ? undefined : Number(digits)
}
