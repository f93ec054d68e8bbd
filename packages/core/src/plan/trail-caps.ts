import type { Steps } from '../session/pauses.ts'
import type { Excerpt, ExcerptPart } from './excerpt.ts'
import { textKinds } from './text-kinds.ts'

/** Share of the trail within which user messages, except text pasted into them, come first and stay whole. */
const wordShare = 0.68

/** Share of `wordShare` that the last user message gets before the other messages. */
export const leastLastWords = 0.6

/** Maximum share of the trail for the last user message, whose request is still open. */
const lastWordShare = 0.9

/** Levels found by bisection: for user messages, for the last one, and for everything else. */
interface Levels {
  readonly words: number
  readonly lastWords: number
  readonly rest: number
}

/** Room that each further call of a run adds to its line, relative to the first: only its target. */
const perFurtherCall = 0.6

// Tokens of `- e123 label:`.
const entryTokens = 6

/** Whether a part is the line of a call, or of a run of calls. */
export function isLine(part: ExcerptPart): boolean {
  return part.kind === 'line'
}

/**
 * The numbers that determine the sizes of the excerpts' parts, part after part in flat arrays, so that many budgets can
 * be tried on a million of them.
 */
export interface SizedExcerpts {
  /** Index after the last part of each excerpt. */
  readonly ends: Uint32Array
  /** The level of a part, as an index into `levelNames`. */
  readonly level: Uint8Array
  readonly factor: Float64Array
  readonly tokens: Uint32Array
  readonly lines: Uint32Array
  /** A part is left out if its cap is smaller. */
  readonly least: Float64Array
  /** Minimum tokens of a part that is shown. */
  readonly shortest: Uint32Array
  readonly isLine: Uint8Array
}

const levelNames = ['words', 'lastWords', 'rest'] as const satisfies readonly (keyof Levels)[]

export function* sizeExcerpts(excerpts: Iterable<Excerpt>): Steps<SizedExcerpts> {
  let length = 0
  let count = 0
  // Start of the turns that got no answer: no later message repeats their findings.
  let cutTurn = Number.POSITIVE_INFINITY
  for (const { agent, parts } of excerpts) {
    const has = (pattern: RegExp) => agent === 'main' && parts.some(({ kind }) => pattern.test(kind))
    if (has(/^(?:last-)?user$/)) cutTurn = Math.min(cutTurn, length)
    else if (has(/^(?:last-)?answer$/)) cutTurn = Number.POSITIVE_INFINITY
    length++
    count += parts.length
    yield
  }
  const sized = {
    ends: new Uint32Array(length),
    level: new Uint8Array(count),
    factor: new Float64Array(count),
    tokens: new Uint32Array(count),
    lines: new Uint32Array(count),
    least: new Float64Array(count),
    shortest: new Uint32Array(count),
    isLine: new Uint8Array(count),
  }
  let at = 0
  let index = 0
  for (const { position, parts } of excerpts) {
    const current = index >= cutTurn ? cutTurnRoom : 1
    for (const part of parts) {
      const { weight, least, level = 'rest', fades, shortest = 0 } = textKinds[part.kind].trail
      const recency = fades ? current * (1 + 2 * position ** 2) : 1
      const calls = 1 + ((part.calls ?? 1) - 1) * perFurtherCall
      sized.level[at] = levelNames.indexOf(level)
      sized.factor[at] = weight * recency * (part.unique ? 3 : 1) * calls
      sized.tokens[at] = part.tokens
      sized.lines[at] = part.lines
      // As the room grows, lines of calls appear one by one, the latest first; together they would take all of it at
      // once.
      sized.least[at] = isLine(part) ? least * (1.5 - position) : least
      sized.shortest[at] = Math.min(part.tokens, shortest)
      sized.isLine[at] = Number(isLine(part))
      at++
    }
    sized.ends[index++] = at
    yield
  }
  return sized
}

/** Factor for the outputs of a turn that was cut off. */
const cutTurnRoom = 20

/** Returns approximately how many tokens the last user message takes. */
export function lastWordsSize(sized: SizedExcerpts): number {
  return estimate(sized, { words: 0, lastWords: all, rest: 0 })
}

/** Returns approximately how many tokens the excerpts take with an unlimited budget. */
export function fullSize(sized: SizedExcerpts): number {
  return estimate(sized, { words: all, lastWords: all, rest: all })
}

const all = Number.POSITIVE_INFINITY

/**
 * Returns the caps in tokens of all parts for a budget; 0 leaves a part out. A call's input or output never appears
 * without its line.
 */
export function* capsWithin(sized: SizedExcerpts, budget: number): Steps<Uint32Array> {
  const levels = yield* findLevels(sized, budget)
  const caps = new Uint32Array(sized.tokens.length)
  let start = 0
  for (const end of sized.ends) {
    let isShown = false
    for (let part = start; part < end; part++) {
      const cap = capOf(sized, part, levels)
      caps[part] = cap
      isShown ||= cap > 0
    }
    if (isShown)
      for (let part = start; part < end; part++)
        if (sized.isLine[part] === 1 && caps[part] === 0) caps[part] = sized.shortest[part] as number
    start = end
  }
  return caps
}

function* findLevels(sized: SizedExcerpts, budget: number): Steps<Levels> {
  const fits = (levels: Levels, share: number) => estimate(sized, levels) <= budget * share
  const least = yield* bisect((level) => fits({ words: 0, lastWords: level, rest: 0 }, leastLastWords))
  const words = yield* bisect((level) =>
    fits({ words: level, lastWords: Math.max(level, least), rest: 0 }, wordShare),
  )
  const lastWords = yield* bisect(
    (level) => level <= Math.max(words, least) || fits({ words, lastWords: level, rest: 0 }, lastWordShare),
  )
  return { words, lastWords, rest: yield* bisect((level) => fits({ words, lastWords, rest: level }, 1)) }
}

/** Finds the highest level that fits, to a millionth; Infinity if everything fits. */
function* bisect(fits: (level: number) => boolean): Steps<number> {
  if (fits(Number.POSITIVE_INFINITY)) return Number.POSITIVE_INFINITY
  let low = Math.log(0.001)
  let high = Math.log(10_000_000)
  for (let step = 0; step < 26; step++) {
    const middle = (low + high) / 2
    if (fits(Math.exp(middle))) low = middle
    else high = middle
    yield
  }
  return Math.exp(low)
}

function estimate(sized: SizedExcerpts, levels: Levels): number {
  let sum = 0
  let start = 0
  for (const end of sized.ends) {
    let size = 0
    let lines = 0
    for (let part = start; part < end; part++) {
      const cap = capOf(sized, part, levels)
      if (cap > 0) size += partSize(sized, part, cap)
      else if (sized.isLine[part] === 1) lines += partSize(sized, part, sized.shortest[part] as number)
    }
    if (size > 0) sum += entryTokens + size + lines
    start = end
  }
  return sum
}

/** Tokens of a part with a cap. Each line break costs one more, for the quote mark. */
function partSize({ tokens, lines }: SizedExcerpts, part: number, cap: number): number {
  const own = tokens[part] as number
  if (own === 0) return 0
  return Math.min(own, cap) + (lines[part] as number) * Math.min(1, cap / own)
}

function capOf(sized: SizedExcerpts, part: number, levels: Levels): number {
  const tokens = sized.tokens[part] as number
  const level = levels[levelNames[sized.level[part] as number] as keyof Levels]
  const cap = level * (sized.factor[part] as number)
  if (cap >= tokens) return tokens
  return cap < (sized.least[part] as number) ? 0 : Math.max(sized.shortest[part] as number, Math.floor(cap))
}
