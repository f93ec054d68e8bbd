import type { Redaction } from '@tenfold/redact'
import * as json from '../session/json.ts'
import type { Steps } from '../session/pauses.ts'

/** Secrets that a redaction still finds in a value that should hold none. */
export interface Leaks {
  /** Parts that would be replaced. */
  readonly leaks: number
  /** Secrets, or spellings of one, that the redaction did not know before; it knows them now. */
  readonly learned: number
}

/**
 * Finds secrets in a bundle or any other JSON value, by the redactors and by all values known so far, and learns them.
 * The data that the value was made from can then be redacted again, with the wider knowledge.
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
 * Items of a list that are looked at together. A redactor sees the strings of a value as one text, and that of a trail
 * of a million entries takes several times the memory of the bundle, and holds up everything else.
 */
const maxItems = 300

/** The value, without the further items of long lists; then those items, piece by piece. */
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
