import type { TranscriptItem } from '../plan/transcript-item.ts'
import type { EventId } from '../session/event.ts'
import { known } from '../session/known.ts'
import type { Note } from '../session/note.ts'
import { joined, type Range } from './parts/summarize-parts.ts'
import type { PartFailure, Piece } from './parts/summarize-transcript.ts'
import type { Summarizer } from './summarizer.ts'

/** Returns the summarizer of the largest part; among equal ones, the first in the chain. */
export function authorOf(pieces: readonly Piece[]): {
  readonly summarizer: string
  readonly model?: string
  readonly promptVersion?: string
} {
  const tokens = new Map<Summarizer, number>()
  for (const { summarizer, part } of pieces.toSorted((a, b) => a.level - b.level))
    tokens.set(summarizer, (tokens.get(summarizer) ?? 0) + part.tokens)
  const [[author] = []] = [...tokens].sort((a, b) => b[1] - a[1])
  const versions = pieces.map(({ summarizer, answer }) =>
    summarizer === author ? answer.promptVersion : undefined,
  )
  const promptVersion = versions.find((version) => version !== undefined)
  return { summarizer: author?.name ?? '', ...known({ model: author?.model, promptVersion }) }
}

/**
 * Describes in one line which parts a summarizer other than the first wrote, and why: `anthropic: refused e100-e240;
 * extractive wrote that part`. Undefined if the first wrote all.
 */
export function fallbackLine(
  items: readonly TranscriptItem[],
  failures: readonly PartFailure[],
  pieces: readonly Piece[],
): string | undefined {
  const others = pieces.filter(({ level }) => level > 0)
  if (others.length === 0) return undefined
  const reasons = rangesBy(failures, ({ summarizer, error }) => `${summarizer.name}: ${error.reason}`)
  const writers = rangesBy(others, ({ summarizer }) => summarizer.name)
  const isWhole = (ranges: readonly Range[]) =>
    ranges.length === 1 && ranges[0]?.start === 0 && ranges[0].end === items.length
  const wrote = (ranges: readonly Range[]) => {
    if (isWhole(ranges)) return 'the whole'
    if (writers.size > 1) return named(ranges, items)
    return ranges.length === 1 ? 'that part' : 'those parts'
  }
  return [
    ...[...reasons].map(([why, ranges]) => (isWhole(ranges) ? why : `${why} ${named(ranges, items)}`)),
    ...[...writers].map(([who, ranges]) => `${who} wrote ${wrote(ranges)}`),
  ].join('; ')
}

/** Ranges by key, in order of first appearance; adjacent ones are joined. */
function rangesBy<T extends { readonly part: Range }>(
  parts: readonly T[],
  keyOf: (part: T) => string,
): Map<string, Range[]> {
  const groups = new Map<string, Range[]>()
  for (const one of parts.toSorted((a, b) => a.part.start - b.part.start)) {
    const group = groups.get(keyOf(one)) ?? []
    groups.set(keyOf(one), joined([...group, one.part]))
  }
  return groups
}

/** Maximum number of ranges that are named; the others are counted. */
const maxRanges = 4

function named(ranges: readonly Range[], items: readonly TranscriptItem[]): string {
  const names = ranges.slice(0, maxRanges).map(({ start, end }) => {
    const { first, last } = eventsOf(items.slice(start, end))
    return first === last ? first : `${first}-${last}`
  })
  const more = ranges.length - names.length
  return `${names.join(', ')}${more > 0 ? ` and ${more} more` : ''}`
}

/** Returns the first and last event of the items; `e1` without items. */
export function eventsOf(items: readonly TranscriptItem[]): Record<'first' | 'last', EventId> {
  const first = items[0]?.event ?? 'e1'
  const end = items.at(-1)
  return { first, last: end?.until ?? end?.event ?? first }
}

export function failureNotes(failures: readonly PartFailure[]): Note[] {
  const counts = new Map<string, number>()
  for (const { error } of failures) counts.set(error.message, (counts.get(error.message) ?? 0) + 1)
  return [...counts].map(([message, count]) => ({
    code: 'summarizer-failed',
    message,
    ...(count > 1 && { count }),
  }))
}
