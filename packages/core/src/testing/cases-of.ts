/** One law of a suite. */
export interface SuiteCase<Given, Result = Promise<void>> {
  /** For the title of a test. */
  readonly name: string
  /** Throws AssertionError, or rejects with it, if what is given breaks the law. */
  run(given: Given): Result
}

/** Cases of a suite by the names of the laws that they check. */
export function casesOf<Given, Result = Promise<void>>(
  laws: Readonly<Record<string, (given: Given) => Result>>,
): readonly SuiteCase<Given, Result>[] {
  return Object.entries(laws).map(([name, run]) => ({ name, run }))
}
