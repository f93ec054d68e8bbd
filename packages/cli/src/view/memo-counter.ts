import type { TokenCounter } from '@tenfold/core'

/** Counts each text only once, for a log that is read repeatedly. Remembers the texts of the last two rounds. */
export function memoCounter(counter: TokenCounter): TokenCounter & { nextRound(): void } {
  let older = new Map<string, number>()
  let newer = new Map<string, number>()
  return {
    name: counter.name,
    count(text) {
      const tokens = newer.get(text) ?? older.get(text) ?? counter.count(text)
      newer.set(text, tokens)
      return tokens
    },
    nextRound() {
      older = newer
      newer = new Map()
    },
  }
}
