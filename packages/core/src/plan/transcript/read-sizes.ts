import { type TextKind, textKinds } from '../text-kinds.ts'

/** Maximum share of the budget for thoughts. */
const mostThoughts = 0.125

export interface SizedText {
  readonly kind: TextKind
  readonly tokens: number
  /** Position in the session, 0 to 1. */
  readonly position: number
  /** Weight by later use in the session. @default 1 */
  readonly use?: number
}

/**
 * Returns the size of each text so that all together take at most `budget`. Whole texts come first, and the rest is
 * shared by weight. Whole texts may exceed the budget, but not `most`, which they share if necessary.
 */
export function readSizes(texts: readonly SizedText[], budget: number, most = Infinity): number[] {
  const words = texts.reduce((sum, text) => sum + (isWhole(text) ? text.tokens : 0), 0)
  const isCut = words > most
  const thoughts = texts.filter(({ kind }) => kind === 'reasoning')
  const weighted = (level: number, { kind, position, use = 1 }: SizedText) =>
    // The last events show where to continue.
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

/** Returns the highest level whose size is at most `budget`, by bisection. */
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
