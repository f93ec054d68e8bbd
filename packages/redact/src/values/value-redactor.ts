import { literalScanner } from '../literal-scanner.ts'
import { marksIn, markType } from '../placeholder.ts'
import type { Redactor } from '../redactor.ts'
import { joinSpans, meets } from '../spans.ts'
import { squeeze } from '../squeeze.ts'

/** Shorter values would remove common words and numbers from every text. */
const minValueLength = 4

/**
 * Finds exact values that the caller knows: from a `.env` file (see {@link envValues}), from a vault. With a Map, each
 * value has its own type. Skips values of fewer than 4 characters.
 */
export function valueRedactor(
  values: Iterable<string> | ReadonlyMap<string, string>,
  options: { /** @default 'known-value' */ readonly type?: string } = {},
): Redactor {
  const type = markType(options.type ?? 'known-value')
  const scanner = literalScanner<string>(minValueLength)
  const typed = new Map<string, string>(
    values instanceof Map
      ? values
      : Array.from(values as Iterable<string>, (value) => [value, type] as const),
  )
  for (const [value, valueType] of typed) scanner.add(value, markType(valueType))

  return {
    name: 'values',
    recipe: { name: 'valueRedactor', args: [typed] },
    find(text) {
      const plain = squeeze(text)
      const matches = scanner.matches(plain.text)
      if (matches.length === 0) return []
      const marks = marksIn(text)
      const found = matches.map((match) => ({ ...plain.original(match), type: match.owner }))
      return joinSpans(found.filter((finding) => !meets(finding, marks)))
    },
  }
}
