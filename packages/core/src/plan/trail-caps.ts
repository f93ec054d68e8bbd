import type { Excerpt, ExcerptPart, PartClass } from './excerpt.ts'

/**
 * Room of a class beside the others: under one budget a part may have at most `weight x level` tokens, and the level is
 * what bisection finds. `least`: below that the part says nothing and is left out. Order of worth by what was measured
 * elsewhere: words of the person, answers, failures, one line a call, and only then what tools printed.
 */
const weights: Record<PartClass, { readonly weight: number; readonly least: number }> = {
  last_user: { weight: 6, least: 8 },
  user: { weight: 1, least: 8 },
  question: { weight: 1, least: 8 },
  last_answer: { weight: 50, least: 8 },
  plan: { weight: 1, least: 16 },
  proposal: { weight: 30, least: 16 },
  pasted: { weight: 60, least: 16 },
  answer: { weight: 30, least: 16 },
  compaction: { weight: 6, least: 40 },
  agent_report: { weight: 4, least: 12 },
  error_body: { weight: 12, least: 10 },
  line: { weight: 7, least: 9 },
  past_line: { weight: 2, least: 9 },
  chatter: { weight: 2.5, least: 20 },
  check_body: { weight: 1.2, least: 12 },
  agent_task: { weight: 1, least: 12 },
  edit_body: { weight: 0.8, least: 16 },
  output_body: { weight: 0.5, least: 16 },
  reasoning: { weight: 0.4, least: 16 },
  search_body: { weight: 0.3, least: 16 },
  context: { weight: 0.2, least: 16 },
}

/** Words of the person, but for what was pasted into them, come first, whole while they fit into their share of the trail. */
const words: ReadonlySet<PartClass> = new Set<PartClass>(['last_user', 'user', 'plan', 'question'])
const wordShare = 0.68

/** The last words of the person may take the trail up to this share: what they ask for is still to be done. */
const lastWordShare = 0.9

/** Levels that bisection found: for the words of the person, for the last of them, and for all else. */
interface Levels {
  readonly words: number
  readonly lastWords: number
  readonly rest: number
}

/** Classes that say how things stand: they get up to three times the room near the end of the session. */
const fading: ReadonlySet<PartClass> = new Set<PartClass>([
  'answer',
  'chatter',
  'past_line',
  'error_body',
  'check_body',
  'edit_body',
  'output_body',
  'reasoning',
  'search_body',
])

/** Room at least of a part that is shown at all: a path and a mark, a message with the names in it. */
const shortest: { readonly [C in PartClass]?: number } = { line: 16, past_line: 16, error_body: 24 }

/** Room that each further call of a run adds to its line: a target without what every line repeats. */
const perFurtherCall = 0.6

// `- e123 label:`, and one token for the quote mark of each line of a block.
const entryTokens = 6

/** True for the line of a call, or of a run of calls. */
export function isLine(part: ExcerptPart): boolean {
  return part.class === 'line' || part.class === 'past_line'
}

/** What of a part decides how many tokens it gets at which level. */
interface SizedPart {
  readonly level: keyof Levels
  readonly factor: number
  readonly tokens: number
  readonly lines: number
  /** A smaller cap leaves the part out. */
  readonly least: number
  /** Room at least if it is shown. */
  readonly shortest: number
  readonly isLine: boolean
}

/** Excerpts with what decides their sizes, so that many budgets can be tried on them. */
export type SizedExcerpts = readonly (readonly SizedPart[])[]

/** Sizes excerpts once for all budgets. */
export function sizeExcerpts(excerpts: readonly Excerpt[]): SizedExcerpts {
  return excerpts.map(({ position, parts }) => parts.map((part) => sizedPart(part, position)))
}

function sizedPart(part: ExcerptPart, position: number): SizedPart {
  const { weight, least } = weights[part.class]
  const recency = fading.has(part.class) ? 1 + 2 * position ** 2 : 1
  const unique = part.unique ? 3 : 1
  const level = part.class === 'last_user' ? 'lastWords' : words.has(part.class) ? 'words' : 'rest'
  return {
    level,
    factor: weight * recency * unique * (1 + ((part.calls ?? 1) - 1) * perFurtherCall),
    tokens: part.tokens,
    lines: part.lines,
    // Lines of calls come in one by one as the room grows, the latest first: all at once they would take it in one step.
    least: isLine(part) ? least * (1.5 - position) : least,
    shortest: Math.min(part.tokens, shortest[part.class] ?? 0),
    isLine: isLine(part),
  }
}

/** Tokens that the excerpts take at an unlimited budget, about. */
export function fullSize(excerpts: readonly Excerpt[]): number {
  return estimate(sizeExcerpts(excerpts), { words: all, lastWords: all, rest: all })
}

const all = Number.POSITIVE_INFINITY

/**
 * Caps in tokens of the parts of each excerpt under a budget, 0 for a part that is left out. What a call was given or
 * answered never stands without its line.
 */
export function capsWithin(sized: SizedExcerpts, budget: number): number[][] {
  const levels = findLevels(sized, budget)
  return sized.map((parts) => {
    const caps = parts.map((part) => capOf(part, levels))
    if (!caps.some((cap) => cap > 0)) return caps
    return parts.map((part, index) => Math.max(caps[index] ?? 0, part.isLine ? part.shortest : 0))
  })
}

function findLevels(sized: SizedExcerpts, budget: number): Levels {
  const fits = (levels: Levels, share: number) => estimate(sized, levels) <= budget * share
  const words = bisect((level) => fits({ words: level, lastWords: level, rest: 0 }, wordShare))
  const lastWords = bisect(
    (level) => level <= words || fits({ words, lastWords: level, rest: 0 }, lastWordShare),
  )
  return { words, lastWords, rest: bisect((level) => fits({ words, lastWords, rest: level }, 1)) }
}

/** The highest level that fits, to a millionth; infinite if all fits. */
function bisect(fits: (level: number) => boolean): number {
  if (fits(Number.POSITIVE_INFINITY)) return Number.POSITIVE_INFINITY
  let low = Math.log(0.001)
  let high = Math.log(10_000_000)
  for (let step = 0; step < 26; step++) {
    const middle = (low + high) / 2
    if (fits(Math.exp(middle))) low = middle
    else high = middle
  }
  return Math.exp(low)
}

function estimate(sized: SizedExcerpts, levels: Levels): number {
  let sum = 0
  for (const parts of sized) {
    let size = 0
    let lines = 0
    for (const part of parts) {
      const cap = capOf(part, levels)
      if (cap > 0) size += partSize(part, cap)
      else if (part.isLine) lines += partSize(part, part.shortest)
    }
    if (size > 0) sum += entryTokens + size + lines
  }
  return sum
}

/** Tokens of a part under a cap. Line breaks cost one more each, for the quote mark. */
function partSize(part: SizedPart, cap: number): number {
  const share = Math.min(1, cap / part.tokens)
  return Math.min(part.tokens, cap) + part.lines * share
}

function capOf(part: SizedPart, levels: Levels): number {
  const cap = levels[part.level] * part.factor
  if (cap >= part.tokens) return part.tokens
  return cap < part.least ? 0 : Math.max(part.shortest, Math.floor(cap))
}
