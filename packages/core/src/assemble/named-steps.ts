import type { NextStep } from '../bundle/session-summary.ts'
import type { Facts } from '../facts/facts.ts'
import { shareOf, topicWords } from '../facts/statements/words.ts'
import { cleanLine } from '../session/clean-text.ts'

/** Share of the words of a named step by which a step of the summary says the same. */
const minShare = 0.6

/**
 * Puts what the session's last words name as next before the steps of a summary that leaves it out, after the question
 * that the session waits for.
 */
export function withNamedSteps(steps: readonly NextStep[], { openWork, state }: Facts): NextStep[] {
  const said = steps.map(({ action, command = '' }) => topicWords(`${action} ${command}`))
  const missing = openWork.steps.filter(({ text }) => {
    const words = topicWords(text)
    return !steps.some(
      ({ action }, at) => action === cleanLine(text) || shareOf(words, said[at] ?? words) >= minShare,
    )
  })
  const named = missing.map(({ text, event }) => ({ action: cleanLine(text), evidence: [event] }))
  const first = state?.state === 'waiting' ? 1 : 0
  return [...steps.slice(0, first), ...named, ...steps.slice(first)]
}
