import type { ChangedLines, Touch } from './touch.ts'

/**
 * How many lines of a file the session added and removed, without those that it took back later. Exact if the log has
 * the lines; calls that report only numbers are added up.
 */
export interface LineCounts {
  /** By line: how often it was added, negative if removed. */
  readonly lines: Map<string, number>
  /** Of calls that report only numbers. */
  added: number
  removed: number
  hasAdded: boolean
  hasRemoved: boolean
  /** Something changed it in a way that nothing counts. */
  uncounted: boolean
  /** What changed since the last commit, so that it can be taken back. */
  since: Touch[]
}

/** Counts of a file that nothing changed yet. */
export function noCounts(): LineCounts {
  return {
    lines: new Map(),
    added: 0,
    removed: 0,
    hasAdded: false,
    hasRemoved: false,
    uncounted: false,
    since: [],
  }
}

/** Counts a touch that changes content; `isWhole` if it sets the whole content of a file that the session created. */
export function countTouch(counts: LineCounts, touch: Touch, isWhole: boolean): void {
  const { diff, added, removed } = touch
  if (isWhole && diff !== undefined) {
    counts.lines.clear()
    counts.since = []
  }
  if (added !== undefined) counts.hasAdded = true
  if (removed !== undefined) counts.hasRemoved = true
  if (diff !== undefined) addLines(counts.lines, diff, 1)
  else if (added !== undefined || removed !== undefined) {
    counts.added += added ?? 0
    counts.removed += removed ?? 0
  } else counts.uncounted = true
  counts.since.push(touch)
}

/** Takes back what was counted since the last commit. */
export function takeBack(counts: LineCounts): void {
  for (const { diff, added = 0, removed = 0 } of counts.since) {
    if (diff !== undefined) addLines(counts.lines, diff, -1)
    else {
      counts.added -= added
      counts.removed -= removed
    }
  }
  counts.since = []
}

/** Returns the sums, or nothing if they would not be all. */
export function countsOf(counts: LineCounts): { added?: number; removed?: number } {
  if (counts.uncounted) return {}
  let { added, removed } = counts
  for (const times of counts.lines.values()) {
    if (times > 0) added += times
    else removed -= times
  }
  return { ...(counts.hasAdded && { added }), ...(counts.hasRemoved && { removed }) }
}

function addLines(lines: Map<string, number>, { added, removed }: ChangedLines, sign: 1 | -1): void {
  const change = (line: string, by: number) => {
    const times = (lines.get(line) ?? 0) + by
    if (times === 0) lines.delete(line)
    else lines.set(line, times)
  }
  for (const line of added) change(line, sign)
  for (const line of removed) change(line, -sign)
}
