/** One law of a suite. */
export interface SuiteCase<Given, Result = Promise<void>> {
  /** Title of the test. */
  readonly name: string
  /** Throws or rejects with AssertionError if the law is broken. */
  run(given: Given): Result
}

/** Returns the cases of a suite, named after the laws that they check. */
export function casesOf<Given, Result = Promise<void>>(
  laws: Readonly<Record<string, (given: Given) => Result>>,
): readonly SuiteCase<Given, Result>[] {
  return Object.entries(laws).map(([name, run]) => ({ name, run }))
}
