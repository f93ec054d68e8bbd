/** What stands for a text that an event before had already. */
export function repeat(first: string): string {
  return `same as ${first}`
}

/** The event that a text of `repeat` refers to; undefined for any other text. */
export function repeatOf(text: string): string | undefined {
  return /^same as (e\d+)$/.exec(text)?.[1]
}
