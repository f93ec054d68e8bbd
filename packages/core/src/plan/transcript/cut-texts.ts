import { eventIndex } from '../../session/event.ts'
import type { TokenCounter } from '../../tokens/token-counter.ts'
import { condense, rankText, type ScoreSentence } from '../condense.ts'
import { decisiveness, isDecisive } from '../decisive-lines.ts'
import type { BundlePlan } from '../plan-bundle.ts'
import { definition } from '../score-sentence.ts'
import { type TextKind, textKinds } from '../text-kinds.ts'
import { type LaterUses, laterUses } from './later-uses.ts'
import { readSizes, type SizedText } from './read-sizes.ts'
import { type LinesOf, type ShownLines, shownLines } from './shown-lines.ts'

/** A text that a model may read, before it is cut. */
interface WholeText extends SizedText, LinesOf {}

/** Tokens that all texts should take, and may take at most. */
export interface Room {
  readonly room: number
  readonly most: number
}

/** Rounds in which texts are cut, and how close their sum must be to the room. */
const maxRounds = 5
const nearRoom = 0.02
const usesRoom = 0.9
const leavesRoom = 0.7
const ofOthers = 0.1

/**
 * Cuts texts one after the other, so that together they fill the room; lines shown by earlier texts are not repeated.
 * How much that saves is known only afterwards, so they are cut again with adjusted sizes.
 */
export function cutTexts(
  texts: readonly WholeText[],
  { room, most }: Room,
  plan: BundlePlan,
): readonly string[] {
  const { counter } = plan
  const uses = laterUses(plan.session.events)
  const cut = textCutter(plan, uses)
  const order = shownFirst(texts)
  let best: { cuts: readonly string[]; tokens: number } | undefined
  let budget = room
  // Lines of files that nothing uses are shown only if the other texts leave room.
  let fills = false
  let limits: readonly SizedText[] = withUses(texts, plan, uses)
  for (let round = 0; round < maxRounds; round++) {
    const sizes = readSizes(limits, budget, most)
    const seen = shownLines()
    const taken: number[] = []
    const cuts: string[] = []
    for (const index of order) {
      const text = texts[index] as WholeText
      const short = cut(text, sizes[index] ?? 0, seen, fills)
      seen.show({ ...text, isEdit: text.kind === 'edit', text: short })
      taken[index] = counter.count(short)
      cuts[index] = short
    }
    const tokens = taken.reduce((sum, each) => sum + each, 0)
    const fits = tokens <= room
    if (best === undefined || (fits ? best.tokens > room || tokens > best.tokens : tokens < best.tokens))
      best = { cuts, tokens }
    const isWhole = sizes.every((size, index) => size === limits[index]?.tokens)
    if ((fits && tokens >= room * (1 - nearRoom)) || isWhole) break
    fills ||= tokens < room * leavesRoom
    budget *= (room * (1 - nearRoom / 2)) / tokens
    // If the important lines of a file take less than its size, the rest goes to other texts.
    limits = limits.map((text, index) => {
      const size = sizes[index] ?? 0
      const isEnough = text.kind === 'file' && (taken[index] ?? 0) < size * usesRoom
      return isEnough ? { ...text, tokens: Math.min(text.tokens, size) } : text
    })
  }
  return best?.cuts ?? []
}

/**
 * Returns the order in which texts are shown: first the results, in reverse, so that the last of repeated ones is whole
 * and earlier ones refer to it; then everything else in order.
 */
function shownFirst(texts: readonly WholeText[]): number[] {
  const all = [...texts.keys()]
  const isLater = (index: number) => textKinds[(texts[index] as WholeText).kind].fails === true
  return [...all.filter(isLater).reverse(), ...all.filter((index) => !isLater(index))]
}

/** Returns a function that removes what was shown from a text and cuts it to a size, by sentences or by lines. */
function textCutter(plan: BundlePlan, uses: LaterUses) {
  const { counter } = plan
  return (text: WholeText, size: number, seen: ShownLines, fills: boolean): string => {
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
    if (kind === 'file') {
      const used = uses.scoreLines(fresh.split('\n'), text.event)
      const others = fills ? ofOthers : 0
      return pickLines(fresh, size, counter, (line, index) => score(line) + (used[index] ?? 0) + others)
    }
    const cut = condense(rankText(fresh, tokens, counter, score), size, counter)
    if (!isFragment(cut) || textKinds[kind].read.listed !== true) return cut
    return pickLines(fresh, size, counter, score)
  }
}

