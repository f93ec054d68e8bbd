const url = /https?:\/\/[^\s<>"'`)\]}|\\]{4,300}/g
const path =
  /(?:[\w.@~-]{1,80}\/){1,20}[\w.@-]{1,80}\.[A-Za-z]\w{0,5}\b|(?<![\w./-])[\w-]{2,60}\.(?:tsx?|jsx?|mjs|cjs|py|go|rs|java|kt|rb|php|cs|cpp|hpp|swift|sh|sql|md|json|ya?ml|toml|html|css|scss|vue|svelte)\b/g
const sha = /(?<![\w-])(?=[a-f]*\d)(?=\d*[a-f])[0-9a-f]{7,40}(?![\w-])/g
const number = /(?<![\w.,])\d{4,18}(?!\w|[.,]\d)/g
const symbol = /(?<![\w$])[A-Za-z_$]{1,40}(?:[a-z][A-Z]|[a-z\d]_[A-Za-z\d])\w{1,60}(?!\w)/g

/**
 * URLs, paths, SHAs, numbers of four digits or more, and camelCase or snake_case names of a text, without repetition.
 */
export function identifiersOf(text: string): string[] {
  const found = new Set<string>()
  let rest = text
  for (const pattern of [url, path, sha, number, symbol]) {
    for (const [match] of rest.matchAll(pattern)) {
      // A name that another program mangled before does not count.
      if (!match.includes('REDACTED')) found.add(match.replace(/[.,:;]+$/, ''))
    }
    // A part of a URL or a path is not a separate name.
    if (pattern === url || pattern === path) rest = rest.replaceAll(pattern, ' ')
  }
  return [...found]
}

const bookkeeping = new Set(['Usage', 'Usage by agent', 'Usage by model', 'Summarizer calls', 'Notes'])

/**
 * A bundle's Markdown without what is about the bundle itself: front matter, usage, notes, event ids, counts of
 * lines, sizes of elisions.
 */
export function statementsOf(markdown: string): string {
  const body = markdown.startsWith('---\n') ? markdown.slice(markdown.indexOf('\n---\n', 4) + 5) : markdown
  const sections = body.split(/^(?=## )/m).filter((section) => {
    const title = /^## (.{1,60})$/m.exec(section.slice(0, 80))?.[1]
    return title === undefined || !bookkeeping.has(title)
  })
  return sections
    .join('')
    .replaceAll(/\[(?:unverified)?(?: ?e\d+)*\]$/gm, '')
    .replaceAll(/^- e\d+(?:-e\d+)? /gm, '- ')
    .replaceAll(/\[…\s?\d+(?: (?:tokens|chars))?(?: ?…)?\]/g, ' ')
    .replaceAll(/(?<= )\+\d+ -\d+(?= )/g, ' ')
    .replaceAll(/\| (?:added|removed|at): [\d:.TZ-]+/g, '')
    .replaceAll(/\[redacted[^\]\n]{0,60}\]/gi, ' ')
}
