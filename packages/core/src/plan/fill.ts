import type { TrailEntry } from '../bundle/schema.ts'
import { atOnce, type Steps } from '../session/pauses.ts'
import { shorten } from '../tokens/shorten.ts'
import type { TokenCounter } from '../tokens/token-counter.ts'
import { condense, type RankedText, rankText, type ScoreSentence } from './condense.ts'
import { isDecisive } from './decisive-lines.ts'
import { type Excerpt, type ExcerptPart, repeatOf } from './excerpt.ts'
import { definition, isCode } from './score-sentence.ts'
import { type TextKind, textKinds } from './text-kinds.ts'
import { capsWithin, isLine, sizeExcerpts } from './trail-caps.ts'

/**
 * Fills budgets with excerpts. Every part is cut to a cap common to its kind (water-filling: bisection finds the
 * level), so that nothing is dropped while a shorter form of it is still useful. Deterministic; a larger budget gives a
 * part less room only for more words of the user. Iterates over the excerpts once per budget, and can pause at each.
 */
export function trailFiller(
  excerpts: Iterable<Excerpt>,
  counter: TokenCounter,
  scoreSentence: ScoreSentence,
  sized = atOnce(sizeExcerpts(excerpts)),
): (budget: number) => Steps<TrailEntry[]> {
  const known = new Map<number, CachedPart>()
  const spare = { short: maxShort, long: maxLong }
  const cut = (part: ExcerptPart, at: number, cap: number): string => {
    if (isLine(part)) return cutLine(part, cap, counter)
    if (part.tokens <= cap) return part.text
    const cached = known.get(at)
    const { ranked, cuts } = cached ?? { ranked: rank(part), cuts: new Map<number, string>() }
    const size = part.tokens > longPart ? 'long' : 'short'
    if (cached === undefined && spare[size] > 0) {
      known.set(at, { ranked, cuts })
      spare[size] -= part.tokens
    }
    const text = cuts.get(cap) ?? condense(ranked, cap, counter)
    cuts.set(cap, text)
    return text
  }
  const rank = (part: ExcerptPart): RankedText =>
    rankText(part.text, part.tokens, counter, scorerFor(part.kind, scoreSentence))
  return function* fill(budget) {
    const caps = yield* capsWithin(sized, budget)
    const entries: TrailEntry[] = []
    let at = 0
    for (const excerpt of excerpts) {
      const shown: string[] = []
      for (const part of excerpt.parts) {
        const cap = caps[at] ?? 0
        if (cap > 0) shown.push(cut(part, at, cap))
        at++
      }
      const text = shown.filter((each) => each !== '').join('\n')
      if (text !== '') entries.push(entryOf(excerpt, text))
      yield
    }
    return foldAlike(groupByAgent(withoutLostRepeats(entries)))
  }
}

/** Leaves out entries that only refer to an event that is not shown. */
function withoutLostRepeats(entries: readonly TrailEntry[]): readonly TrailEntry[] {
  const shown = new Set<string>(entries.map(({ event }) => event))
  return entries.filter(({ text }) => {
    const first = repeatOf(text)
    return first === undefined || shown.has(first)
  })
}

/** Cached cuts of a part: successive budgets often give it the same cap. */
interface CachedPart {
  readonly ranked: RankedText
  readonly cuts: Map<number, string>
}

/** Parts with more tokens have a separate cache, because they are fewer and take longer to rank. */
const longPart = 100

/** Maximum tokens of all cached parts: a ranked text takes several times the memory of its text. */
const maxShort = 500_000
const maxLong = 4_000_000

function entryOf({ event, until, agent, label }: Excerpt, text: string): TrailEntry {
  const words = text.trim()
  return until === undefined
    ? { event, agent, label, text: words }
    : { event, until, agent, label, text: words }
}

/**
 * Scores a sentence of a part: lines about a failure, and definitions in an edit, score more; code within prose scores
 * less.
 */