/** The last results of a session show where to continue. */
const lastResults = 4
const ofLast = 5
/** A file that nothing names later is represented by its path, and an edited one by its edits. */
const ofUnused = 0.1
const ofEdited = 1.2
/** Factor for text written into a file that does not exist at the end. */
const ofGone = 0.2

/** Weights texts by how the session used them later. */
function withUses(texts: readonly WholeText[], { facts }: BundlePlan, uses: LaterUses): SizedText[] {
  const files = new Map(facts.files.map((file) => [file.path, file]))
  const paths = [...files.keys()]
  const factOf = (source: string) =>
    files.get(source) ?? files.get(paths.find((path) => source.endsWith(`/${path}`)) ?? '')
  let results = 0
  return texts
    .toReversed()
    .map((text): SizedText => {
      const { kind, source, event } = text
      const isResult = textKinds[kind].read.printed === true || kind === 'failure'
      if (isResult && kind !== 'edit' && results++ < lastResults) return { ...text, use: ofLast }
      if (source === undefined) return text
      const fact = factOf(source)
      if (kind === 'edit') return fact?.status === 'deleted' ? { ...text, use: ofGone } : text
      if (kind !== 'file') return text
      if (fact?.lastEdit !== undefined && eventIndex(fact.lastEdit) > eventIndex(event))
        return { ...text, use: ofEdited }
      return uses.isNamed(source.slice(source.lastIndexOf('/') + 1), event)
        ? text
        : { ...text, use: ofUnused }
    })
    .toReversed()
}

/**
 * Returns the minimum characters of a repetition that is replaced by a mark. Shorter ones would save nothing, and words
 * and small edits should be read in one go.
 */
function runOf(kind: TextKind): number {
  if (kind === 'edit') return 400
  return textKinds[kind].read.printed ? 60 : 200
}

/**
 * Scores the lines of a text by their names and binding phrases; also failures, comments or definitions, depending on
 * the kind.
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

/** A comment may explain why the code is as it is. */
function isComment(line: string): boolean {
  return /^[+-]?\s*(?:\/\/|\/?\*|#(?!\w)|--\s|<!--)\s?\S*\s\S/.test(line)
}

const binding =
  /\b(?:must|never|always|only|don'?t|do not|required?|should(?: not|n't)|shall|forbidden|security|deprecated|invariant|important|internal|keep|avoid|ensure|note|todo|fixme|hack|for now|by design|intentionally|MVP|placeholder|stub(?:bed)?|workaround|temporar(?:y|ily)|simplif\w+|not (?:yet )?(?:implemented|supported)|assum(?:e[sd]?|ing|ptions?))\b|必须|不要|禁止|务必/i

/** Whether a line of a file may contain a binding phrase, or explain why the code is as it is. */
function isBinding(line: string): boolean {
  return binding.test(line.slice(0, 400))
}

/** Tokens of a line break and the bar before a line. */
const breakTokens = 1
/** Tokens of `(12 of 340 lines)`. */
const headTokens = 8
/** With fewer lines, a text shows less than its name does. */
const leastLines = 2

/**
 * Cuts a file or an output to at most `maxTokens` by whole lines, those with the highest scores, below their count:
 * `(12 of 340 lines)`. There are no marks at gaps, because between scattered lines they would take as much room as the
 * lines. Empty if hardly a line fits.
 */
export function pickLines(
  text: string,
  maxTokens: number,
  counter: TokenCounter,
  score: (line: string, index: number) => number,
): string {
  const lines = text.split('\n')
  const ranked = lines
    .map((line, index) => ({ index, line, tokens: counter.count(line) + breakTokens }))
    .filter(({ line }) => /[\p{L}\p{N}]/u.test(line))
    .map((each) => ({ ...each, value: score(each.line, each.index) / Math.sqrt(each.tokens + breakTokens) }))
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

/** Whether more than a third of a text's lines contain a mark for omitted text, so that it is not readable as a whole. */
export function isFragment(text: string): boolean {
  const lines = text.split('\n').filter((line) => line.trim() !== '')
  const marks = lines.filter((line) => /\[…\d{1,9}\]/.test(line)).length
  return marks * 3 > lines.length
}
