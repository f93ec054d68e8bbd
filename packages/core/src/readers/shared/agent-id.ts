import { cleanLine } from '../../session/clean-text.ts'

const plain = /^[\w.:@/#-]+$/

/** An agent's id in the form that a bundle accepts: one word without control characters. */
export function agentId(text: string): string {
  return plain.test(text) ? text : cleanLine(text).trim().replace(/\s+/gu, '_') || 'agent'
}
