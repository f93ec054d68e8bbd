import { stripEscapes } from '../session/clean-text.ts'
import { largePattern } from '../session/large-pattern.ts'
import { closingLines } from './closing-lines.ts'

// A runner prints its summary last; a compiler without a summary prints its errors earlier.
const tailLength = 40_000
const maxLine = 400

const passed = anyOf(({ says }) => says === '+')
const failed = anyOf(({ says }) => says === '-')
const error = anyOf(({ says }) => says === '!')

/**
 * Determines from the output how a command ended; `undefined` if the output does not show it. A summary of failure
 * takes precedence, then one of success, then single errors.
 */
export function statedOutcome(output: string): 'ok' | 'error' | undefined {
  let hasPassed = false
  let hasError = false
  for (const raw of stripEscapes(output.slice(-tailLength)).split(/[\r\n]+/)) {
    const whole = raw.slice(0, maxLine).trim()
    const own = whole.replace(ofTask, '')
    for (const line of own === whole ? [whole] : [whole, own]) {
      if (line === '') continue
      if (failed().test(line)) return 'error'
      hasPassed ||= passed().test(line)
      hasError ||= error().test(line)
    }
  }
  if (hasPassed) return 'ok'
  return hasError ? 'error' : undefined
}

/** Prefixes that a task runner adds to each line: `[lint:go]`, `@app/web:test:`, `web-1  |`. */
const ofTask = /^(?:\[[\w:./@-]{1,60}\] ?|[\w@/-]{1,60}:[a-z][\w:-]{0,40}: |[\w-]{1,60} +\| )/

/** Joins patterns into one, so that each line is scanned once. */
function anyOf(isOne: (line: (typeof closingLines)[number]) => boolean): () => RegExp {
  const patterns = closingLines.filter(isOne).map(({ pattern }) => pattern)
  return largePattern(`^(?:${patterns.join('|')})`)
}

const outputFrame = /^(?:Command: [\s\S]{0,4000}?\nDirectory: [^\n]{0,1000}\n)?Output: /
const trailer = /^(?:Error: \(none\)|(?:Exit Code|Signal|Background PIDs|Process Group PGID): .{0,200})$/

/** Returns what a command printed, without the fields that Gemini CLI adds; any other text unchanged. */
export function shellOutput(text: string): string {
  const start = outputFrame.exec(text.slice(0, 6000))?.[0]
  if (start === undefined) return text
  let end = text.length
  for (;;) {
    const line = text.lastIndexOf('\n', end - 1)
    if (line < start.length || !trailer.test(text.slice(line + 1, end))) break
    end = line
  }
  const output = text.slice(start.length, end)
  return output === '(empty)' ? '' : output
}
