import type { SessionSummary } from '../../bundle/session-summary.ts'
import { isPartOf, type Matter, matterOf } from '../../facts/statements/same-matter.ts'
import { appendTo } from '../../session/append-to.ts'
import { type Entry, entryText, joinTwo, mapLists, uniteEvidence } from '../summary-lists.ts'

/**
 * Unites statements of a list that are views of one matter, as in parts of a session summarized separately: the most
 * complete text stays, with the evidence of all. The user's constraints and project rules are verbatim and stay.
 */
export function uniteViews(summary: SessionSummary): SessionSummary {
  return mapLists(summary, (list, key) => (key === 'constraints' ? [...list] : united(list)))
}

interface Viewed<T extends Entry> {
  readonly entry: T
  readonly matter: Matter
}

function united<T extends Entry>(list: readonly T[]): T[] {
  if (list.length < 2) return [...list]
  const views = list.map((entry): Viewed<T> => ({ entry, matter: matterOf(wholeText(entry)) }))
  const byWord = new Map<string, Viewed<T>[]>()
  for (const view of views) for (const word of view.matter.words) appendTo(byWord, word, view)
  const intoOf = new Map<Viewed<T>, Viewed<T>>()
  for (const view of views) {
    const into = wholeOf(view, rarest(view.matter, byWord), views)
    if (into !== undefined) intoOf.set(view, into)
  }
  const entries = new Map(views.map((view) => [view, view.entry]))
  const places = new Map(views.map((view, index) => [view, index]))
  // Smallest first, so that a statement has the evidence of those it absorbed before it is absorbed itself.
  for (const [view, into] of [...intoOf].sort(([a], [b]) => a.matter.words.size - b.matter.words.size)) {
    const [less, more] = [entries.get(view), entries.get(into)]
    if (less === undefined || more === undefined) continue
    entries.set(into, { ...joinTwo(less, more), evidence: uniteEvidence(less.evidence, more.evidence) })
    places.set(into, Math.min(places.get(view) ?? 0, places.get(into) ?? 0))
    entries.delete(view)
  }
  return [...entries]
    .sort(([a], [b]) => (places.get(a) ?? 0) - (places.get(b) ?? 0))
    .map(([, entry]) => entry)
}

/** Returns the entries with the statement's rarest word, since only these can include all of the statement. */
function rarest<T extends Entry>(
  { words }: Matter,
  byWord: ReadonlyMap<string, readonly Viewed<T>[]>,
): readonly Viewed<T>[] {
  return [...words].reduce<readonly Viewed<T>[]>((fewest, word) => {
    const holding = byWord.get(word) ?? []
    return fewest.length === 0 || holding.length < fewest.length ? holding : fewest
  }, [])
}

/**
 * Returns the statement that includes everything in another one; undefined if there is none, or if several different
 * ones do.
 */
function wholeOf<T extends Entry>(
  view: Viewed<T>,
  candidates: readonly Viewed<T>[],
  views: readonly Viewed<T>[],
): Viewed<T> | undefined {
  const wholes = candidates.filter(
    (other) => other !== view && isOneKind(view.entry, other.entry) && isPartOf(view.matter, other.matter),
  )
  const [largest] = wholes.toSorted((a, b) => b.matter.words.size - a.matter.words.size)
  if (largest === undefined || !wholes.every((other) => isWithin(other, largest))) return undefined
  // Of two equal ones, the later one stays.
  const isTwin = isPartOf(largest.matter, view.matter)
  return isTwin && views.indexOf(largest) < views.indexOf(view) ? undefined : largest
}

function isWithin<T extends Entry>(view: Viewed<T>, largest: Viewed<T>): boolean {
  return view === largest || isPartOf(view.matter, largest.matter)
}

/**
 * Whether two statements can be united: not a decision of the user with one of the agent, nor a done step with an open
 * one.
 */
function isOneKind(a: Entry, b: Entry): boolean {
  if ('choice' in a && 'choice' in b)
    return a.by === b.by && (a.topic === undefined) === (b.topic === undefined)
  if ('action' in a && 'action' in b && a.command !== b.command)
    return a.command === undefined || b.command === undefined
  return ('done' in a && a.done === true) === ('done' in b && b.done === true)
}

function wholeText(entry: Entry): string {
  return 'choice' in entry && entry.topic !== undefined ? `${entry.topic} ${entry.choice}` : entryText(entry)
}
