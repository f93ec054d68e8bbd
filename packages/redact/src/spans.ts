/** A part of a text: UTF-16 offsets, end exclusive. */
export interface Span {
  readonly start: number
  readonly end: number
}

/** The rest of spans after other spans, sorted and disjoint, are removed. */
export function withoutSpans<T extends Span>(spans: readonly T[], holes: readonly Span[]): T[] {
  return spans.flatMap((span) => {
    const pieces: T[] = []
    let start = span.start
    for (let index = firstEndingAfter(holes, start); index < holes.length; index++) {
      const hole = holes[index] as Span
      if (hole.start >= span.end) break
      if (hole.start > start) pieces.push({ ...span, start, end: hole.start })
      start = Math.max(start, hole.end)
    }
    if (start === span.start) pieces.push(span)
    else if (start < span.end) pieces.push({ ...span, start })
    return pieces
  })
}

/** Whether a span shares a character with one of `others`, which are sorted and disjoint. */
export function meets(span: Span, others: readonly Span[]): boolean {
  const other = others[firstEndingAfter(others, span.start)]
  return other !== undefined && other.start < span.end
}

function firstEndingAfter(spans: readonly Span[], at: number): number {
  let low = 0
  let high = spans.length
  while (low < high) {
    const middle = (low + high) >> 1
    if ((spans[middle] as Span).end > at) high = middle
    else low = middle + 1
  }
  return low
}

/** Spans sorted and disjoint: those that share a character become one, which is otherwise like the best of them. */
export function joinSpans<T extends Span>(spans: readonly T[], isBetter = isLonger<T>): T[] {
  const sorted = [...spans].sort((a, b) => a.start - b.start || b.end - a.end)
  const joined: T[] = []
  let best: T | undefined
  for (const span of sorted) {
    const last = joined.at(-1)
    if (last === undefined || best === undefined || span.start >= last.end) {
      joined.push(span)
      best = span
      continue
    }
    if (isBetter(span, best)) best = span
    joined[joined.length - 1] = { ...best, start: last.start, end: Math.max(last.end, span.end) }
  }
  return joined
}

function isLonger<T extends Span>(one: T, than: T): boolean {
  return one.end - one.start > than.end - than.start
}

/** The text with each span, sorted and disjoint, replaced. */
export function replaceSpans<T extends Span>(
  text: string,
  spans: readonly T[],
  replacement: (span: T) => string,
): string {
  const parts: string[] = []
  let at = 0
  for (const span of spans) {
    parts.push(text.slice(at, span.start), replacement(span))
    at = span.end
  }
  parts.push(text.slice(at))
  return parts.join('')
}
