import type { TranscriptItem } from '../transcript-item.ts'

/** What a thought must name to count: a failure, or an option that was turned down. */
const names =
  /\b(?:errors?|fail(?:s|ed|ing|ure)?|exception|broken|instead of|rather than|reject(?:s|ed)?|(?:won't|doesn't|didn't|not) work|not an option|decid(?:e|ed)|decision)\b/i

/** Shorter runs are read. */
const minRun = 3

/**
 * Positions of the thoughts within a run of thoughts that name neither a failure nor an option that was turned down: the
 * first and the last one of a run say what it came from and what it came to.
 */
export function idleThoughts(items: readonly TranscriptItem[]): Set<number> {
  const idle = new Set<number>()
  let start = 0
  for (let end = 1; end <= items.length; end++) {
    const first = items[start]
    const next = items[end]
    if (first?.type === 'reasoning' && next?.type === 'reasoning' && next.agent === first.agent) continue
    if (first?.type === 'reasoning' && end - start >= minRun)
      for (let at = start + 1; at < end - 1; at++) if (!names.test(items[at]?.text ?? '')) idle.add(at)
    start = end
  }
  return idle
}
