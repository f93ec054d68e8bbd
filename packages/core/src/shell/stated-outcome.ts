import { largePattern } from '../session/large-pattern.ts'
import { stripEscapes } from '../session/strip-escapes.ts'
import { runners } from './runners/runners.ts'

// A runner prints its summary at the end of its output; a compiler without a summary names its errors earlier.
const tailLength = 40_000
const maxLine = 400

const passed = anyOf(runners.flatMap((lines) => lines.passed ?? []))
const failed = anyOf(runners.flatMap((lines) => lines.failed ?? []))
const shell = anyOf(runners.find(({ runner }) => runner === 'shell')?.error ?? [])
const error = anyOf(runners.flatMap((lines) => lines.error ?? []))

/**
 * Determines how a command ended from its own output; `undefined` if the output does not say. A summary that reports a
 * failure takes precedence, then one that reports success, then single errors.
 */
export function statedOutcome(output: string): 'ok' | 'error' | undefined {
  let hasPassed = false
  let hasError = false
  for (const raw of stripEscapes(output.slice(-tailLength)).split(/[\r\n]+/)) {
    const line = raw.slice(0, maxLine).trim()
    if (line === '') continue
    if (failed().test(line)) return 'error'
    hasPassed ||= passed().test(line)
    hasError ||= error().test(line)
  }
  if (hasPassed) return 'ok'
  return hasError ? 'error' : undefined
}

/**
 * Determines how a command that only displays things ended: an error if all that it printed is the complaint of a shell
 * or of the program. Displayed file content states nothing.
 */
export function statedByShell(output: string): 'error' | undefined {
  const lines = output.slice(0, 2000).trim().split('\n')
  return lines.length <= 3 && lines.some((line) => shell().test(line.slice(0, maxLine).trim()))
    ? 'error'
    : undefined
}

/** One pattern for all of them, so that each line is scanned once. */
function anyOf(patterns: readonly RegExp[]): () => RegExp {
  return largePattern(`^(?:${patterns.map(({ source }) => source).join('|')})`)
}
