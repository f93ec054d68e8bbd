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

/**
 * Finds what the caller's regular expression matches. It runs over every text of a log, so it must not backtrack badly:
 * its time is the caller's responsibility.
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
      for (const match of plain.text.matchAll(pattern)) {
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
