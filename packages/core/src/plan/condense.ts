import { shorten } from '../tokens/shorten.ts'
import type { TokenCounter } from '../tokens/token-counter.ts'

/** Scores how much a sentence or line is worth keeping; 0 or less if its content is also elsewhere. */
export type ScoreSentence = (segment: string) => number

/**
 * Cuts a text to at most `maxTokens` by whole sentences and lines. Those with the highest scores stay, in order, with
 * `[…N]` for the tokens omitted between them; the first and the last score a little more. A small gap is
 * kept. A text of one long sentence is shortened instead.
 */
export function condense(
  { segments, order, valued, leading, text, tokens }: RankedText,
  maxTokens: number,
  counter: TokenCounter,
): string {
  if (tokens <= maxTokens) return text
  if (order.length < 2) return shorten(text, maxTokens, counter, tokens)
  const costOf = (index: number) => segments.tokens[index] ?? 0
  const kept = new Set<number>()
  const worth = new Set(order.slice(0, valued))
  let size = gapTokens
  for (const index of worth) {
    const joined = Number(kept.has(index - 1)) + Number(kept.has(index + 1))
    const added = costOf(index) + gapTokens * (1 - joined)
    if (size + added > maxTokens) continue
    kept.add(index)
    size += added
  }
  const says = (index: number) => hasWords(segments, index)
  // Scraps of weaker sentences say less than the beginning of the best one.
  if (!order.slice(0, leading).some((index) => kept.has(index) && says(index))) kept.clear()
  const least = order.filter((index) => kept.has(index))
  while (kept.size > 0) {
    const short = render(segments, kept, worth)
    let excess = counter.count(short) - maxTokens
    if (excess <= 0) return short
    // Removes twice the excess, estimated, in one go, because removing one segment at a time would be quadratic.
    do {
      const index = least.pop() as number
      kept.delete(index)
      excess -= 2 * costOf(index)
    } while (excess > 0 && least.length > 0)
  }
  const best = segmentText(segments, order.find(says) ?? order[0] ?? 0).trim()
  const marked = `${best} […${tokens - counter.count(best)}]`
  return counter.count(marked) <= maxTokens ? marked : shorten(best, maxTokens, counter)
}

/** Whether a segment is more than an empty line or a mark. */
function hasWords(segments: Segments, index: number): boolean {
  return !segments.marks.includes(index) && withoutLineNumber(segmentText(segments, index)).trim() !== ''
}

/**
 * A text that can be condensed to any size. Segments are lists of numbers: an object for each sentence of a large log
 * would take several times the memory of its text.
 */
export interface RankedText {
  readonly text: string
  readonly tokens: number
  readonly segments: Segments
  /** Positions of the segments, best first. */
  readonly order: readonly number[]
  /** Number of segments in `order` that are worth keeping. */
  readonly valued: number
  /** Number of segments in `order` with at least half of the best score. */
  readonly leading: number
}

/** Finds the sentences and lines of a text of `tokens` tokens and ranks them. */
export function rankText(
  text: string,
  tokens: number,
  counter: TokenCounter,
  scoreSentence: ScoreSentence,
): RankedText {
  const texts = segmentsOf(text)
  if (texts.length < 2) return { text, tokens, segments: noSegments, order: [], valued: 0, leading: 0 }
  const segments = sizeSegments(text, texts, counter)
  const last = texts.length - 1
  const seen = new Set<string>()
  const values = texts.map((segment, index) => {
    if (isEmptyLine(segment) || isRepeat(segment, seen)) return 0
    const place = index === 0 ? 1.5 : index === last ? 0.75 : 0
    const size = segments.tokens[index] ?? 0
    return (place + size * perToken + scoreSentence(segment)) / Math.sqrt(size + gapTokens)
  })
  // A heading says nothing without a line below it, and names what that line is about.
  let best = 0
  for (const [index, segment] of [...texts.entries()].reverse()) {
    const own = values[index] ?? 0
    if (!heading.test(segment)) best = Math.max(best, own)
    else {
      values[index] = Math.max(own, best * headingShare)
      best = 0
    }
  }
  const worthOf = (index: number) => values[index] ?? 0
  const order = texts.map((_, index) => index).sort((a, b) => worthOf(b) - worthOf(a) || a - b)
  const worthless = order.findIndex((index) => worthOf(index) <= 0)
  const valued = worthless === -1 ? order.length : worthless
  const least = worthOf(order[0] ?? 0) / 2
  const leading = order.filter((index) => worthOf(index) >= least).length
  return { text, tokens, segments, order, valued, leading }
}

const heading = /^ {0,3}#{1,6} \S|^ {0,3}\*\*[^*]{1,80}\*\*:?\s*$|[:：][*_]{0,2}\s*$/
const headingShare = 0.95

/** Whether the same sentence occurred earlier in the text: a pasted log may repeat a warning a hundred times. */
function isRepeat(segment: string, seen: Set<string>): boolean {
  const words = segment.trim()
  if (words.length < minRepeat) return false
  const isKnown = seen.has(words)
  seen.add(words)
  return isKnown
}

