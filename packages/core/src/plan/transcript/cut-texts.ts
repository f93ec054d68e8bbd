import type { TokenCounter } from '../../tokens/token-counter.ts'
import { condense, rankText, type ScoreSentence } from '../condense.ts'
import { decisiveness, isDecisive } from '../decisive-lines.ts'
import type { BundlePlan } from '../plan-bundle.ts'
import { definition } from '../score-sentence.ts'
import { type TextKind, textKinds } from '../text-kinds.ts'
import { readSizes, type SizedText } from './read-sizes.ts'
import { type LinesOf, type ShownLines, shownLines } from './shown-lines.ts'

/** A text that a model may read, before it is cut. */
interface WholeText extends SizedText, LinesOf {}

/** Tokens that all texts should take, and may take at most. */
export interface Room {
  readonly room: number
  readonly most: number
}

/** Rounds in which the texts are cut, and how near to their room together they shall come. */
const maxRounds = 5
const nearRoom = 0.02
const usesRoom = 0.9

/**
 * Cuts texts so that together they take their room, one after the other: what those before show is not said again. How
 * much that saves is known only then, so they are cut again with sizes for what is left or over.
 */
export function cutTexts(
  texts: readonly WholeText[],
  { room, most }: Room,
  plan: BundlePlan,
): readonly string[] {
  const { counter } = plan
  const cut = textCutter(plan)
  let best: { cuts: readonly string[]; tokens: number } | undefined
  let budget = room
  let limits: readonly SizedText[] = texts
  for (let round = 0; round < maxRounds; round++) {
    const sizes = readSizes(limits, budget, most)
    const seen = shownLines()
    const taken: number[] = []
    const cuts = texts.map((text, index) => {
      const short = cut(text, sizes[index] ?? 0, seen)
      seen.show({ ...text, isEdit: text.kind === 'edit', text: short })
      taken.push(counter.count(short))
      return short
    })
    const tokens = taken.reduce((sum, each) => sum + each, 0)
    const fits = tokens <= room
    if (best === undefined || (fits ? best.tokens > room || tokens > best.tokens : tokens < best.tokens))
      best = { cuts, tokens }
    const isWhole = sizes.every((size, index) => size === limits[index]?.tokens)
    if ((fits && tokens >= room * (1 - nearRoom)) || isWhole) break
    budget *= (room * (1 - nearRoom / 2)) / tokens
    // A file whose lines that matter take less is not shown further: what it leaves goes to the others.
    limits = limits.map((text, index) => {
      const size = sizes[index] ?? 0
      const isEnough = text.kind === 'file' && (taken[index] ?? 0) < size * usesRoom
      return isEnough ? { ...text, tokens: Math.min(text.tokens, size) } : text
    })
  }
  return best?.cuts ?? []
}

/** Returns a function that leaves out of a text what was shown, and cuts it to a size: by sentences, or by lines. */
function textCutter(plan: BundlePlan) {
  const { counter } = plan
  return (text: WholeText, size: number, seen: ShownLines): string => {
    if (size <= 0) return ''
    const { kind } = text
    const fresh = seen.without(
      { ...text, isEdit: kind === 'edit' },
      runOf(kind),
      kind === 'check' ? isDecisive : undefined,
    )
    const tokens = fresh === text.text ? text.tokens : counter.count(fresh)
    if (tokens <= size) return fresh
    const score = scorerFor(kind, plan)
    const cut = condense(rankText(fresh, tokens, counter, score), size, counter)
    if (!isFragment(cut) || textKinds[kind].read.listed !== true) return cut
    return pickLines(fresh, size, counter, score)
  }
}

/** Fewer characters than these are said again: a mark in their place would cost as much, and words and small edits are read in one go. */
function runOf(kind: TextKind): number {
  if (kind === 'edit') return 400
  return textKinds[kind].read.printed ? 60 : 200
}

/**
 * Scores the lines of a text: by the names in them, what binds the work, and by kind what failed, why the code is so,
 * what a file defines.
 */
function scorerFor(kind: TextKind, { scoreSentence }: BundlePlan): ScoreSentence {
  const { fails, read } = textKinds[kind]
  if (!read.printed && !fails) return scoreSentence
  return (line) => {
    const own = kind === 'file' ? (definition.test(line) ? 2 : 0) : scoreSentence(line)
    const failed = fails ? 2 * decisiveness(line) : 0
    const explains = kind === 'edit' && isComment(line) ? 2 : 0
    return own + failed + explains + (isBinding(line) ? 4 : 0)
  }
}

/** A comment says why the code is as it is. */
function isComment(line: string): boolean {
  return /^[+-]?\s*(?:\/\/|\/?\*|#(?!\w)|--\s|<!--)\s?\S*\s\S/.test(line)
}

const binding =
  /\b(?:must|never|always|only|don'?t|do not|required?|should(?: not|n't)|shall|forbidden|security|deprecated|invariant|important|internal|keep|avoid|ensure|note|todo|fixme|hack|for now|by design|intentionally|MVP|placeholder|stub(?:bed)?|workaround|temporar(?:y|ily)|simplif\w+|not (?:yet )?(?:implemented|supported)|assum(?:e[sd]?|ing|ptions?))\b|必须|不要|禁止|务必/i

/** Whether a line of a file may say what binds the work, or why the code is as it is. */
function isBinding(line: string): boolean {
  return binding.test(line.slice(0, 400))
}

/** A line break, and the bar before the line. */
const breakTokens = 1
/** `(12 of 340 lines)` */
const headTokens = 8
/** Fewer lines than these say less about a text than its name. */
const leastLines = 2

/**
 * Cuts a file or an output to at most `maxTokens` by whole lines, those with the highest scores, below the count of them:
 * `(12 of 340 lines)`. Marks between lines that are all apart would take as much room as the lines. Empty if hardly a
 * line fits.
 */
export function pickLines(
  text: string,
  maxTokens: number,
  counter: TokenCounter,
  score: ScoreSentence,
): string {
  const lines = text.split('\n')
  const ranked = lines
    .map((line, index) => ({ index, line, tokens: counter.count(line) + breakTokens }))
    .filter(({ line }) => /[\p{L}\p{N}]/u.test(line))
    .map((each) => ({ ...each, value: score(each.line) / Math.sqrt(each.tokens + breakTokens) }))
    .filter(({ value }) => value > 0)
    .sort((a, b) => b.value - a.value || a.index - b.index)
  const kept = new Set<number>()
  const seen = new Set<string>()
  let left = maxTokens - headTokens
  for (const { index, line, tokens } of ranked) {
    if (tokens > left || seen.has(line.trim())) continue
    seen.add(line.trim())
    kept.add(index)
    left -= tokens
  }
  if (kept.size < leastLines) return ''
  const shown = lines.filter((_, index) => kept.has(index))
  return [`(${kept.size} of ${lines.length} lines)`, ...shown].join('\n')
}

/** Whether more than a third of the lines of a text hold a mark for what was left out: it is no longer one text. */
export function isFragment(text: string): boolean {
  const lines = text.split('\n').filter((line) => line.trim() !== '')
  const marks = lines.filter((line) => /\[…\d{1,9}\]/.test(line)).length
  return marks * 3 > lines.length
}
