import type { SearchEntry } from './search-entry.ts'
import { hasWordsOnly, type RankedEntry } from './search-log.ts'
import type { SearchableLog } from './searchable-log.ts'

export interface FoundEntry extends RankedEntry {
  readonly bundle?: string | undefined
  /** Events of the same agent directly before and after the entry, and the request and last answer of its turn. */
  readonly near: {
    readonly before: readonly SearchEntry[]
    readonly after: readonly SearchEntry[]
    readonly request?: SearchEntry | undefined
    readonly answer?: SearchEntry | undefined
  }
}

export function foundIn({ log, entries }: SearchableLog, ranked: RankedEntry, context: number): FoundEntry {
  const { entry, at } = ranked
  const lastOf = (kind: SearchEntry['kind']): SearchEntry | undefined => {
    if (!hasWordsOnly(ranked)) return undefined
    const last = entries.findLast((each) => each.kind === kind && isOfTurn(each, entry) && each.text !== '')
    return last === entry ? undefined : last
  }
  const ofTurn = { request: lastOf('user'), answer: lastOf('assistant') }
  return { ...ranked, bundle: log.bundle, near: { ...neighboursOf(entries, at, context), ...ofTurn } }
}

function isOfTurn(one: SearchEntry, { agent, turn }: SearchEntry): boolean {
  return one.agent === agent && one.turn === turn
}

/**
 * Moves the best match of each turn to the front, if matched by words alone: the others repeat its topic, as copies of
 * a log do.
 */
export function oneOfTurn(found: readonly FoundEntry[]): FoundEntry[] {
  const seen = new Set<string>()
  const isFirst = (each: FoundEntry): boolean => {
    const { agent, turn, text } = each.entry
    const keys = [text, `${each.bundle} ${agent} ${turn}`]
    const fresh = !hasWordsOnly(each) || !keys.some((key) => seen.has(key))
    for (const key of keys) seen.add(key)
    return fresh
  }
  const [first, others] = [[], []] as [FoundEntry[], FoundEntry[]]
  for (const each of found) (isFirst(each) ? first : others).push(each)
  return [
    ...first,
    ...others.map((each) => ({ ...each, near: { ...each.near, request: undefined, answer: undefined } })),
  ]
}

/** Matches of a log that are kept per hit, since several may be of one turn. */
export const keptPerHit = 4

function neighboursOf(entries: readonly SearchEntry[], at: number, count: number) {
  const agent = entries[at]?.agent
  const walk = (step: 1 | -1): SearchEntry[] => {
    const found: SearchEntry[] = []
    for (let next = at + step; found.length < count; next += step) {
      const entry = entries[next]
      if (entry === undefined) break
      if (entry.agent === agent && entry.text !== '') found.push(entry)
    }
    return found
  }
  return { before: walk(-1).reverse(), after: walk(1) }
}
