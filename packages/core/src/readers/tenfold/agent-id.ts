import { cleanLine } from '../../session/clean-text.ts'

/** An agent's id as a bundle takes it: one word without control characters. */
export function agentId(text: string): string {
  return cleanLine(text).trim().replace(/\s+/gu, '_') || 'agent'
}