function scorerFor(kind: TextKind, scoreSentence: ScoreSentence): ScoreSentence {
  const { fails, trail } = textKinds[kind]
  const isMain = fails ? isDecisive : (segment: string) => definition.test(segment)
  if (fails || kind === 'edit') return (segment) => scoreSentence(segment) + (isMain(segment) ? 4 : 0)
  return trail.prose ? (segment) => scoreSentence(segment) * (isCode(segment) ? 0.4 : 1) : scoreSentence
}

/** Returns the line of a call, or for a run of calls as many whole targets as fit; empty if not even a file name fits. */
function cutLine(part: ExcerptPart, cap: number, counter: TokenCounter): string {
  const suffix = part.suffix ?? ''
  if (cap >= part.tokens) return `${part.text}${suffix}`
  const room = cap - counter.count(suffix)
  const text = part.targets === undefined ? cutTarget(part.text, room, counter) : cutRun(part, room, counter)
  return text === '' ? '' : `${text}${suffix}`
}

function cutTarget(text: string, room: number, counter: TokenCounter): string {
  return shorten(text, room, counter) || pathEnd(text, room, counter)
}

/** Returns `x6 a.ts, b.ts, 4 more`: the first targets, by name alone if the path does not fit. */
function cutRun({ calls, targets = [] }: ExcerptPart, room: number, counter: TokenCounter): string {
  const head = `x${calls ?? targets.length} `
  let left = room - counter.count(head) - moreTokens
  const shown: string[] = []
  for (const target of targets) {
    const text = [target, pathEnd(target, left, counter)].find(
      (form) => form !== '' && counter.count(`${form}, `) <= left,
    )
    if (text === undefined) break
    shown.push(text)
    left -= counter.count(`${text}, `)
  }
  if (shown.length === 0) return ''
  const rest = targets.length - shown.length
  return `${head}${shown.join(', ')}${rest === 0 ? '' : `, ${rest} more`}`
}

// Tokens of `, 12 more`.
const moreTokens = 4

/** Returns `…/a.ts` for a path that does not fit; empty if the text is not a path, or not even that fits. */
function pathEnd(text: string, room: number, counter: TokenCounter): string {
  const name = /^[^\s]{1,400}\/([^\s/]+)$/.exec(text)?.[1]
  const end = name === undefined ? '' : `…/${name}`
  return counter.count(end) <= room ? end : ''
}

/** Groups entries by agent, `main` first, then in the order of first entries, because parallel agents would interleave. */
function groupByAgent(entries: readonly TrailEntry[]): TrailEntry[] {
  const groups = new Map<string, TrailEntry[]>([['main', []]])
  for (const entry of entries) {
    const group = groups.get(entry.agent)
    if (group === undefined) groups.set(entry.agent, [entry])
    else group.push(entry)
  }
  return [...groups.values()].flat()
}

/**
 * Folds consecutive calls with equal cut lines into one entry, `x4 curl -X POST […27] -> ok`, because repeating them
 * adds nothing.
 */
function foldAlike(entries: readonly TrailEntry[]): TrailEntry[] {
  const runs: TrailEntry[][] = []
  for (const entry of entries) {
    const run = runs.at(-1)
    if (run?.[0] !== undefined && areAlike(run[0], entry)) run.push(entry)
    else runs.push([entry])
  }
  return runs.flatMap(fold)
}

const mark = /\[…\d{1,9}\]/g

function areAlike(first: TrailEntry, next: TrailEntry): boolean {
  return (
    first.label === next.label &&
    first.agent === next.agent &&
    isCutLine(first) &&
    isCutLine(next) &&
    first.text.replace(mark, '') === next.text.replace(mark, '')
  )
}

/** Whether an entry is the cut line of one call, without output. */
function isCutLine({ text, until }: TrailEntry): boolean {
  return until === undefined && text.includes('[…') && !text.includes('\n') && / -> \S/.test(text)
}

function fold(run: readonly TrailEntry[]): TrailEntry[] {
  const [first] = run
  const last = run.at(-1)
  if (first === undefined || last === undefined || run.length === 1) return [...run]
  const { event, agent, label, text } = first
  return [{ event, until: last.event, agent, label, text: `x${run.length} ${text}` }]
}
