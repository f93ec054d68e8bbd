/**
 * A text in lower case, in which each character keeps its position: a letter whose lower case is longer is unchanged. To
 * match it against patterns in lower case is much faster than to ignore case.
 */
export function lowerCase(text: string): string {
  const lower = text.toLowerCase()
  if (lower.length === text.length) return lower
  return text.replace(/\p{Lu}/gu, (upper) =>
    upper.toLowerCase().length === upper.length ? upper.toLowerCase() : upper,
  )
}
