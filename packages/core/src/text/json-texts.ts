/** Shorter texts are names or states. */
const minWords = 4

const maxDepth = 20

/**
 * Returns the sentences in a text that is one JSON value, such as the findings of a review, alone, in a fence or
 * between tags; outer values first. Undefined for any other text.
 */
export function textsOfJson(text: string): string[] | undefined {
  const lines: string[] = []
  let level: readonly unknown[] = [jsonIn(text)]
  for (let depth = 0; depth < maxDepth && level.length > 0; depth++) {
    const values = level.flatMap((each) => Object.values(Object(each)))
    for (const each of values)
      if (typeof each === 'string' && (each.match(/\p{L}+/gu) ?? []).length >= minWords)
        lines.push(/[.!?:。]$/.test(each) ? each : `${each}.`)
    level = values.filter((each) => typeof each === 'object' && each !== null)
  }
  return lines.length === 0 ? undefined : lines
}

/** Returns the titles of list items in a text that is one JSON value, such as the findings of a review. */
export function titlesOfJson(text: string): string[] {
  const titles = (value: unknown): string[] =>
    Object.values(Object(value)).flatMap((each) => {
      const { title } = Object(each) as { title?: unknown }
      const isItem = Array.isArray(value) && typeof title === 'string' && title !== ''
      return isItem ? [title] : typeof each === 'object' ? titles(each) : []
    })
  return titles(jsonIn(text))
}

function jsonIn(text: string): unknown {
  const [, body] =
    /^\s*(?:```(?:json)?\n|<[\w-]{1,60}>\s*)?([[{][\s\S]*[\]}])\s*(?:```|<\/[\w-]{1,60}>)?\s*$/.exec(text) ??
    []
  try {
    return body === undefined ? undefined : JSON.parse(body)
  } catch (error) {
    // Prose may begin and end with brackets.
    if (error instanceof SyntaxError) return undefined
    throw error
  }
}
