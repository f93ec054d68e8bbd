import type { TrailEntry } from '../bundle/schema.ts'
import { asksNothing, isExit } from '../facts/state/last-turn.ts'

/**
 * Returns the last words of the user in a trail: the last message that asks for something, and the very last one if
 * that is thanks or the like. A command by which the user leaves is left out.
 */
export function lastWords(trail: readonly TrailEntry[]): TrailEntry[] {
  const words = trail.filter(
    ({ label, agent, text }) => label === 'user' && agent === 'main' && !isExit(text),
  )
  const last = words.at(-1)
  const asking = words.findLast(({ text }) => !asksNothing(text))
  if (asking === undefined || last === undefined || asking === last) return last === undefined ? [] : [last]
  return [asking, last]
}