/** Shorter segments are syntax, such as a closing bracket or `pass`. */
const minRepeat = 24

/** Whether a line has only a line number, or tags without text. */
function isEmptyLine(text: string): boolean {
  return text.trim() !== '' && (withoutLineNumber(text).trim() === '' || bareTags.test(text))
}

const bareTags = /^\s*(?:<\/?[a-z][\w-]{0,40}\s?\/?>\s*){1,8}$/i

/** The sentences and lines of a text, in order. */
interface Segments {
  readonly text: string
  /** End of each segment, where the next one begins. */
  readonly ends: readonly number[]
  readonly tokens: readonly number[]
  /** Original tokens, including those omitted earlier. */
  readonly sources: readonly number[]
  /** Segments that consist of marks for text omitted earlier. */
  readonly marks: readonly number[]
}

const noSegments: Segments = { text: '', ends: [], tokens: [], sources: [], marks: [] }

function segmentText({ text, ends }: Segments, index: number): string {
  return text.slice(ends[index - 1] ?? 0, ends[index])
}

/** Counts the tokens omitted earlier, by the marks `[…N]` in a text. */
function alreadyOmitted(text: string): number {
  if (!text.includes('[…')) return 0
  let omitted = 0
  for (const [, tokens] of text.matchAll(/\[…(\d{1,9})\]/g)) omitted += Number(tokens)
  return omitted
}

/** Score per token of plain words, which are most of a user's text. */
const perToken = 0.12

/** Tokens of a mark and the line break or space next to it. */
const gapTokens = 4
/** A mark says less than so many tokens of words, in nearly their room. */
const smallGap = 15

function sizeSegments(text: string, texts: readonly string[], counter: TokenCounter): Segments {
  let end = 0
  const ends = texts.map((segment) => {
    end += segment.length
    return end
  })
  const tokens = texts.map((segment) => counter.count(segment))
  if (!text.includes('[…')) return { text, ends, tokens, sources: tokens, marks: [] }
  const omitted = texts.map(alreadyOmitted)
  const isMark = texts.map((segment, index) => (omitted[index] ?? 0) > 0 && onlyMarks.test(segment))
  const sources = tokens.map((own, index) => (isMark[index] ? 0 : own) + (omitted[index] ?? 0))
  return { text, ends, tokens, sources, marks: isMark.flatMap((is, index) => (is ? [index] : [])) }
}

const onlyMarks = /^(?:\s*\[…\d{1,9}\])+\s*$/

/** Splits a text into sentences and lines, each with the white space after it, so that joining them restores the text. */
export function segmentsOf(text: string): string[] {
  return text.split(segmentEnd).filter((segment) => segment !== '')
}

// The number or letter of a list item, or an abbreviation, does not end a sentence.
const segmentEnd =
  /(?<=\n)|(?<=[.!?]["')\]]?\s)(?<!(?:^|[\s(*])(?:\d{1,3}|[A-Za-z]|e\.g|i\.e|vs|approx)\.\s)|(?<=[。！？])/

/** The head of a list that says what an answer comes to. */
export const sumsUp =
  /^[>\s#*_]*(?:(?:to |in |here['’]s (?:a |the )?)?summar(?:y|i[sz]e)|what (?:i |we |was )?(?:changed|did|done)|changes(?: made)?|delivered)\b.{0,40}\n?$/i

function render(segments: Segments, kept: ReadonlySet<number>, valued: ReadonlySet<number>): string {
  const { ends, tokens, sources } = segments
  const marks = new Set(segments.marks)
  let text = ''
  let gap = 0
  const closeGap = (end: number) => {
    let [size, omitted, mark] = [0, 0, smallGap]
    const words = segments.text.slice(ends[gap - 1] ?? 0, ends[end - 1] ?? 0)
    for (; gap < end; gap++) {
      size += tokens[gap] ?? 0
      omitted += sources[gap] ?? 0
      if (!valued.has(gap)) mark = gapTokens
    }
    if (size <= mark && omitted === size) text += words
    else if (end === ends.length) text = `${text.trimEnd()} […${omitted}]`
    else text += `[…${omitted}]${text === '' || text.endsWith('\n') || words.includes('\n') ? '\n' : ' '}`
  }
  for (const index of ends.keys()) {
    if (!kept.has(index) || marks.has(index)) continue
    const segment = segmentText(segments, index)
    if (gap < index && segment.trim() === '') continue
    closeGap(index)
    text += segment
    gap = index + 1
  }
  closeGap(ends.length)
  return text.trim()
}

/** A line number that a tool prints before the line. */
const lineNumber = /^ {0,8}\d{1,6}(?:→|\t|[:|](?=\s|$))/

/** Returns a line without the line number that a tool printed. */
export function withoutLineNumber(line: string): string {
  return line.replace(lineNumber, '')
}
