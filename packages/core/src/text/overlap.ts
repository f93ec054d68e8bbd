/** Returns the share of the first words that are among the second ones. */
export function shareOf(words: ReadonlySet<string>, others: ReadonlySet<string>): number {
  if (words.size === 0) return 0
  let held = 0
  for (const word of words) if (others.has(word)) held++
  return held / words.size
}

/** Whether two texts have mostly the same words. */
export function saysSame(a: ReadonlySet<string>, b: ReadonlySet<string>): boolean {
  return shareOf(a, b) >= 0.75 && shareOf(b, a) >= 0.75
}
