/** File names that occur in many folders and identify a file only together with their folder. */
const genericName =
  /^(?:index|main|mod|lib|test|tests|types|utils?|config|setup|helpers?|page|route|layout|app|doc|cli)\.\w{1,5}$|^(?:__init__\.py|readme\.\w+|changelog\.md|license|package(?:-lock)?\.json|tsconfig\.json|cargo\.toml|go\.(?:mod|sum)|pyproject\.toml|makefile|dockerfile|skill\.md|\.gitignore)$/

/** A text to search for facts: lower-cased, as a whole and by statement. */
export interface MatchText {
  readonly lower: string
  /** Lines; of a line over 400 characters, the first 300 and the last 100. */
  readonly statements: readonly string[]
}

/** Prepares a text for many searches. */
export function matchText(text: string): MatchText {
  const lower = text.toLowerCase()
  const statements = lower
    .split('\n')
    .map((line) => (line.length > 400 ? `${line.slice(0, 300)} ${line.slice(-100)}` : line))
    .filter((line) => line.trim() !== '')
  return { lower, statements }
}

const word = /[\p{L}\p{N}_]/u
const pathBefore = /[\p{L}\p{N}_.-]/u
const pathAfter = /[\p{L}\p{N}_-]/u

/** Whether the lower-cased term occurs in the text, but not inside a longer word. */
export function hasTerm(lower: string, term: string): boolean {
  if (term === '') return false
  const open = !word.test(term[0] ?? '')
  const shut = !word.test(term.at(-1) ?? '')
  return hasAt(lower, term, (from, to) => {
    if (!open && from > 0 && word.test(lower[from - 1] ?? '')) return false
    return shut || to >= lower.length || !word.test(lower[to] ?? '')
  })
}

/**
 * The lower-cased keys to search for a path: its name, with its folder if the name is ambiguous. For an ambiguous file
 * in the session's folder (`cwd`), the key is `./name`, which also matches the name without a folder before it.
 */
export function pathKeys(path: string, ambiguous: ReadonlySet<string> = new Set(), cwd?: string): string[] {
  const parts = path.toLowerCase().replaceAll('\\', '/').split('/').filter(Boolean)
  const name = parts.at(-1) ?? ''
  if (!genericName.test(name) && !ambiguous.has(name)) return [name]
  const isRoot =
    cwd !== undefined &&
    parts.slice(0, -1).join('/') === cwd.toLowerCase().split('/').filter(Boolean).join('/')
  return [parts.slice(-2).join('/'), ...(isRoot ? [`./${name}`] : [])]
}

/** Lower-cased names that more than one of the paths has. */
export function ambiguousNames(paths: readonly string[]): Set<string> {
  const byName = new Map<string, Set<string>>()
  for (const path of paths) {
    const name = path.toLowerCase().split('/').at(-1) ?? ''
    byName.set(name, (byName.get(name) ?? new Set()).add(path.toLowerCase()))
  }
  return new Set([...byName].flatMap(([name, same]) => (same.size > 1 ? [name] : [])))
}

/** Whether the text names the file by one of its keys (see {@link pathKeys}). */
export function hasPath(lower: string, keys: readonly string[]): boolean {
  return keys.some((key) => hasKey(lower, key))
}

function hasKey(lower: string, key: string): boolean {
  const atRoot = key.startsWith('./')
  const name = atRoot ? key.slice(2) : key
  if (name === '') return false
  return hasAt(lower, name, (from, to) => {
    const before = lower[from - 1] ?? ' '
    if (atRoot && before === '/')
      return lower.slice(from - 2, from) === './' && !word.test(lower[from - 3] ?? ' ')
    if (pathBefore.test(before)) return false
    const next = lower[to] ?? ' '
    if (pathAfter.test(next)) return false
    return next !== '.' || !word.test(lower[to + 1] ?? ' ')
  })
}

/** Whether a statement contains the words of a command (`npm test`) in order. */
export function hasCommand(statement: string, command: string): boolean {
  let rest = statement
  for (const part of command.toLowerCase().split(' ')) {
    if (!hasTerm(rest, part)) return false
    rest = rest.slice(rest.indexOf(part) + part.length)
  }
  return true
}

function hasAt(text: string, needle: string, fits: (from: number, to: number) => boolean): boolean {
  for (let at = text.indexOf(needle); at !== -1; at = text.indexOf(needle, at + 1))
    if (fits(at, at + needle.length)) return true
  return false
}
