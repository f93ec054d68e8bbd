import type { ContextBundle } from '../bundle/schema.ts'
import { itemsAt, type SectionPath, valueAt, withValue } from '../bundle/section.ts'
import { type StatementKey, sectionEntries } from '../bundle/sections.ts'
import type { Decision, NextStep, SessionSummary, SummaryItem } from '../bundle/session-summary.ts'
import type { EventId } from '../session/event.ts'
import { eventIndex } from '../session/event.ts'

/** A statement of a summary, from any of its lists. */
export type Entry = SummaryItem | Decision | NextStep

/** The lists of a summary, in the order of a bundle. */
const statementLists = sectionEntries.flatMap(([key, section]) =>
  'statement' in section ? [{ key: key as StatementKey, path: section.path }] : [],
)

/** Combines each list of two summaries. Texts and file reasons are those of the first. */
export function combineLists(
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

/** Returns all lists that a summary, or a bundle, has, by their keys, in order. */
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

/** Returns a key that is the same for statements that differ only in case, spacing and the full stop. */
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

/** Returns the events of both, each once, in log order. */
export function uniteEvidence(a: readonly EventId[], b: readonly EventId[]): EventId[] {
  return [...new Set([...a, ...b])].sort((x, y) => eventIndex(x) - eventIndex(y))
}

/** Returns the project rules that any of the summaries picked, each once. */
export function rulesOf(summaries: readonly SessionSummary[]): Pick<SessionSummary, 'projectRules'> {
  const rules = new Map(
    summaries.flatMap(({ projectRules = [] }) => projectRules.map((rule) => [sameness(rule), rule])),
  )
  return rules.size === 0 ? {} : { projectRules: [...rules.values()] }
}
