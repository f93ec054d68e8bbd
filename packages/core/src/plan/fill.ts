import type { TrailEntry } from '../bundle/schema.ts'
import { shorten } from '../tokens/shorten.ts'
import type { TokenCounter } from '../tokens/token-counter.ts'
import { condense, type Worth } from './condense.ts'
import { isDecisive } from './decisive-lines.ts'
import type { Excerpt, ExcerptPart, PartClass } from './excerpt.ts'
import { isCode } from './worth.ts'

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
  error_body: { weight: 6, least: 10 },
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
const lastWordShare = 0.75

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

function isLine(part: ExcerptPart): boolean {
  return part.class === 'line' || part.class === 'past_line'
}

/** Room at least of a part that is shown at all: a path and a mark, a message with the names in it. */
const shortest: { readonly [C in PartClass]?: number } = { line: 16, past_line: 16, error_body: 24 }

/** Room that each further call of a run adds to its line: a target without what every line repeats. */
const perFurtherCall = 0.6

// `- e123 label:`, and one token for the quote mark of each line of a block.
const entryTokens = 6

/**
 * Fills `budget` tokens with excerpts. Every part is cut to a cap that is common to its class (water-filling: the level
 * is found by bisection), so that nothing is dropped while a shorter form of it still says something. Deterministic;
 * more budget never gives a part less room.
 */
export function fillTrail(
  excerpts: readonly Excerpt[],
  budget: number,
  counter: TokenCounter,
  worth: Worth,
): TrailEntry[] {
  const levels = findLevels(excerpts, budget)
  const entries = excerpts.flatMap((excerpt) => render(excerpt, levels, counter, worth))
  return groupByAgent(entries)
}

/** Tokens that the excerpts take at an unlimited budget, about. */
export function fullSize(excerpts: readonly Excerpt[]): number {
  return estimate(excerpts, { words: all, lastWords: all, rest: all })
}

const all = Number.POSITIVE_INFINITY

function findLevels(excerpts: readonly Excerpt[], budget: number): Levels {
  const fits = (levels: Levels, share: number) => estimate(excerpts, levels) <= budget * share
  const words = bisect((level) => fits({ words: level, lastWords: level, rest: 0 }, wordShare))
  const lastWords = bisect(
    (level) => level <= words || fits({ words, lastWords: level, rest: 0 }, lastWordShare),
  )
  return { words, lastWords, rest: bisect((level) => fits({ words, lastWords, rest: level }, 1)) }
}

/** The highest level that fits, to a millionth; infinite where all fits. */
function bisect(fits: (level: number) => boolean): number {
  if (fits(Number.POSITIVE_INFINITY)) return Number.POSITIVE_INFINITY
  let low = Math.log(0.001)
  let high = Math.log(10_000_000)
  for (let step = 0; step < 40; step++) {
    const middle = (low + high) / 2
    if (fits(Math.exp(middle))) low = middle
    else high = middle
  }
  return Math.exp(low)
}

function estimate(excerpts: readonly Excerpt[], levels: Levels): number {
  let sum = 0
  for (const excerpt of excerpts) {
    const caps = capsOf(excerpt, levels)
    let size = 0
    for (const [index, part] of excerpt.parts.entries()) size += partSize(part, caps[index] ?? 0)
    if (size > 0) sum += entryTokens + size
  }
  return sum
}

/** Tokens of a part under a cap: 0 if it is left out. Line breaks cost one more each, for the quote mark. */
function partSize(part: ExcerptPart, cap: number): number {
  if (cap === 0) return 0
  const share = Math.min(1, cap / part.tokens)
  return Math.min(part.tokens, cap) + part.lines * share
}

/** Caps of the parts of an excerpt, in their order. What a call was given or answered never stands without its line. */
function capsOf(excerpt: Excerpt, levels: Levels): number[] {
  const caps = excerpt.parts.map((part) => capOf(part, excerpt, levels))
  if (!caps.some((cap) => cap > 0)) return caps
  return caps.map((cap, index) => {
    const part = excerpt.parts[index]
    return part !== undefined && isLine(part) ? Math.max(cap, leastOf(part)) : cap
  })
}

function capOf(part: ExcerptPart, excerpt: Excerpt, levels: Levels): number {
  const level = levelOf(part.class, levels)
  const { weight, least } = weights[part.class]
  const recency = fading.has(part.class) ? 1 + 2 * excerpt.position ** 2 : 1
  const unique = part.unique ? 3 : 1
  const cap = level * weight * recency * unique * (1 + ((part.calls ?? 1) - 1) * perFurtherCall)
  if (cap >= part.tokens) return part.tokens
  // Lines of calls come in one by one as the room grows, the latest first: all at once they would take it in one step.
  if (cap < (isLine(part) ? least * (1.5 - excerpt.position) : least)) return 0
  return Math.max(leastOf(part), Math.floor(cap))
}

function levelOf(partClass: PartClass, levels: Levels): number {
  if (partClass === 'last_user') return levels.lastWords
  return words.has(partClass) ? levels.words : levels.rest
}

function leastOf({ class: partClass, tokens }: ExcerptPart): number {
  return Math.min(tokens, shortest[partClass] ?? 0)
}

function render(excerpt: Excerpt, levels: Levels, counter: TokenCounter, worth: Worth): TrailEntry[] {
  const caps = capsOf(excerpt, levels)
  const texts = excerpt.parts.flatMap((part, index) => {
    const cap = caps[index] ?? 0
    const text = cap === 0 ? '' : cutPart(part, cap, counter, worth)
    return text === '' ? [] : [text]
  })
  if (texts.length === 0) return []
  const { event, until, agent, label } = excerpt
  return [{ event, ...(until === undefined ? {} : { until }), agent, label, text: texts.join('\n').trim() }]
}

function cutPart(part: ExcerptPart, cap: number, counter: TokenCounter, worth: Worth): string {
  if (isLine(part)) return cutLine(part, cap, counter)
  return condense(part.text, cap, counter, worthIn(part.class, worth), part.tokens)
}

/** Worth of a sentence in a part: of a failure the lines that say what failed count more, among prose those of code less. */
function worthIn(partClass: PartClass, worth: Worth): Worth {
  if (partClass === 'error_body' || partClass === 'check_body')
    return (segment) => worth(segment) + (isDecisive(segment) ? 4 : 0)
  return prose.has(partClass) ? (segment) => worth(segment) * (isCode(segment) ? 0.4 : 1) : worth
}

const prose: ReadonlySet<PartClass> = new Set<PartClass>(['answer', 'last_answer', 'chatter', 'agent_report'])

/** The line of a call, or of a run of calls as many whole targets as fit. Empty if not even the name of a file fits. */
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

/** `x6 a.ts, b.ts, 4 more`, the first ones, each by its name if its path has no room. */
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

// `, 12 more`
const moreTokens = 4

/** `…/a.ts` of a path that has no room; empty where the text is none, or not even that fits. */
function pathEnd(text: string, room: number, counter: TokenCounter): string {
  const name = /^[^\s]{1,400}\/([^\s/]+)$/.exec(text)?.[1]
  const end = name === undefined ? '' : `…/${name}`
  return counter.count(end) <= room ? end : ''
}

/** `main` first, then each agent in order of its first entry: parallel agents would interleave. */
function groupByAgent(entries: readonly TrailEntry[]): TrailEntry[] {
  const groups = new Map<string, TrailEntry[]>([['main', []]])
  for (const entry of entries) {
    const group = groups.get(entry.agent)
    if (group === undefined) groups.set(entry.agent, [entry])
    else group.push(entry)
  }
  return [...groups.values()].flat()
}
