/** Limits of a bundle, as shares of the source tokens. */
export interface BudgetOptions {
  /** Upper limit. @default 0.1 */
  readonly maxRatio?: number | undefined
  /** Lower limit; a smaller bundle has a note with the reason. @default 0.05, or half of maxRatio if that is less */
  readonly minRatio?: number | undefined
  /** Cap in tokens, regardless of the ratio. @default none */
  readonly maxTokens?: number | undefined
  /**
   * A session with fewer source tokens is too small for the ratio. Its bundle may take up to 600 tokens, fewer the
   * closer the session is to this size, and never more than the session has, not counting the id of the bundle. 0
   * applies the ratio to every session.
   * @default 4000
   */
  readonly minSourceTokens?: number | undefined
  /**
   * Share of the source tokens that a model reads, including its instructions; the rest is condensed. Words of the user
   * and the last answer are read whole even if they exceed it. 1 reads everything, and calls the model even for a
   * session so small that a summarizer of the chain without a model would take it.
   * @default 0.35
   */
  readonly maxReadRatio?: number | undefined
}

export interface Budget {
  readonly sourceTokens: number
  /** Maximum tokens of the bundle's Markdown. */
  readonly maxTokens: number
  readonly minTokens: number
  /** True if the session has fewer than `minSourceTokens`. */
  readonly small: boolean
  /** True if the caller's `maxTokens` is the tighter limit. */
  readonly capped: boolean
  readonly readRatio: number
}

export const defaultReadRatio = 0.35

/** Maximum tokens of a bundle whose session is too small for the ratio. */
const smallTokens = 600

/** Computes the budget of a session. Throws RangeError on invalid limits. */
export function budgetOf(sourceTokens: number, options: BudgetOptions = {}): Budget {
  const {
    maxRatio = 0.1,
    minRatio = Math.min(0.05, maxRatio / 2),
    maxTokens = Number.POSITIVE_INFINITY,
    minSourceTokens = 4000,
    maxReadRatio = defaultReadRatio,
  } = options
  if (!(maxRatio > 0 && maxRatio <= 1))
    throw new RangeError(`expected maxRatio above 0 and up to 1, got ${maxRatio}`)
  if (!(minRatio >= 0 && minRatio <= maxRatio))
    throw new RangeError(`expected minRatio from 0 to maxRatio (${maxRatio}), got ${minRatio}`)
  if (!(maxTokens > 0)) throw new RangeError(`expected maxTokens above 0, got ${maxTokens}`)
  if (!(minSourceTokens >= 0))
    throw new RangeError(`expected minSourceTokens of at least 0, got ${minSourceTokens}`)
  if (!(maxReadRatio > 0 && maxReadRatio <= 1))
    throw new RangeError(`expected maxReadRatio above 0 and up to 1, got ${maxReadRatio}`)
  const small = sourceTokens < minSourceTokens
  const byRatio = Math.floor(sourceTokens * maxRatio)
  const limit = small ? smallLimit(sourceTokens, minSourceTokens, maxRatio) : byRatio
  return {
    sourceTokens,
    maxTokens: Math.min(limit, maxTokens),
    minTokens: small ? 0 : Math.min(Math.ceil(sourceTokens * minRatio), byRatio),
    small,
    capped: maxTokens < limit,
    readRatio: maxReadRatio,
  }
}

/**
 * Falls from 600 tokens to the ratio's size at `minSourceTokens`, so that a session just below that size does not get a
 * much larger bundle than one just above it.
 */
function smallLimit(sourceTokens: number, minSourceTokens: number, maxRatio: number): number {
  const excess = Math.max(0, smallTokens - minSourceTokens * maxRatio)
  const most = Math.max(sourceTokens * maxRatio, smallTokens - excess * (sourceTokens / minSourceTokens))
  return Math.floor(Math.min(sourceTokens, most))
}

/** Share of a bundle for the summary; facts and trail take the rest. */
const summaryShare = 0.3

/** Returns approximately how many tokens the summary of a session may take. */
export function summaryBudget({ maxTokens, sourceTokens }: Budget): number {
  return Math.floor(Math.min(maxTokens, sourceTokens) * summaryShare)
}
