import { createContext, Script } from 'node:vm'
import { marksIn, markType } from './placeholder.ts'
import type { Redactor, SecretFinding } from './redactor.ts'
import { meets } from './spans.ts'
import { squeeze } from './squeeze.ts'

/** Options of {@link patternRedactor}. */
export interface PatternRedactorOptions {
  /** Names the marks: lower case words joined by `-`. */
  readonly type: string
  /** The secret is the first capture group that took part, otherwise the whole match. */
  readonly pattern: RegExp
}

/** Milliseconds that a pattern may take for a text: a busy machine searches at least 10 MB a second with any good one. */
const longestMatch = ({ length }: string) => 3_000 + length / 10_000
/** In a shorter text no pattern takes long, and to limit its time takes longer than most searches. */
const shortestLimited = 16

const box: { matches?: () => RegExpExecArray[] } = {}
let limited: ((timeout: number) => RegExpExecArray[]) | undefined

function limitedCall(): (timeout: number) => RegExpExecArray[] {
  const context = createContext(box)
  const script = new Script('matches()')
  return (timeout) => script.runInContext(context, { timeout }) as RegExpExecArray[]
}

/** All matches. Throws an error with the code `pattern-too-slow` for a pattern that backtracks without end. */
function matchesIn(text: string, pattern: RegExp): Iterable<RegExpExecArray> {
  if (text.length < shortestLimited) return text.matchAll(pattern)
  limited ??= limitedCall()
  box.matches = () => [...text.matchAll(pattern)]
  const limit = Math.round(longestMatch(text))
  try {
    return limited(limit)
  } catch (cause) {
    if (Reflect.get(Object(cause), 'code') !== 'ERR_SCRIPT_EXECUTION_TIMEOUT') throw cause
    const message = `the pattern ${pattern} took longer than ${Math.round(limit / 1000)} s for one text: write it without repetitions inside repetitions`
    throw Object.assign(new Error(message, { cause }), { code: 'pattern-too-slow' })
  }
}

/**
 * Finds what the caller's regular expression matches. It runs over every text of a log, so it must not backtrack badly:
 * it may take three seconds for one text, and one more for each 10 MB.
 */
export function patternRedactor(options: PatternRedactorOptions): Redactor {
  if (markType(options.type) !== options.type)
    throw new TypeError(
      `expected lower case words joined by "-" as type, got ${JSON.stringify(options.type)}`,
    )
  const { source, flags } = options.pattern
  const pattern = new RegExp(source, `${flags.replace(/[gyd]/g, '')}gd`)

  return {
    name: `pattern:${options.type}`,
    settings: String(pattern),
    recipe: { name: 'patternRedactor', args: [{ type: options.type, pattern }] },
    find(text) {
      const plain = squeeze(text)
      const found: SecretFinding[] = []
      let marks: ReturnType<typeof marksIn> | undefined
      // `matchAll` advances after an empty match.
      for (const match of matchesIn(plain.text, pattern)) {
        const [start, end] = match.indices?.[1] ?? match.indices?.[0] ?? [0, 0]
        if (end <= start || start < (found.at(-1)?.end ?? 0)) continue
        const span = plain.original({ start, end })
        marks ??= marksIn(text)
        if (!meets(span, marks)) found.push({ ...span, type: options.type })
      }
      return found
    },
  }
}
