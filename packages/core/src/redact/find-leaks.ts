import type { Redaction } from '@tenfold/redact'
import * as json from '../session/json.ts'
import type { Steps } from '../session/pauses.ts'

/** Secrets that a redaction still finds in a value that should have none. */
export interface Leaks {
  /** Number of parts that would be replaced. */
  readonly leaks: number
  /** Number of secrets, or spellings of secrets, that the redaction learned from the value. */
  readonly learned: number
}

/**
 * Finds secrets in a bundle or any other JSON value, by the redactors and by all known values, and learns them. The
 * data that the value was made from can then be redacted again with them.
 */
export function* leakSteps(value: unknown, redaction: Redaction): Steps<Leaks> {
  const before = redaction.learned
  for (const piece of piecesOf(value)) {
    redaction.learnValue(piece)
    yield
  }
  let leaks = 0
  if (!redaction.isClean) for (const piece of piecesOf(value)) leaks += redaction.leaks(piece)
  return { leaks, learned: redaction.learned - before }
}

/**
 * Maximum list items that are examined together. A redactor treats the strings of a value as one text, which for a
 * trail of a million entries takes several times the memory of the bundle, and blocks everything else.
 */
const maxItems = 300

/** Yields the value without the further items of long lists, then those items piece by piece. */
function* piecesOf(value: unknown): Generator<unknown, void> {
  const long = Object.entries(json.fields(value)).filter(
    (entry): entry is [string, unknown[]] => Array.isArray(entry[1]) && entry[1].length > maxItems,
  )
  if (long.length === 0) {
    yield value
    return
  }
  const first = long.map(([key, items]) => [key, items.slice(0, maxItems)])
  yield { ...json.fields(value), ...Object.fromEntries(first) }
  for (const [key, items] of long)
    for (let start = maxItems; start < items.length; start += maxItems)
      yield { [key]: items.slice(start, start + maxItems) }
}
