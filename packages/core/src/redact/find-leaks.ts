import type { Redaction } from './redaction.ts'

/** Secrets that a redaction still finds in a value that should hold none. */
export interface Leaks {
  /** Parts that would be replaced. */
  readonly leaks: number
  /** Secrets, or spellings of one, that the redaction did not know before; it knows them now. */
  readonly learned: number
}

/**
 * Finds secrets in a bundle or any other JSON value, by the redactors and by all values known so far, and learns them.
 * The data that the value was made from can then be redacted again, with the wider knowledge.
 */
export function leaksIn(value: unknown, redaction: Redaction): Leaks {
  const before = redaction.learned
  redaction.learnValue(value)
  const leaks = redaction.leaks(value)
  return { leaks, learned: redaction.learned - before }
}
