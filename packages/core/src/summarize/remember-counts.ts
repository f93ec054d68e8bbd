import type { TokenCounter } from '../tokens/token-counter.ts'

/** Caches the counter's results: halves and later summarizers get the same items. */
export function rememberCounts(counter: TokenCounter): TokenCounter {
  const counts = new Map<string, number>()
  return {
    name: counter.name,
    count(text) {
      const known = counts.get(text) ?? counter.count(text)
      counts.set(text, known)
      return known
    },
  }
}
