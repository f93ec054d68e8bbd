import { decision as decisionForm } from './item-forms.ts'
import { formatItem } from './markdown-items.ts'
import type { ContextBundle } from './schema.ts'

/** The events of a decision say when it was made. */
export function untimedDecision({ at: _, ...decision }: ContextBundle['decisions'][number]): string {
  return formatItem(decisionForm.write(decision))
}

/** Returns the line of the last check for a brief. */
export function validationLine({
  status,
  result,
  command,
  evidence,
}: NonNullable<ContextBundle['validation']>): string {
  const was = result === undefined ? '' : ` (was ${result}; the work changed since)`
  return `- ${status}${was}${command === undefined ? '' : `: ${command}`}${evidence.length === 0 ? '' : ` [${evidence.join(' ')}]`}`
}
