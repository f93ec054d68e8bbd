/**
 * Returns a text in lower case, with all characters at the same positions: a letter whose lower case is longer stays.
 * Matching it against lower-case patterns is much faster than ignoring case.
 */
export function lowerCase(text: string): string {
  const lower = text.toLowerCase()
  if (lower.length === text.length) return lower
  return text.replace(/\p{Lu}/gu, (upper) =>
    upper.toLowerCase().length === upper.length ? upper.toLowerCase() : upper,
  )
}
