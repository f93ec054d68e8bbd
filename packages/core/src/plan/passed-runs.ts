const passed =
  /^\s*(?:✓|✔|√|PASS\b|ok\s+(?:\d|\S+\s+\(?(?:\d|cached))|--- PASS\b|\S{1,200} PASSED\b)|\.\.\. ok$/

/** Whether a line of a test runner is about a test that passed, whose name may speak of errors. */
export function isPassed(line: string): boolean {
  return passed.test(line)
}

/** The line in which a test runner says that nothing failed. */
const green =
  /^\s*(?:0 fail(?:ed|ing|ures?)?\s*$|test result: ok\.|\d{1,7} passing\b|(?:Tests|Test Files|Test Suites):?\s(?!.*\bfailed\b).*\b\d+ passed\b|(?:=+ )?(?!.*\b(?:failed|errors?)\b)\d+ passed\b.* in [\d.]+s\b)/

/** The line in which it says that something failed. */
const red =
  /^\s*(?:[1-9]\d* fail(?:ed|ing|ures?)?\s*$|test result: FAILED|(?:Tests|Test Files|Test Suites):?\s.*\b[1-9]\d* failed\b|(?:=+ )?[^=]{0,40}\b[1-9]\d* (?:failed|errors?)\b.* in [\d.]+s\b)/

/** Lines before the summary that belong to it. */
const before = 3

/**
 * Leaves out what test runs printed that passed, except for their summaries: tests that provoke errors print errors
 * that are none. What came between the start of the output, or an earlier summary, and the summary counts as the run.
 * `omitted` makes the mark for it. Linear time.
 */
export function withoutPassedRuns(output: string, omitted?: (text: string) => string): string {
  const lines = output.split('\n')
  const kept: string[] = []
  let start = 0
  lines.forEach((line, index) => {
    const text = line.slice(0, 400)
    const isRed = red.test(text)
    if (!isRed && !(green.test(text) && !failsSoon(lines, index))) return
    const end = isRed ? index : Math.max(start, index - before)
    if (isRed) kept.push(...lines.slice(start, end))
    else if (omitted !== undefined && end > start) kept.push(omitted(lines.slice(start, end).join('\n')))
    kept.push(...lines.slice(end, index + 1))
    start = index + 1
  })
  return [...kept, ...lines.slice(start)].join('\n')
}

/** Mocha says `51 passing` and, right after it, `1 failing`. */
function failsSoon(lines: readonly string[], index: number): boolean {
  return lines.slice(index + 1, index + 4).some((line) => red.test(line.slice(0, 400)))
}
