/** Something odd in the input. It travels with the session and the bundle instead of being dropped or thrown. */
export interface Note {
  /** Stable, kebab-case: `bad-line`, `truncated-tail`, `unknown-record`. */
  readonly code: string
  /** What is odd, in one line. */
  readonly message: string
  /** File of the log, if it has several. */
  readonly file?: string
  /** Line of the first occurrence, counted from 1. */
  readonly line?: number
  /** Number of occurrences, if more than one. */
  readonly count?: number
}
