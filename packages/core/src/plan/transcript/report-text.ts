/** A shorter string of a report is an id or a state. */
const leastWords = 40

/** Returns what an agent reported; of a report in JSON its texts, each on lines of its own. */
export function reportText(text: string): string {
  const json = /^(?:<[\w-]{1,60}>\s*)?(\{[\s\S]*\})(?:\s*<\/[\w-]{1,60}>)?$/.exec(text.trim())?.[1]
  if (json === undefined) return text
  const texts = textsIn(parsed(json)).filter((each) => each.length >= leastWords)
  return texts.length === 0 ? text : texts.join('\n')
}

function parsed(json: string): unknown {
  try {
    return JSON.parse(json)
  } catch {
    // A report that was cut short, or not JSON at all.
    return undefined
  }
}

function textsIn(value: unknown): string[] {
  if (typeof value === 'string') return [value]
  return typeof value === 'object' && value !== null ? Object.values(value).flatMap(textsIn) : []
}
