import { segmentsOf } from '../plan/condense.ts'
import type { TokenCounter } from '../tokens/token-counter.ts'

/** A text of a brief, in pieces that may be shown without the others: `…` stands for those between them. */
export interface Passage {
  readonly pieces: readonly string[]
  /** Writes the passage with the text of the pieces that are shown. */
  readonly write: (text: string) => string
  /** Tokens that it takes beside its pieces. */
  readonly frame: number
  readonly isLong?: boolean
  /** Whether it is what a tool printed, and no words. */
  readonly isOutput?: boolean
}

/** The pieces of a passage that are shown, by their positions; one that another text says is empty. */
export type Shown = ReadonlyMap<number, string>

/** One piece of a passage, by its position in it. */
export interface Unit {
  readonly passage: Passage
  readonly piece: number
}

/** Tokens of the mark of a gap. */
const gapTokens = 1

/** A fence, a rule, the border of a table, what harnesses put behind a plan and a report. */
export const empty =
  /^[>\s]*(?:```\w*|[|:*_#=…\s-]*|If you need specific details from before .*|<\/?usage>.*|\w+_\w+: \d+)\s*$/

/** Words that only announce what follows. */
export const leadIn = /:[*_]{0,2}\s*$|^[>\s]*#{1,6} /

/** Longest piece in characters: of a longer one no part could be left out. */
const longPiece = 420

/** A line of a list, whole unless it is very long. */
export function linePassage(line: string, isText = false): Passage {
  const isLong = isText || line.length > longPiece
  return {
    pieces: isLong || line.includes('\n') ? piecesOf(line) : [line],
    isLong,
    write: (shown) => shown.replace(/\s*\n/g, '\n'),
    frame: 1,
  }
}

/**
 * Sentences and lines of a text, each with the white space after it. Long ones are split between words, but never inside
 * quotes or backquotes: half a command or value would be a wrong one.
 */
export function piecesOf(text: string, longFirst = longPiece): string[] {
  return withWholeRows(segmentsOf(text)).flatMap((segment, at) => {
    const most = at > 0 ? longPiece : longFirst
    return segment.length <= most ? [segment] : clauses(segment, most)
  })
}

/** Segments with those of one row of a table joined: its cells say nothing without each other. */
function withWholeRows(segments: readonly string[]): string[] {
  const joined: string[] = []
  for (const segment of segments) {
    const last = joined.at(-1)
    if (last?.startsWith('|') && !last.endsWith('\n')) joined[joined.length - 1] = last + segment
    else joined.push(segment)
  }
  return joined
}

// A quoted span without white space at its ends, an option with its value, or one word, each with the space after it.
export const word =
  /(?:`[^`]{1,400}`|"[^"\s](?:[^"]{0,400}[^"\s])?"|'[^'\s](?:[^']{0,400}[^'\s])?'(?!\w)|(?<!\S)--?[\w-]{1,60}[ =][^\s-]\S{0,400}|\S)\S{0,400}\s*|\s+/gy

/** A segment in pieces of whole words. */
function clauses(segment: string, most: number): string[] {
  const pieces: string[] = []
  let piece = ''
  for (const [next] of segment.matchAll(word)) {
    if (piece !== '' && piece.length + next.length > most) {
      pieces.push(piece)
      piece = ''
    }
    piece += next
  }
  if (piece !== '') pieces.push(piece)
  return pieces
}

/** Tokens that a passage takes more with another piece: the piece, the marks of the gaps around it, the frame. */
export function unitTokens({ passage, piece }: Unit, shown: Shown, counter: TokenCounter): number {
  const text = passage.pieces[piece] ?? ''
  const isFirst = shown.size === 0
  const joined = Number(shown.has(piece - 1)) + Number(shown.has(piece + 1))
  const gaps = isFirst ? 2 : 1 - joined
  const alone = passage.pieces.length === 1
  return (
    counter.count(text) +
    (text.split('\n').length - 1) +
    (alone ? 0 : Math.max(0, gaps) * gapTokens) +
    (isFirst ? passage.frame : 0)
  )
}

/** Characters of words: about 15 tokens. */
const smallGap = 54

/** Writes a passage with the pieces that are shown. */
export function writePassage(passage: Passage, shown: Shown): string {
  let text = ''
  /** What stands after the last piece that is shown, up to the next. */
  let gap: string | undefined
  const closeGap = () => {
    if (gap === undefined) return
    const before = text.trimEnd()
    const mark = /[^>\s]/.test(gap) ? ' …' : ''
    // A mark says less than a few words, in nearly their room.
    if (!passage.isOutput && mark !== '' && gap.length < smallGap && !/\n./.test(gap)) text += gap
    // The rest of a line must not look like a line of its own, such as a heading, or like none of the quote around it.
    else text = `${before}${mark}${/\n\s*$/.test(text.slice(before.length) + gap) ? '\n' : ' '}`
    gap = undefined
  }
  for (const [at, piece] of passage.pieces.entries()) {
    const own = shown.get(at)
    if (own === undefined) gap = `${gap ?? ''}${piece}`
    else if (own !== '') {
      closeGap()
      text += own
    }
  }
  closeGap()
  return passage.write(
    text
      .replace(/^> (?:\n|$)/gm, '')
      .trim()
      .replace(/…(?: …)+/g, '…'),
  )
}
