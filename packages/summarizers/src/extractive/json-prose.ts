/** Longest answer that is parsed, in characters. */
const longest = 40_000

/** Minimum words of a value that says something: names and numbers are left out. */
const minWords = 4

/** Maximum depth of nested values that are read. */
const maxDepth = 20

/**
 * The sentences of an answer that is one JSON value, such as the findings of a review, a line each: those of the whole
 * before those of its parts. Any other text is returned as it is.
 */
export function jsonProse(text: string): string {
  const value = text.length > longest ? undefined : jsonIn(text)
  if (value === undefined) return text
  const lines: string[] = []
  let level: readonly unknown[] = [value]
  for (let depth = 0; depth < maxDepth && level.length > 0; depth++) {
    const values = level.flatMap((each) => (Array.isArray(each) ? each : Object.values(each as object)))
    for (const each of values)
      if (typeof each === 'string' && (each.match(/\p{L}+/gu) ?? []).length >= minWords)
        lines.push(/[.!?:。]$/.test(each) ? each : `${each}.`)
    level = values.filter((each) => typeof each === 'object' && each !== null)
  }
  return lines.length === 0 ? text : lines.join('\n')
}

function jsonIn(text: string): object | undefined {
  const body = text
    .replace(/^\s*```(?:json)?\n/, '')
    .trimEnd()
    .replace(/```$/, '')
    .trim()
  if (!/^[[{]/.test(body) || !/[\]}]$/.test(body)) return undefined
  try {
    return JSON.parse(body)
  } catch (error) {
    // Prose may begin and end in brackets.
    if (error instanceof SyntaxError) return undefined
    throw error
  }
}
