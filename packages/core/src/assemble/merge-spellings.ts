import type { Identifier } from '../facts/facts.ts'
import { appendTo } from '../session/append-to.ts'
import { eventIndex } from '../session/event.ts'

/** A name of the log with all its spellings: a file has one for each folder that it is named from. */
export interface NamedThing extends Pick<Identifier, 'kind' | 'text' | 'count' | 'last'> {
  readonly spellings: readonly string[]
}

/**
 * Joins the spellings of each file (`/home/dev/orbit/src/cache.ts`, `src/cache.ts`, `cache.ts`) to one name, the shortest
 * that says which file it is. Everything else keeps its text. Takes time in proportion to the identifiers.
 */
export function mergeSpellings(identifiers: Iterable<Identifier>, cwd: string | undefined): NamedThing[] {
  const others: NamedThing[] = []
  const byName = new Map<string, Map<string, Identifier[]>>()
  for (const identifier of identifiers) {
    const { kind, count, last } = identifier
    const path = withoutFolder(identifier.text, cwd)
    const name = kind === 'path' ? fileName(path) : undefined
    if (name === undefined) {
      others.push({ kind, text: path, count, last, spellings: [identifier.text] })
      continue
    }
    // `a/` and `b/` are the two sides of a diff.
    const spelling = path.replace(/^[ab]\/(?=.*\/)|^\.\//, '')
    const same = byName.get(name) ?? new Map<string, Identifier[]>()
    appendTo(same, spelling, identifier)
    byName.set(name, same)
  }
  return [...others, ...[...byName].flatMap(([name, spellings]) => filesNamed(name, spellings))]
}

/** No identifier has characters that a line cannot show. */
function withoutFolder(text: string, folder: string | undefined): string {
  return folder !== undefined && text.startsWith(`${folder}/`) ? text.slice(folder.length + 1) : text
}

/** The name of a file with an extension, undefined for folders and everything else. */
function fileName(path: string): string | undefined {
  const name = path.slice(path.lastIndexOf('/') + 1)
  return /^[^\\]{2,80}\.\w{1,12}$/.test(name) ? name : undefined
}

function filesNamed(name: string, spellings: ReadonlyMap<string, readonly Identifier[]>): NamedThing[] {
  const paths = [...spellings.keys()].sort((a, b) => b.length - a.length)
  const [longest = name] = paths
  const isOne = paths.every((path) => path === longest || longest.endsWith(`/${path}`))
  if (!isOne || paths.length > mostSpellings)
    return paths.map((path) => joined(shortPath(path), spellings.get(path) ?? []))
  return [joined(isTelling(name) ? name : shortPath(longest), [...spellings.values()].flat())]
}

/** More are different files of one name. */
const mostSpellings = 20

/** Short names (`index.ts`, `state.go`) say little without their folder. */
function isTelling(name: string): boolean {
  return name.slice(0, name.lastIndexOf('.')).length > 7
}

/** A path from its last folder on, or as it is if that is short. */
function shortPath(path: string): string {
  return path.split('/').length <= 3 ? path : path.split('/').slice(-3).join('/')
}

function joined(text: string, all: readonly Identifier[]): NamedThing {
  const last = all.reduce(
    (latest, { last }) => (eventIndex(last) > eventIndex(latest) ? last : latest),
    all[0]?.last ?? 'e1',
  )
  return {
    kind: 'path',
    text,
    count: all.reduce((sum, { count }) => sum + count, 0),
    last,
    spellings: all.map(({ text: spelling }) => spelling),
  }
}
