/** Patterns below one heading of a text of cues. */
export interface Cues {
  readonly heading: string
  readonly patterns: readonly string[]
}

/**
 * Reads cues that are written as a text, for people who know the language or the program and no code: `heading: pattern`,
 * or a heading with patterns below it, indented. `{name}` is the section `where name`, and `#` begins a remark.
 */
export function readCues(text: string): Cues[] {
  const sections: { readonly heading: string; readonly patterns: string[] }[] = []
  const parts = new Map<string, string>()
  for (const line of text.split('\n')) {
    const [, heading, first = ''] = /^(\w[^:]*):(?: (.*))?$/.exec(line) ?? []
    const pattern = (heading === undefined ? line.slice(2) : first).replace(
      /\{(\w+)\}/g,
      (all, name) => parts.get(name) ?? all,
    )
    if (heading?.startsWith('where ')) parts.set(heading.slice('where '.length), pattern)
    else if (heading !== undefined) sections.push({ heading, patterns: pattern === '' ? [] : [pattern] })
    else if (line.startsWith('  ')) sections.at(-1)?.patterns.push(pattern)
  }
  return sections
}
