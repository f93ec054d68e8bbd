import { shorten } from '../tokens/shorten.ts'
import type { TokenCounter } from '../tokens/token-counter.ts'
import { withoutLineNumber } from './line-number.ts'

/** Scores how much a sentence or line is worth keeping; 0 or less if its content is also elsewhere. */
export type ScoreSentence = (segment: string) => number

/**
 * Cuts a text to at most `maxTokens` by whole sentences and lines: those with the highest scores stay, in order, with
 * `[…N]` for the tokens left out between them; the first and the last count a little more, since they open and
 * conclude. A gap no longer than its mark is written out. A text that is one long sentence is shortened instead.
 */
export function condense(
  { segments, ranked, text, tokens }: RankedText,
  maxTokens: number,
  counter: TokenCounter,
): string {
  if (tokens <= maxTokens) return text
  if (segments.length < 2) return shorten(text, maxTokens, counter, tokens)
  const kept = new Set<number>()
  let size = gapTokens
  for (const { index, tokens: cost, value } of ranked) {
    if (value <= 0) break
    const joined = Number(kept.has(index - 1)) + Number(kept.has(index + 1))
    const added = cost + gapTokens * (1 - joined)
    if (size + added > maxTokens) continue
    kept.add(index)
    size += added
  }
  const says = ({ index }: RankedSegment) => hasWords(segments[index])
  if (!ranked.some((segment) => kept.has(segment.index) && says(segment))) kept.clear()
  const least = ranked.filter(({ index }) => kept.has(index))
  while (kept.size > 0) {
    const short = render(segments, kept)
    let excess = counter.count(short) - maxTokens
    if (excess <= 0) return short
    // Half of the excess at a time, as marks may go with it: one by one would be quadratic.
    do {
      const { index, tokens: cost } = least.pop() as RankedSegment
      kept.delete(index)
      excess -= 2 * cost
    } while (excess > 0 && least.length > 0)
  }
  const best = segments[ranked.find(says)?.index ?? 0]
  return best === undefined ? '' : shorten(best.text.trim(), maxTokens, counter)
}

/** Whether a segment is more than an empty line or a mark. */
function hasWords(segment: Segment | undefined): boolean {
  return segment !== undefined && segment.isMark !== true && withoutLineNumber(segment.text).trim() !== ''
}

/** A text that can be condensed to any size. */
export interface RankedText {
  readonly text: string
  readonly tokens: number
  readonly segments: readonly Segment[]
  /** Best first. */
  readonly ranked: readonly RankedSegment[]
}

interface RankedSegment {
  readonly index: number
  readonly tokens: number
  readonly value: number
}

/** Finds the sentences and lines of a text of `tokens` tokens and ranks them. */
export function rankText(
  text: string,
  tokens: number,
  counter: TokenCounter,
  scoreSentence: ScoreSentence,
): RankedText {
  const texts = segmentsOf(text)
  if (texts.length < 2) return { text, tokens, segments: [], ranked: [] }
  const segments = sizeSegments(texts, counter)
  const last = segments.length - 1
  const ranked = segments
    .map((segment, index) => {
      const place = index === 0 ? 1.5 : index === last ? 0.75 : 0
      return {
        index,
        tokens: segment.tokens,
        value: isEmptyLine(segment.text)
          ? 0
          : (place + segment.tokens * perToken + scoreSentence(segment.text)) /
            Math.sqrt(segment.tokens + gapTokens),
      }
    })
    .sort((a, b) => b.value - a.value || a.index - b.index)
  return { text, tokens, segments, ranked }
}

/** An empty line of a file with its number. */
function isEmptyLine(text: string): boolean {
  return text.trim() !== '' && withoutLineNumber(text).trim() === ''
}

interface Segment {
  readonly text: string
  readonly tokens: number
  /** Original tokens, including those that were left out of it before. */
  readonly source: number
  /** It holds marks of what was left out before, and nothing else. */
  readonly isMark?: true
}

/** Tokens that were left out before, according to the marks `[…N]` in a text. */
function alreadyOmitted(text: string): number {
  if (!text.includes('[…')) return 0
  let omitted = 0
  for (const [, tokens] of text.matchAll(/\[…(\d{1,9})\]/g)) omitted += Number(tokens)
  return omitted
}

/** Score of plain words, which are most of what a user says. */
const perToken = 0.12

/** A mark, and the line break or space next to it. */
export const gapTokens = 4

function sizeSegments(texts: readonly string[], counter: TokenCounter): Segment[] {
  return texts.map((text) => {
    const tokens = counter.count(text)
    const omitted = alreadyOmitted(text)
    const isMark = omitted > 0 && onlyMarks.test(text)
    return { text, tokens, source: isMark ? omitted : tokens + omitted, ...(isMark && { isMark }) }
  })
}

const onlyMarks = /^(?:\s*\[…\d{1,9}\])+\s*$/

/** Joins the kept ones of the segments of a text, by their positions, with `[…N]` for those between them. */
export function renderSegments(
  segments: readonly string[],
  kept: ReadonlySet<number>,
  counter: TokenCounter,
): string {
  return render(sizeSegments(segments, counter), kept)
}

/** Sentences and lines, each with the white space after it, so that joining them restores the text. */
export function segmentsOf(text: string): string[] {
  return text.split(segmentEnd).filter((segment) => segment !== '')
}

// The number or letter of an item, and an abbreviation, do not end a sentence.
const segmentEnd =
  /(?<=\n)|(?<=[.!?]["')\]]?\s)(?<!(?:^|[\s(*])(?:\d{1,3}|[A-Za-z]|e\.g|i\.e|vs|approx)\.\s)|(?<=[。！？])/

function render(segments: readonly Segment[], kept: ReadonlySet<number>): string {
  let text = ''
  let gap: Segment[] = []
  const closeGap = (isEnd: boolean) => {
    const size = gap.reduce((sum, segment) => sum + segment.tokens, 0)
    if (size === 0) return
    const omitted = gap.reduce((sum, segment) => sum + segment.source, 0)
    if (size <= gapTokens && omitted === size) for (const segment of gap) text += segment.text
    else if (isEnd) text = `${text.trimEnd()} […${omitted}]`
    else if (text !== '' && !text.endsWith('\n')) text += `[…${omitted}] `
    else text += `[…${omitted}]\n`
    gap = []
  }
  segments.forEach((segment, index) => {
    const isBreak = gap.length > 0 && segment.text.trim() === ''
    if (!kept.has(index) || segment.isMark || isBreak) {
      gap.push(segment)
      return
    }
    closeGap(false)
    text += segment.text
  })
  closeGap(true)
  return text.trim()
}
