import type { EventId } from '../../session/event.ts'
import { shortLine } from '../../session/short-line.ts'
import { shareOf } from '../../text/overlap.ts'

/** A sentence of the user that may change an earlier rule: it speaks of the same, and binds nobody itself. */
export interface LaterWords {
  readonly text: string
  /** Absent if it is of another session than the rule. */
  readonly event?: EventId
}

/** A sentence of the user with the stems of its topic. */
export interface Said extends LaterWords {
  readonly words: ReadonlySet<string>
}

/** Share of a rule's words that a sentence about it has, and in how many other sentences the rarest of them may be. */
const minShare = 0.5
const maxOthers = 3
/** One word in common may be chance, unless it is a name. */
const minShared = 2

/** Longer ones are new work. */
const longest = 200
const maxShown = 2

/**
 * Returns what the user later said about the matter of a rule, the last sentences of it, whatever they say: a reader
 * sees whether they lift it, in any language. Words that the user always says tell no matter from another.
 */
export function laterAbout(
  rule: ReadonlySet<string>,
  later: readonly Said[],
  all: readonly Said[],
): LaterWords[] {
  const isSame = (words: ReadonlySet<string>) => {
    const shared = [...rule].filter((word) => words.has(word))
    return shared.length >= Math.min(rule.size, minShared) || shared.some((word) => /[\d_./-]/.test(word))
  }
  const isRare = (word: string) => all.filter(({ words }) => words.has(word)).length <= maxOthers + 1
  return later
    .filter(
      ({ text, words }) =>
        text.length <= longest &&
        !/[?？]["')\]]*$/.test(text) &&
        shareOf(rule, words) >= minShare &&
        isSame(words) &&
        [...rule].some((word) => words.has(word) && isRare(word)),
    )
    .slice(-maxShown)
    .map(({ text, event }) => ({ text, ...(event !== undefined && { event }) }))
}

/** Puts what was said later behind a rule, the newest last: `Never push. (later, e20: You may push.)` */
export function withLater(rule: string, later: readonly LaterWords[]): string {
  if (later.length === 0) return rule
  const said = later.map(
    ({ text, event }) => `later${event === undefined ? '' : `, ${event}`}: ${shortLine(text, longest)}`,
  )
  return `${withoutLater(rule)} (${said.join('; ')})`
}

/** The rule alone. */
export function withoutLater(rule: string): string {
  return rule.replace(/ \(later(?:, e\d+)?: .*\)$/, '')
}
