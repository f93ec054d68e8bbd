/** Words shared, of all words of both: above it two statements say the same. */
const sameShare = 0.8
const fewestWords = 5

/** Leaves out statements that say nearly the same as an earlier one in other words. */
export function withoutNearEqual<T extends { readonly text: string }>(statements: readonly T[]): T[] {
  const kept: { readonly statement: T; readonly words: ReadonlySet<string> }[] = []
  for (const statement of statements) {
    const words = wordsOf(statement.text)
    if (kept.some((other) => shareOf(words, other.words) >= sameShare)) continue
    kept.push({ statement, words })
  }
  return kept.map(({ statement }) => statement)
}

function wordsOf(text: string): Set<string> {
  return new Set(text.toLowerCase().match(/[\p{L}\p{N}]+/gu) ?? [])
}

function shareOf(a: ReadonlySet<string>, b: ReadonlySet<string>): number {
  if (Math.min(a.size, b.size) < fewestWords) return 0
  if (Math.min(a.size, b.size) / Math.max(a.size, b.size) < sameShare) return 0
  let shared = 0
  for (const word of a) if (b.has(word)) shared += 1
  return shared / (a.size + b.size - shared)
}
