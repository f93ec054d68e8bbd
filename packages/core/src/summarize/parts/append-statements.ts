import type { StatementKey } from '../../bundle/sections.ts'
import type { Decision, SessionSummary } from '../../bundle/session-summary.ts'
import type { EventId } from '../../session/event.ts'
import { combineLists, type Entry, listsOf, sameness, uniteEvidence } from '../summary-lists.ts'

/**
 * Adds the statements of a later summary to those of an earlier one. A repeated statement joins the old one, with
 * evidence united; a task is only in the list that the later summary has it in. Texts remain those of the earlier one.
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

/** Lists that a task moves along. If one summary has it in several, the first of these holds. */
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
 * Joins both lists without repetition: a repeated statement keeps its first position, a decision that was overruled
 * since its last.
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

/** Joins two statements that say the same, in the words of the second. The result is doubtful only if both are. */
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
