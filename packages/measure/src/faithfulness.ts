import { atOnce, type Steps } from '@tenfold/core/internal'
import { type Score, scoring, someOf } from './score.ts'

/** How many of a text's identifiers occur literally in the log, which comes from `sessionLines`. */
export function* faithfulness(statements: string, log: readonly string[]): Steps<Score> {
  return yield* scoring(
    yield* findingIdentifiers(statements),
    (name) => isIn(log, name.replace(/^(?:~|\.{1,2})\//, '')),
    (name) => name,
  )
}

/** A path joined from a folder and a path below it counts if both parts occur. */
function* isIn(log: readonly string[], name: string): Steps<boolean> {
  const occurs = (part: string) => someOf(log, (text) => occursIn(text, part))
  if (yield* occurs(name)) return true
  const parts = name.includes('://') ? [] : name.split('/')
  for (let at = 2; at < parts.length; at++)
    if ((yield* occurs(parts.slice(0, at).join('/'))) && (yield* occurs(parts.slice(at).join('/'))))
      return true
  return false
}

const inside = /[A-Za-z0-9_]/

function occursIn(text: string, name: string): boolean {
  for (let at = text.indexOf(name); at !== -1; at = text.indexOf(name, at + 1)) {
    const before = text[at - 1] ?? ' '
    const after = text[at + name.length] ?? ' '
    // In escaped text, a name may follow the letter of `\n`, `\r` or `\t`.
    const starts = !inside.test(before) || (/[nrt]/.test(before) && text[at - 2] === '\\')
    if (starts && !inside.test(after)) return true
  }
  return false
}

const url = /https?:\/\/[^\s<>"'`)\]}|\\]{4,300}/g
const path =
  /(?:[\w.@~-]{1,80}\/){1,20}[\w.@-]{1,80}\.[A-Za-z]\w{0,5}\b|(?<![\w./-])[\w-]{2,60}\.(?:tsx?|jsx?|mjs|cjs|py|go|rs|java|kt|rb|php|cs|cpp|hpp|swift|sh|sql|md|json|ya?ml|toml|html|css|scss|vue|svelte)\b/g
const sha = /(?<![\w-])(?=[a-f]*\d)(?=\d*[a-f])[0-9a-f]{7,40}(?![\w-])/g
const number = /(?<![\w.,])\d{4,18}(?!\w|[.,]\d)/g
const symbol = /(?<![\w$])[A-Za-z_$]{1,40}(?:[a-z][A-Z]|[a-z\d]_[A-Za-z\d])\w{1,60}(?!\w)/g

/** The distinct URLs, paths, SHAs, numbers of four or more digits, and camelCase or snake_case names in a text. */
export function identifiersOf(text: string): string[] {
  return atOnce(findingIdentifiers(text))
}

function* findingIdentifiers(text: string): Steps<string[]> {
  const found = new Set<string>()
  for (const line of text.split('\n')) {
    yield
    let rest = line
    for (const pattern of [url, path, sha, number, symbol]) {
      for (const [match] of rest.matchAll(pattern)) {
        // A name that another program redacted does not count.
        if (!match.includes('REDACTED')) found.add(match.replace(/[.,:;]+$/, ''))
      }
      // Part of a URL or a path is not a separate name.
      if (pattern === url || pattern === path) rest = rest.replaceAll(pattern, ' ')
    }
  }
  return [...found]
}

const bookkeeping = new Set(['Usage', 'Usage by agent', 'Usage by model', 'Summarizer calls', 'Notes'])

/**
 * A bundle's Markdown without the parts about the bundle itself: front matter, usage, notes, event ids, line counts and
 * sizes of elisions.
 */
export function* statementsOf(markdown: string): Steps<string> {
  const body = markdown.startsWith('---\n') ? markdown.slice(markdown.indexOf('\n---\n', 4) + 5) : markdown
  const kept = body.split(/^(?=## )/m).filter((section) => {
    const title = /^## (.{1,60})$/m.exec(section.slice(0, 80))?.[1]
    return title === undefined || !bookkeeping.has(title)
  })
  const lines: string[] = []
  for (const line of kept.join('').split('\n')) {
    yield
    lines.push(
      line
        .replace(/\[(?:unverified)?(?: ?e\d+)*\]$/, '')
        .replace(/^- e\d+(?:-e\d+)? /, '- ')
        .replaceAll(/\[…\s?\d+(?: (?:tokens|chars))?(?: ?…)?\]/g, ' ')
        .replaceAll(/(?<= )\+\d+ -\d+(?= )/g, ' ')
        .replaceAll(/\| (?:added|removed|at): [\d:.TZ-]+/g, '')
        .replaceAll(/\[redacted[^\]\n]{0,60}\]/gi, ' '),
    )
  }
  return lines.join('\n')
}
