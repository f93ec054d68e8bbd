import type { StatementKey } from '../../bundle/sections.ts'
import type { SessionSummary } from '../../bundle/session-summary.ts'
import { isPartOf, type Matter, matterOf } from '../../facts/statements/same-matter.ts'
import { appendTo } from '../../session/append-to.ts'
import { eventIndex } from '../../session/event.ts'
import { type Entry, entryText, joinTwo, listsOf, mapLists, uniteEvidence } from '../summary-lists.ts'

/**
 * Unites statements of one list that are views of one matter, as parts of a session that were summarized alone have
 * them: the most complete text stays, with the evidence of all. A problem that a later statement calls solved is no
 * longer open. The user's constraints and project rules are verbatim and stay.
 */
export function uniteViews(summary: SessionSummary): SessionSummary {
  return withoutSolved(mapLists(summary, (list, key) => (key === 'constraints' ? [...list] : united(list))))
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
  // The smallest first, so that what they join has their evidence when it joins another.
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

/** The entries that hold the word of a statement that fewest have: only these can say all of it. */
function rarest<T extends Entry>(
  { words }: Matter,
  byWord: ReadonlyMap<string, readonly Viewed<T>[]>,
): readonly Viewed<T>[] {
  return [...words].reduce<readonly Viewed<T>[]>((fewest, word) => {
    const holding = byWord.get(word) ?? []
    return fewest.length === 0 || holding.length < fewest.length ? holding : fewest
  }, [])
}

/** The statement that says all of another one; undefined if there is none, or if several that differ do. */
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
  // Of two that say the same, the later one stays.
  const isTwin = isPartOf(largest.matter, view.matter)
  return isTwin && views.indexOf(largest) < views.indexOf(view) ? undefined : largest
}

function isWithin<T extends Entry>(view: Viewed<T>, largest: Viewed<T>): boolean {
  return view === largest || isPartOf(view.matter, largest.matter)
}

/** Whether two statements can be one: what the user decided is not the agent's, and a step done is not one to do. */
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

/** Lists of what is done, and of what is open until it is. */
const doneLists: readonly StatementKey[] = ['tasksCompleted', 'completed']
const problemLists: readonly StatementKey[] = ['blockers', 'risks']
const taskLists: readonly StatementKey[] = ['tasksRemaining', 'inProgress', 'remaining', 'nextSteps']

/** Leaves out tasks that were done later, and problems that a later statement calls solved. */
function withoutSolved(summary: SessionSummary): SessionSummary {
  const lists = new Map(listsOf(summary))
  const done = doneLists.flatMap((key) => lists.get(key) ?? []).map(viewOf)
  const told = [...done, ...(lists.get('findings') ?? []).map(viewOf)]
  const solutions = told.filter(({ text, matter }) => mends.test(text) && (matter.solved || isTask(text)))
  const evidence = new Map<Entry, Entry['evidence']>()
  const isClosed = (entry: Entry, key: StatementKey): boolean => {
    const view = viewOf(entry)
    const by = problemLists.includes(key)
      ? solutions.find((other) => isLater(other.entry, entry) && solves(other, view))
      : done.find((other) => isLater(other.entry, entry) && isPartOf(open(view.matter), open(other.matter)))
    if (by === undefined) return false
    evidence.set(by.entry, uniteEvidence(evidence.get(by.entry) ?? by.entry.evidence, entry.evidence))
    return true
  }
  const kept = mapLists(summary, (list, key) =>
    problemLists.includes(key) || taskLists.includes(key)
      ? list.filter((entry) => !isClosed(entry, key))
      : [...list],
  )
  if (evidence.size === 0) return summary
  return mapLists(kept, (list) =>
    list.map((entry) => ({ ...entry, evidence: [...(evidence.get(entry) ?? entry.evidence)] })),
  )
}

interface Told {
  readonly entry: Entry
  readonly text: string
  readonly matter: Matter
}

function viewOf(entry: Entry): Told {
  const text = wholeText(entry)
  return { entry, text, matter: matterOf(text) }
}

const mends =
  /\b(?:fix|fixes|fixed|solved?|solves|resolved?|resolves|repair(?:s|ed)?|correct(?:s|ed)|mend(?:s|ed)?|patch(?:es|ed)?|unblock(?:s|ed)?)\b/i

/** "Fix the login", in a list of done tasks, says that it is solved. */
function isTask(text: string): boolean {
  return /^(?:fix|solve|resolve|repair|mend|patch|unblock)\b/i.test(text)
}

function solves({ text }: Told, problem: Told): boolean {
  // How it was solved is nothing of the problem.
  const [what = ''] = text.split(/\s(?:by|with|via|through|using)\s/, 1)
  const [mended, broken] = [open(matterOf(what)), open(problem.matter)]
  return isPartOf(mended, broken) || isPartOf(broken, mended)
}

/** A matter without the words that only say whether it is solved. */
function open(matter: Matter): Matter {
  const bare = (words: Iterable<string>) => [...words].filter((word) => !mendingStems.test(word))
  return { ...matter, words: new Set(bare(matter.words)), head: new Set(bare(matter.head)), solved: false }
}

const mendingStems = /^(?:fix|solv|resolv|repair|correct|mend|patch|unblock|work|pass|green)(?:e[sd]?|ed|s)?$/

function isLater(a: Entry, b: Entry): boolean {
  const newest = ({ evidence }: Entry): number => Math.max(-1, ...evidence.map(eventIndex))
  return newest(a) > newest(b)
}
