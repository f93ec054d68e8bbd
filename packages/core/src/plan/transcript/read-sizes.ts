import { type TextKind, textKinds } from '../text-kinds.ts'

/** Share of the budget that thoughts may take. */
const mostThoughts = 0.125

export interface SizedText {
  readonly kind: TextKind
  readonly tokens: number
  /** Position in the session, 0 to 1. */
  readonly position: number
  /** By what the session did with it later. @default 1 */
  readonly use?: number
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
  const weighted = (level: number, { kind, position, use = 1 }: SizedText) =>
    // The last events show where to go on.
    Math.floor(level * textKinds[kind].read.weight * use * (0.7 + 0.4 * position + 0.7 * position ** 8))
  const thoughtLevel = highestLevel(
    (level) => thoughts.reduce((sum, text) => sum + Math.min(text.tokens, weighted(level, text)), 0),
    Math.max(budget, 0) * mostThoughts,
  )
  const capAt = (level: number, text: SizedText): number => {
    const { kind, tokens } = text
    const { least = 8, shortest } = textKinds[kind].read
    if (isWhole(text)) return isCut ? Math.min(tokens, Math.floor(level)) : tokens
    if (isCut) return kind === 'line' ? Math.min(tokens, shortest ?? 0) : 0
    const cap = weighted(kind === 'reasoning' ? Math.min(level, thoughtLevel) : level, text)
    if (cap >= tokens) return tokens
    if (shortest !== undefined) return Math.min(tokens, Math.max(shortest, cap))
    return cap < least ? 0 : cap
  }
  const level = highestLevel(
    (each) => texts.reduce((sum, text) => sum + capAt(each, text), 0),
    isCut ? most : budget,
  )
  return texts.map((text) => capAt(level, text))
}

function isWhole({ kind }: SizedText): boolean {
  return textKinds[kind].read.weight === Number.POSITIVE_INFINITY
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
