/**
 * Lines by which test runners, compilers and package managers say how they ended. Each pattern is matched with one
 * trimmed line without terminal escapes, from its beginning.
 */
export interface ClosingLines {
  readonly runner: string
  /** Lines of a summary that say it passed. */
  readonly passed?: readonly RegExp[]
  /** Lines of a summary that say it failed. */
  readonly failed?: readonly RegExp[]
  /** Lines that report one error: a failure unless a summary says that it passed. */
  readonly error?: readonly RegExp[]
}
