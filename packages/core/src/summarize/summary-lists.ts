import type { ContextBundle } from '../bundle/schema.ts'
import { itemsAt, type SectionPath, valueAt, withValue } from '../bundle/section.ts'
import { isStatementKey, type StatementKey, sectionEntries } from '../bundle/sections.ts'
import type { Decision, NextStep, SessionSummary, SummaryItem } from '../bundle/session-summary.ts'
import type { EventId } from '../session/event.ts'
import { eventIndex } from '../session/event.ts'

export type Entry = SummaryItem | Decision | NextStep

/** The statement lists of a summary, in the order of a bundle. */
const statementLists = sectionEntries.flatMap(([key, section]) =>
  isStatementKey(key) ? [{ key, path: section.path }] : [],
)

/** Combines the corresponding lists of two summaries. Texts and file reasons are those of the first. */
function combineLists(
  a: SessionSummary,
  b: SessionSummary,
  combine: <T extends Entry>(a: readonly T[], b: readonly T[], list: StatementKey) => T[],
): SessionSummary {
  const { plan = b.plan, progress = b.progress } = a
  const texts: SessionSummary = { ...a, ...(plan && { plan }), ...(progress && { progress }) }
  return statementLists.reduce(
    (combined, { key, path }) =>
      valueAt(combined, path) === undefined
        ? combined
        : withValue(combined, path, combine(entriesAt(a, path), entriesAt(b, path), key)),
    texts,
  )
}

/** Returns the summary with each of its lists mapped. */
export function mapLists(
  summary: SessionSummary,
  map: <T extends Entry>(list: readonly T[], key: StatementKey) => T[],
): SessionSummary {
  return combineLists(summary, summary, (list, _, key) => map(list, key))
}

/** Returns the existing lists of a summary or a bundle, by key, in order. */
export function listsOf(summary: SessionSummary | ContextBundle): [StatementKey, readonly Entry[]][] {
  return statementLists.flatMap(({ key, path }) =>
    valueAt(summary, path) === undefined ? [] : [[key, entriesAt(summary, path)]],
  )
}

function entriesAt(summary: object, path: SectionPath): readonly Entry[] {
  return itemsAt(summary, path) as readonly Entry[]
}

/** Returns the words of a statement: its text, choice or action. */
export function entryText(entry: Entry): string {
  if ('text' in entry) return entry.text
  return 'choice' in entry ? entry.choice : entry.action
}

/** Returns a key that is equal for statements that differ only in case, spacing and the full stop. */
export function sameness(entry: Entry): string {
  const plain = (text: string) =>
    text
      .normalize('NFC')
      .toLowerCase()
      .split(/\s+/)
      .join(' ')
      .replace(/[.!;]$/, '')
  return 'choice' in entry && entry.topic !== undefined
    ? `${plain(entry.topic)}\n${plain(entry.choice)}`
    : plain(entryText(entry))
}

/** Returns the events of both lists, each once, in log order. */
export function uniteEvidence(a: readonly EventId[], b: readonly EventId[]): EventId[] {
  return [...new Set([...a, ...b])].sort((x, y) => eventIndex(x) - eventIndex(y))
}

export function rulesOf(summaries: readonly SessionSummary[]): Pick<SessionSummary, 'projectRules'> {
  const rules = new Map(
    summaries.flatMap(({ projectRules = [] }) => projectRules.map((rule) => [sameness(rule), rule])),
  )
  return rules.size === 0 ? {} : { projectRules: [...rules.values()] }
}

/**
 * Adds the statements of a later summary to those of an earlier one. A repeated statement joins the old one, with the
 * evidence of both; a task moves to the list of the later summary. Texts remain those of the earlier one.
 */
export function appendStatements(earlier: SessionSummary, later: SessionSummary): SessionSummary {
  const places = placesOf(earlier, later)
  return combineLists(earlier, later, (a, b, list) => {
    const joined = joinEntries(a, b)
    const tasks = taskGroups.find((group) => group.includes(list))
    if (tasks === undefined) return joined
    return joined.flatMap((entry) => {
      const place = places.get(placeKey(tasks, entry))
      return place?.list === list ? [{ ...entry, evidence: place.evidence }] : []
    })
  })
}

/** Lists that a task moves along. If one summary has it in several, the first one counts. */
const taskGroups: readonly (readonly StatementKey[])[] = [
  ['tasksCompleted', 'tasksRemaining'],
  ['completed', 'inProgress', 'remaining'],
]

const placeKey = (group: readonly StatementKey[], entry: Entry) => `${group[0]}\n${sameness(entry)}`

function placesOf(
  earlier: SessionSummary,
  later: SessionSummary,
): Map<string, { list: StatementKey; evidence: EventId[] }> {
  const places = new Map<string, { list: StatementKey; evidence: EventId[] }>()
  for (const summary of [later, earlier]) {
    const lists = new Map(listsOf(summary))
    for (const group of taskGroups)
      for (const list of group)
        for (const entry of lists.get(list) ?? []) {
          const key = placeKey(group, entry)
          const place = places.get(key)
          places.set(key, {
            list: place?.list ?? list,
            evidence: uniteEvidence(place?.evidence ?? [], entry.evidence),
          })
        }
  }
  return places
}

/**
 * Joins two lists without repetition. A repeated statement keeps its first position, but a decision that was overruled
 * in between moves to its last.
 */
export function joinEntries<T extends Entry>(a: readonly T[], b: readonly T[]): T[] {
  const joined = new Map<string, T>()
  for (const entry of [...a, ...b]) {
    const key = sameness(entry)
    const before = joined.get(key)
    if (before !== undefined && isOverruled(before, joined)) joined.delete(key)
    joined.set(key, before === undefined ? entry : joinTwo(before, entry))
  }
  return [...joined.values()]
}

function isOverruled(entry: Entry, entries: ReadonlyMap<string, Entry>): boolean {
  if (!('choice' in entry) || entry.topic === undefined) return false
  const last = [...entries.values()].findLast((other) => 'choice' in other && sameTopic(other, entry))
  return last !== entry
}

function sameTopic(a: Decision, b: Decision): boolean {
  return sameness({ text: a.topic ?? '', evidence: [] }) === sameness({ text: b.topic ?? '', evidence: [] })
}

/** Joins two equal statements in the words of the second. The result is unverified only if both are. */
export function joinTwo<T extends Entry>(before: T, after: T): T {
  const { unverified: _, ...joined } = { ...before, ...after }
  const evidence = uniteEvidence(before.evidence, after.evidence)
  const doubt = before.unverified && after.unverified ? { unverified: true as const } : {}
  if (!('choice' in before && 'choice' in after)) return { ...joined, evidence, ...doubt } as T
  return {
    ...joined,
    alternatives: [...new Set([...before.alternatives, ...after.alternatives])],
    by: before.by === 'user' ? 'user' : after.by,
    evidence,
    ...doubt,
  } as unknown as T
}
