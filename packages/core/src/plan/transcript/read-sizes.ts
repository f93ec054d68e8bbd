/**
 * What a text is to a reader who sums up the session. `whole` texts are never shortened: words of the user, what was
 * asked of them and answered, the last answer.
 */
export type ReadKind =
  | 'whole'
  | 'question'
  | 'answer'
  | 'proposal'
  | 'chatter'
  | 'pasted'
  | 'plan'
  | 'compaction'
  | 'task'
  | 'report'
  | 'line'
  | 'failure'
  | 'check'
  | 'edit'
  | 'notice'
  | 'instructions'
  | 'document'
  | 'output'
  | 'file'
  | 'reasoning'
  | 'context'

/** Room of a kind compared to the others. Infinite: whole. */
const weights: Record<ReadKind, number> = {
  whole: Number.POSITIVE_INFINITY,
  question: Number.POSITIVE_INFINITY,
  answer: 30,
  proposal: 30,
  // What binds in them is among the project rules.
  instructions: 8,
  plan: 30,
  chatter: 10,
  compaction: 8,
  report: 6,
  pasted: 6,
  line: 6,
  failure: 6,
  document: 5,
  task: 2,
  notice: 2,
  check: 1.5,
  edit: 3,
  output: 1,
  reasoning: 1.2,
  file: 0.8,
  context: 0.6,
}

/** A shorter piece of these says nothing: it is left out. */
const leasts: { readonly [K in ReadKind]?: number } = {
  edit: 16,
  output: 12,
  file: 16,
  reasoning: 40,
  context: 16,
  check: 12,
  task: 12,
}

/** Minimum room: the line of a call, the verdict of an agent. */
const shortest: { readonly [K in ReadKind]?: number } = { line: 24, report: 60 }

/** Share of the budget that thoughts may take. */
const mostThoughts = 0.125

export interface SizedText {
  readonly kind: ReadKind
  readonly tokens: number
  /** Position in the session, 0 to 1. */
  readonly position: number
}

/**
 * Returns how many tokens each text may take so that all together take at most `budget`: texts that are whole come
 * first, and what they leave is shared so that none gets more than its weight allows. They are shown even if they
 * exceed the budget, unless they exceed `most`: then they share it.
 */
export function readSizes(texts: readonly SizedText[], budget: number, most = Infinity): number[] {
  const words = texts.reduce((sum, text) => sum + (isWhole(text) ? text.tokens : 0), 0)
  const isCut = words > most
  const thoughts = texts.filter(({ kind }) => kind === 'reasoning')
  const weighted = (level: number, { kind, position }: SizedText) =>
    // The last events show where to go on.
    Math.floor(level * weights[kind] * (0.7 + 0.4 * position + 0.7 * position ** 8))
  const thoughtLevel = highestLevel(
    (level) => thoughts.reduce((sum, text) => sum + Math.min(text.tokens, weighted(level, text)), 0),
    Math.max(budget, 0) * mostThoughts,
  )
  const capAt = (level: number, text: SizedText): number => {
    const { kind, tokens } = text
    const least = shortest[kind]
    if (isWhole(text)) return isCut ? Math.min(tokens, Math.floor(level)) : tokens
    if (isCut) return kind === 'line' ? Math.min(tokens, least ?? 0) : 0
    const cap = weighted(kind === 'reasoning' ? Math.min(level, thoughtLevel) : level, text)
    if (cap >= tokens) return tokens
    if (least !== undefined) return Math.min(tokens, Math.max(least, cap))
    return cap < (leasts[kind] ?? 8) ? 0 : cap
  }
  const level = highestLevel(
    (each) => texts.reduce((sum, text) => sum + capAt(each, text), 0),
    isCut ? most : budget,
  )
  return texts.map((text) => capAt(level, text))
}

function isWhole({ kind }: SizedText): boolean {
  return weights[kind] === Number.POSITIVE_INFINITY
}

/** The highest level at which the size is at most `budget`, found by bisection. */
function highestLevel(sizeAt: (level: number) => number, budget: number): number {
  let low = 0
  let high = 1_000_000
  if (sizeAt(high) <= budget) return high
  for (let step = 0; step < 40 && high - low > 0.01; step++) {
    const middle = low === 0 ? high / 16 : Math.sqrt(low * high)
    if (sizeAt(middle) <= budget) low = middle
    else high = middle
    if (low === 0 && high < 0.01) break
  }
  return low
}
