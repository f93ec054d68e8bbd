import type { Span } from './spans.ts'

/** A part of a text that another one stands for, or none. */
export interface Edit extends Span {
  readonly as?: string
}

/** A text in which parts are left out or replaced, with the way back to the original. */
export interface Edited {
  readonly text: string
  /** The part of the original that a part of the edited text came from. */
  original(span: Span): Span
  /** The edits inside a part of the edited text, as a range of their list. */
  inside(span: Span): readonly [first: number, last: number]
  /** Where the edited text goes on after each edit. */
  readonly seams: readonly number[]
}

/** Edits the text from one offset to another; the edits are sorted and disjoint. */
export function edited(text: string, edits: readonly Edit[], from = 0, to = text.length): Edited {
  const parts: string[] = []
  const seams: number[] = []
  let at = from
  let length = 0
  for (const { start, end, as = '' } of edits) {
    parts.push(text.slice(at, start), as)
    length += start - at + as.length
    seams.push(length)
    at = end
  }
  parts.push(text.slice(at, to))
  const offset = (index: number, before: number): number =>
    before === 0 ? from + index : edits[before - 1]!.end + index - seams[before - 1]!
  const inside = (span: Span) => [seamsUpTo(seams, span.start), seamsUpTo(seams, span.end - 1)] as const
  return {
    text: parts.join(''),
    seams,
    inside,
    original(span) {
      const [first, last] = inside(span)
      const end = offset(span.end - 1, last) + 1
      const edit = edits[last]
      const isReplaced = edit?.as !== undefined && end > edit.start
      return { start: offset(span.start, first), end: isReplaced ? edit.end : end }
    },
  }
}

/** Number of seams at or before an offset. */
function seamsUpTo(seams: readonly number[], offset: number): number {
  let low = 0
  let high = seams.length
  while (low < high) {
    const middle = (low + high) >> 1
    if (seams[middle]! > offset) high = middle
    else low = middle + 1
  }
  return low
}
