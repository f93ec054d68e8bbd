import type { TranscriptItem } from '../plan/transcript-item.ts'
import type { SummarizedPart } from './parts/merge-summaries.ts'
import type { SummarizerFailure } from './summarizer-error.ts'

/** Items of a transcript that one summarizer failed on. */
export interface FailedRange {
  readonly summarizer: string
  readonly reason: SummarizerFailure
  readonly start: number
  readonly end: number
}

/** Items of a transcript that one summarizer summarized. */
export interface WrittenRange {
  readonly summarizer: string
  /** Position in the chain. */
  readonly level: number
  readonly start: number
  readonly end: number
}

/** Maximum number of ranges that are named; the others are counted. */
const maxRanges = 4

/**
 * Says in one line which parts another summarizer than the first wrote, and why: `anthropic: refused e100-e240;
 * extractive wrote that part`. Undefined if the first wrote all.
 */
export function fallbackLine(
  items: readonly TranscriptItem[],
  failed: readonly FailedRange[],
  written: readonly WrittenRange[],
): string | undefined {
  const others = written.filter(({ level }) => level > 0)
  if (others.length === 0) return undefined
  const isWhole = (ranges: readonly Range[]) => ranges.length === 1 && isAll(ranges[0], items)
  const failures = groupBy(failed, ({ summarizer, reason }) => `${summarizer}: ${reason}`).map(
    ([who, ranges]) => (isWhole(ranges) ? who : `${who} ${named(ranges, items)}`),
  )
  const writers = groupBy(others, ({ summarizer }) => summarizer)
  const wrote = writers.map(([who, ranges]) => {
    if (isWhole(ranges)) return `${who} wrote the whole`
    if (writers.length > 1) return `${who} wrote ${named(ranges, items)}`
    return `${who} wrote ${ranges.length === 1 ? 'that part' : 'those parts'}`
  })
  return [...failures, ...wrote].join('; ')
}

type Range = Pick<WrittenRange, 'start' | 'end'>

function isAll(range: Range | undefined, items: readonly TranscriptItem[]): boolean {
  return range !== undefined && range.start === 0 && range.end === items.length
}

/** Ranges by key, in order of first appearance; adjacent ones are joined. */
function groupBy<T extends Range>(ranges: readonly T[], keyOf: (range: T) => string): [string, Range[]][] {
  const groups = new Map<string, Range[]>()
  for (const range of ranges.toSorted((a, b) => a.start - b.start)) {
    const key = keyOf(range)
    const group = groups.get(key) ?? []
    const last = group.at(-1)
    if (last !== undefined && last.end >= range.start)
      group[group.length - 1] = { start: last.start, end: Math.max(last.end, range.end) }
    else group.push({ start: range.start, end: range.end })
    groups.set(key, group)
  }
  return [...groups]
}

function named(ranges: readonly Range[], items: readonly TranscriptItem[]): string {
  const names = ranges.slice(0, maxRanges).map(({ start, end }) => {
    const { first, last } = eventsOf(items.slice(start, end))
    return first === last ? first : `${first}-${last}`
  })
  const more = ranges.length - names.length
  return `${names.join(', ')}${more > 0 ? ` and ${more} more` : ''}`
}

/** Returns the first and last event that items cover; `e1` for no items. */
export function eventsOf(items: readonly TranscriptItem[]): Pick<SummarizedPart, 'first' | 'last'> {
  const first = items[0]?.event ?? 'e1'
  const end = items.at(-1)
  return { first, last: end?.until ?? end?.event ?? first }
}
