import type { Session, SessionEvent } from '@tenfold/core'
import { identifiersOf } from '@tenfold/measure/internal'

/** Names that later events used again, by the half of the session that brought them up. */
export interface LeanedNames {
  readonly first: readonly string[]
  readonly second: readonly string[]
}

/** So many events of the later part must use a name: a single one may be by chance. */
const minUses = 2

/**
 * Names that the words of user and agent or the input of calls brought up, and that the last third of the session used
 * again. Output of tools does not count: it repeats names that nobody needs.
 */
export function leanedNames({ events }: Session): LeanedNames {
  const own = events.filter((event) => event.copied !== true && event.agent === 'main')
  const middle = own.length / 2
  const lastThird = (own.length * 2) / 3
  const born = new Map<string, number>()
  const uses = new Map<string, number>()
  for (const [at, event] of own.entries()) {
    for (const name of identifiersOf(wordsOf(event))) {
      if (!born.has(name)) born.set(name, at)
      else if (at >= lastThird) uses.set(name, (uses.get(name) ?? 0) + 1)
    }
  }
  const leaned = [...uses].flatMap(([name, count]) => (count >= minUses ? [name] : []))
  return {
    first: leaned.filter((name) => (born.get(name) ?? 0) < middle),
    second: leaned.filter((name) => (born.get(name) ?? 0) >= middle),
  }
}

function wordsOf(event: SessionEvent): string {
  if (event.type === 'user' || event.type === 'assistant') return event.text
  if (event.type !== 'tool_call') return ''
  return typeof event.input === 'string' ? event.input : Object.values(Object(event.input)).join('\n')
}
