import { isPastedLine } from '../facts/pasted.ts'
import { segmentsOf } from '../plan/condense.ts'
import type { TokenCounter } from '../tokens/token-counter.ts'

/** A text of a brief, in pieces that may be left out; `…` marks the gaps. */
export interface Passage {
  readonly pieces: readonly string[]
  /** Writes the passage with the text of the shown pieces. */
  readonly write: (text: string) => string
  /** Tokens in addition to the pieces. */
  readonly frame: number
  readonly isLong?: boolean
  /** Whether it is what a tool printed, and no words. */
  readonly isOutput?: boolean
  /** Whether it is shown even if another text says it. */
  readonly isKept?: boolean
}

/** The shown pieces of a passage, by position; a repeated one is empty. */
export type Shown = ReadonlyMap<number, string>

/** One piece of a passage, by position. */
export interface Unit {
  readonly passage: Passage
  readonly piece: number
}

/** Tokens of a gap mark. */
const gapTokens = 1

/** A fence, a rule, the border of a table, or what harnesses add after a plan and a report. */
export const empty =
  /^[>\s]*(?:```\w*|[|:*_#=…\s-]*|If you need specific details from before .*|<\/?usage>.*|\w+_\w+: \d+)\s*$/

/** Words that only announce the following text. */
export const leadIn = /:[*_]{0,2}\s*$|^[>\s]*#{1,6} /

/** Maximum characters of a piece: no part of a longer one could be left out. */
const longPiece = 420

/** A command with what is known of it, at the end of a line. Half of one would be wrong. */
export const command = / \| (?:run|status): [\s\S]*/

/** Makes a passage of a list line, in one piece unless it is very long; a command in it is never split. */
export function linePassage(line: string, isText = false, isKept = false): Passage {
  const isLong = isText || line.length > longPiece
  const [whole = ''] = command.exec(line) ?? []
  const pieces = [...piecesOf(line.slice(0, line.length - whole.length)), whole].filter(
    (piece) => piece !== '',
  )
  return {
    pieces: isLong || line.includes('\n') ? pieces : [line],
    isLong,
    write: (shown) => shown.replace(/\s*\n/g, '\n'),
    frame: 1,
    isKept,
  }
}

/**
 * Splits a text into sentences and lines, each with the white space after it. Long ones are split between words, but
 * never inside quotes or backquotes, since half a command or value would be wrong.
 */
export function piecesOf(text: string, longFirst = longPiece): string[] {
  return withWholeRows(segmentsOf(text)).flatMap((segment, at) => {
    const most = at > 0 ? longPiece : longFirst
    return segment.length <= most ? [segment] : clauses(segment, most)
  })
}

/** Joins the segments of a table row, whose cells mean nothing alone. */
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

/** Splits a segment into pieces of whole words. */
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

/** Returns the tokens that another piece adds to a passage: the piece, the gap marks around it, the frame. */
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

/** The mark of a line, and whose words it quotes. */
const label = /^(?:> )?(?:- e\d[\de-]* \S+: |[A-Z][a-z ]{2,20} \(e\d+\): )/
/** A line of which nothing is left but its label. */
const bare = /^[A-Z][a-z ]{2,20} \(e\d+\): …(?:\n|$)/gm
/** The words of an agent before what is left out, if they only announce it. */
const openEnd = /(?<=^|\n> |[.!?…] |^- \S+ assistant: )(?:[^\n.!?]*:[*_]{0,2}|#{1,6} [^\n]*)\s*$/

/** Characters of words: about 15 tokens. */
const smallGap = 54

/** Writes a passage with the shown pieces. A piece that the brief contains elsewhere is a gap too. */
export function writePassage(passage: Passage, shown: Shown): string {
  let text = ''
  /** Text from the last shown piece to the next one. */
  let gap: string | undefined
  let isNew = true
  const closeGap = () => {
    if (gap === undefined) return
    const mark = /[^>\s]/.test(gap) ? ' …' : ''
    // A mark says less than a few words, in nearly their room.
    if (isNew && !passage.isOutput && mark !== '' && gap.length < smallGap && !/\n./.test(gap)) text += gap
    else {
      const isAgents = mark !== '' && /^- \S+ assistant:/.test(passage.write(text))
      const end = text.slice(text.trimEnd().length) + gap
      const before = (isAgents ? text.replace(openEnd, '') : text).trimEnd()
      // The rest of a line must not look like a separate line, such as a heading, nor lose the quote mark.
      text = `${before}${mark}${/\n\s*$/.test(end) ? '\n' : ' '}`
    }
    gap = undefined
    isNew = true
  }
  for (const [at, piece] of passage.pieces.entries()) {
    const own = shown.get(at)
    if (own !== undefined && own !== '') {
      closeGap()
      text += own
      continue
    }
    const isStart = /(?:^|\n)$/.test(gap ?? text)
    // A line of a list is an entry of its own, unlike one of a quote.
    const isLine = isStart && (piece.endsWith('\n') || at === passage.pieces.length - 1)
    if (own === '' && isLine && !/^[->]/.test(piece)) continue
    const [start = ''] = (isStart && label.exec(piece)) || []
    if (start !== '') {
      closeGap()
      text += start
    }
    gap = `${gap ?? ''}${piece.slice(start.length)}`
    isNew &&= own !== ''
  }
  closeGap()
  return passage.write(
    text
      .trim()
      .replace(bare, '')
      .replace(/^> (?:\n|$)/gm, '')
      .trim()
      .replace(/…(?: …)+/g, '…'),
  )
}

/** Maximum distance, in lines, of pasted lines before and after a line that counts as pasted. */
const nearPasted = 2

/** Returns which pieces of a message are pasted output; the joined pieces are the message. */
export function pastedPieces(pieces: readonly string[]): boolean[] {
  // The lines of a trail entry are quoted from the second on.
  const text = pieces.join('').replace(/^> /gm, '')
  const lines = text.split('\n')
  // Also a stack frame without its place.
  const pasted = lines.map((line) => isPastedLine(line) || /^\s{2,9}at \S+$/.test(line))
  const among = pasted.map(
    (own, line) =>
      own ||
      (pasted.slice(Math.max(0, line - nearPasted), line).includes(true) &&
        pasted.slice(line + 1, line + 1 + nearPasted).includes(true)),
  )
  let line = 0
  return pieces.map((piece) => {
    const first = line + (/^\n*/.exec(piece)?.[0].length ?? 0)
    line += piece.split('\n').length - 1
    return among[first] ?? false
  })
}
