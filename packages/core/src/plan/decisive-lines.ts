import { errorLines } from '../facts/errors/error-lines.ts'
import { cleanLine } from '../session/clean-text.ts'
import { isPassed, withoutPassedRuns } from './passed-runs.ts'

const decisive =
  /\b(error|fail(ed|ure)?|fatal|panic|exception|traceback|assert\w*|expected|received|undefined|cannot|could not|unable|not found|no such|denied|refused|timed? ?out|conflict|invalid|missing|warning)\b|^\s*(✗|✖|×|FAIL|E )|[A-Z]\w*Error\b/i

/** `src/a.ts:12:3: message`, `src/a.ts(12,3): message`, `12:3 error message`. */
const placed =
  /^\s*(?:(?=[^\s:(]{0,200}[./\\][^\s:(]{0,200}[A-Za-z_])[\w@~./\\-]{1,200}(?::\d+(?::\d+)?:?|\(\d+,\d+\):?)\s+\S|\d+:\d+\s+(?:error|warning)\b)/

/** The file that the failures after it are in: a path alone, or one before a ruled line. */
const heading = /[━─═]{3,}$|^\s?[\w@~./\\-]{0,200}[./\\][\w-]{1,60}:?$/
/** The command that a package's script runs: which step of a chain failed. */
const step = /^\s*(?:\[[\w:.-]{1,60}\] )?\$ \S|^> \S/
/** A failure further below belongs to another heading. */
const headingReach = 12

/** How a runner, compiler or shell begins what it says about one failure. */
const opening =
  /^\s*(?:--- FAIL|FAIL(?:ED|URE)?\b|not ok\b|[✗✖×✘●] ?\S|\d{1,3}\) \S|E {3}\S|_{3,} .{1,200} _{3,}$|panic:|fatal:|thread '.{1,80}' panicked|Traceback \(|error\b(?:\[\w+\])?(?: TS\d+)?:|(?:\w+\.){0,5}\w*(?:Error|Exception)\b[^(]{0,40}:)/

const frame = /^\s*(?:at \S|File "|\d+ \||goroutine \d)/

/** Whether a line of output says what failed. */
export function isDecisive(line: string): boolean {
  const text = line.slice(0, 400)
  return decisive.test(text) && !isPassed(text)
}

/** How much a line of a failed output says about the failure: 0 for nothing to 3 for the failure itself. */
export function decisiveness(line: string): 0 | 1 | 2 | 3 {
  const text = line.slice(0, 400)
  if (isPassed(text)) return 0
  if (placed.test(text) || opening.test(text)) return 3
  return decisive.test(text) ? 2 : 0
}

/** Lines of a shorter output are all kept. */
const shortOutput = 12
/** Lines after the opening of a failure that belong to it: its name, what was expected, what came. */
const following = 6
const most = 36
/** With as many lines about failures, those that only mention one are left out. */
const enough = 4

/**
 * Returns the lines of a long failure that say what failed, each once: places in files, the lines that open a failure
 * with those after them, what the facts take from it, and the last lines. If there are few of those, also the lines
 * that mention a failure. All lines of a short one.
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
