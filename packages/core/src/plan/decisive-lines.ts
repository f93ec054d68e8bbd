import { errorLines } from '../facts/errors/error-lines.ts'
import { cleanLine } from '../session/clean-text.ts'
import { cutHead, cutTail } from '../session/cut-text.ts'

const decisive =
  /\b(error|fail(ed|ure)?|fatal|panic|exception|traceback|assert\w*|expected|received|undefined|cannot|could not|unable|not found|no such|denied|refused|timed? ?out|conflict|invalid|missing|warning)\b|^\s*(✗|✖|×|FAIL|E )|[A-Z]\w*Error\b/i

/** `src/a.ts:12:3: message`, `src/a.ts(12,3): message`, `12:3 error message`. */
const placed =
  /^\s*(?:(?=[^\s:(]{0,200}[./\\][^\s:(]{0,200}[A-Za-z_])[\w@~./\\-]{1,200}(?::\d+(?::\d+)?:?|\(\d+,\d+\):?)\s+\S|\d+:\d+\s+(?:error|warning)\b)/

/** A heading with the file of the following failures: a path alone, or one before a ruled line. */
const heading = /[━─═]{3,}$|^\s?[\w@~./\\-]{0,200}[./\\][\w-]{1,60}:?$/
/** The command of a package's script, which shows what step of a chain failed. */
const step = /^\s*(?:\[[\w:.-]{1,60}\] )?\$ \S|^> \S/
/** Maximum lines from a heading to a failure that belongs to it. */
const headingReach = 12

/** First line of a failure, as runners, compilers and shells print it. */
const opening =
  /^\s*(?:--- FAIL|FAIL(?:ED|URE)?\b|not ok\b|[✗✖×✘●] ?\S|\d{1,3}\) \S|E {3}\S|_{3,} .{1,200} _{3,}$|panic:|fatal:|thread '.{1,80}' panicked|Traceback \(|error\b(?:\[\w+\])?(?: TS\d+)?:|(?:\w+\.){0,5}\w*(?:Error|Exception)\b[^(]{0,40}:)/

const frame = /^\s*(?:at \S|File "|\d+ \||goroutine \d)/

/** Whether a line of output names what failed. */
export function isDecisive(line: string): boolean {
  const text = line.slice(0, 400)
  return decisive.test(text) && !isPassed(text)
}

/** How much a line of a failed output shows of the failure: from 0 for nothing to 3 for the failure itself. */
export function decisiveness(line: string): 0 | 1 | 2 | 3 {
  const text = line.slice(0, 400)
  if (isPassed(text)) return 0
  if (placed.test(text) || opening.test(text)) return 3
  return decisive.test(text) ? 2 : 0
}

/** Outputs with at most this many lines are kept whole. */
const shortOutput = 12
/** Lines after the opening of a failure that belong to it: name, expected and actual value. */
const following = 6
const most = 36
/** If at least this many lines describe failures, lines that only mention one are left out. */
const enough = 4

/**
 * Returns the lines of a long failed output that show what failed, each once: places in files, the first lines of a
 * failure with those after them, the lines used by the facts, and the last lines. If these are few, also lines that
 * mention a failure. A short output is returned whole.
 */
export function decisiveLines(output: string): string {
  const lines = withoutPassedRuns(output).split('\n')
  if (lines.length <= shortOutput) return lines.join('\n')
  const named = new Set(errorLines(output).split(' / '))
  const kept = new Set<number>()
  const seen = new Set<string>()
  const keep = (index: number): boolean => {
    const key = (lines[index] ?? '').replace(/\d+/g, '0').trim()
    if (key === '' || seen.has(key) || kept.size >= most) return false
    seen.add(key)
    kept.add(index)
    return true
  }
  let under = Number.NEGATIVE_INFINITY
  let within: number | undefined
  lines.forEach((line, index) => {
    const text = line.slice(0, 400)
    const isOpening = decisiveness(text) === 3
    if (step.test(text)) within = index
    if (!isOpening && heading.test(text)) under = index
    if (!isOpening && !named.has(cleanLine(line))) return
    if (!keep(index) || !isOpening) return
    if (within !== undefined) keep(within)
    if (index - under <= headingReach) keep(under)
    if (placed.test(text)) return
    for (let next = index + 1, shown = 0; next < lines.length && shown < following; next++) {
      const after = (lines[next] ?? '').slice(0, 400)
      if (decisiveness(after) === 3 || isPassed(after) || frame.test(after)) break
      if (keep(next)) shown++
    }
  })
  if (kept.size < enough) for (const [index, line] of lines.entries()) if (isDecisive(line)) keep(index)
  const last = lines.length - 4
  return lines.filter((_, index) => index >= last || kept.has(index)).join('\n')
}

const passed =
  /^\s*(?:✓|✔|√|PASS\b|ok\s+(?:\d|\S+\s+\(?(?:\d|cached))|--- PASS\b|\S{1,200} PASSED\b)|\.\.\. ok$/

/** Whether a line of a test runner reports a passed test, whose name may mention errors. */
export function isPassed(line: string): boolean {
  return passed.test(line)
}

/** Summary line of a test runner without failures. */
const green =
  /^\s*(?:0 fail(?:ed|ing|ures?)?\s*$|test result: ok\.|\d{1,7} passing\b|(?:Tests|Test Files|Test Suites):?\s(?!.*\bfailed\b).*\b\d+ passed\b|(?:=+ )?(?!.*\b(?:failed|errors?)\b)\d+ passed\b.* in [\d.]+s\b)/

/** Summary line of a test runner with failures. */
const red =
  /^\s*(?:[1-9]\d* fail(?:ed|ing|ures?)?\s*$|test result: FAILED|(?:Tests|Test Files|Test Suites):?\s.*\b[1-9]\d* failed\b|(?:=+ )?[^=]{0,40}\b[1-9]\d* (?:failed|errors?)\b.* in [\d.]+s\b)/

/** Lines before the summary that belong to it. */
const before = 3

/**
 * Leaves out the output of passed test runs except the summaries, because tests that provoke errors print errors. A run
 * begins at the start of the output, or after an earlier summary, and ends with its summary. `omitted` makes the mark
 * for the gap. Linear time.
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

/** Mocha prints `51 passing` and, right after it, `1 failing`. */
function failsSoon(lines: readonly string[], index: number): boolean {
  return lines.slice(index + 1, index + 4).some((line) => red.test(line.slice(0, 400)))
}

/** Maximum length of a text: ranking its lines takes time, and most could never be shown. */
const longest = 60_000

/** A cut moves to a line break if at least this share of a half remains. */
const nearby = 0.8

/**
 * Cuts the middle out of a very long text, at nearby line breaks, never inside a name or a number. `omitted` makes the
 * mark for the gap.
 */
export function cutMiddle(text: string, omitted: (text: string) => string): string {
  if (text.length <= longest) return text
  const half = longest / 2
  const lineEnd = text.lastIndexOf('\n', half)
  const head = lineEnd > half * nearby ? text.slice(0, lineEnd) : cutHead(text, half)
  const lineStart = text.indexOf('\n', text.length - half) + 1
  const hasLine = lineStart > 0 && text.length - lineStart > half * nearby
  const tail = hasLine ? text.slice(lineStart) : cutTail(text, half)
  return `${head}\n${omitted(text.slice(head.length, text.length - tail.length))}\n${tail}`
}
