import { copyText } from '@tenfold/tokens/internal'
import { marksIn, markType } from './placeholder.ts'
import type { Reading } from './readings/reading.ts'
import { readingsOf } from './readings/readings.ts'
import type { Redactor, SecretFinding } from './redactor.ts'
import { joinSpans, withoutSpans } from './spans.ts'

/** All redactors as one, with a memory of what it found in longer texts. */
export interface Finder {
  /** Sorted by start; no finding is inside another, and none touches a mark. */
  find(text: string): readonly SecretFinding[]
  /** What {@link readingsOf} gives for the text. */
  readings(text: string): readonly Reading[]
  /** True for a text that was not seen before, and always for short texts. */
  isNew(text: string): boolean
  /** True for a short text that holds neither a finding nor a reading nor a string: most keys, names and ids. */
  isPlain(text: string): boolean
  /** The longer texts seen so far. */
  texts(): Iterable<string>
}

/** Shorter texts are found again each time: they are keys, ids and the like, and not counted as texts of the session. */
const minRememberedLength = 64
/** Maximum number of shorter texts whose findings are remembered: a log has few keys, and any number of ids. */
const maxShortTexts = 10_000
/** Maximum characters to remember: the lines of an archive, unlike the texts of a session, are in memory only for this. */
const maxRemembered = 32 * 1024 * 1024
/**
 * Minimum length of a piece of a finding that is left next to a mark: shorter ones are quotes, padding and the like.
 */
const minPieceLength = 8

/** A word, name or id, too short for an encoded text: a log has any number of them. */
const bareWord = /^[\w./:@-]{0,39}$/

interface ShortText {
  readonly found: readonly SecretFinding[]
  readonly isPlain: boolean
}

const nothing: readonly SecretFinding[] = []

export function createFinder(redactors: readonly Redactor[]): Finder {
  const seen = new Map<string, readonly SecretFinding[]>()
  const short = new Map<string, ShortText>()
  const withoutReadings = new Set<string>()
  let remembered = 0

  function readShort(text: string): ShortText {
    const known = short.get(text)
    if (known !== undefined) return known
    const found = findAll(redactors, text)
    const hidesNothing = bareWord.test(text) || (!text.includes('\\') && readingsOf(text).length === 0)
    const read = { found, isPlain: found.length === 0 && hidesNothing }
    if (short.size < maxShortTexts) short.set(copyText(text), read)
    return read
  }

  return {
    find(text) {
      if (text.length < minRememberedLength) return readShort(text).found
      const known = seen.get(text)
      if (known !== undefined) return known
      const found = findAll(redactors, text)
      remembered += text.length
      if (remembered <= maxRemembered) seen.set(text, found)
      return found
    },
    readings(text) {
      if (withoutReadings.has(text)) return []
      const readings = readingsOf(text)
      if (readings.length === 0 && seen.has(text)) withoutReadings.add(text)
      return readings
    },
    isNew: (text) => !seen.has(text),
    isPlain: (text) => text.length < minRememberedLength && !text.includes('"') && readShort(text).isPlain,
    texts: () => seen.keys(),
  }
}

function findAll(redactors: readonly Redactor[], text: string): readonly SecretFinding[] {
  let all = nothing
  for (const redactor of redactors) {
    const found = redactor.find(text)
    if (found.length > 0) all = all.length === 0 ? found : [...all, ...found]
  }
  if (all.length === 0) return nothing
  const whole = all.flatMap(({ start, end, type }) => {
    const span = { start: Math.max(0, start), end: wholeEnd(text, end), type: markType(type) }
    return text.slice(span.start, span.end).trim() === '' ? [] : [span]
  })
  const uncut = new Set(whole)
  const pieces = withoutSpans(whole, marksIn(text)).filter(
    (piece) => uncut.has(piece) || text.slice(piece.start, piece.end).trim().length >= minPieceLength,
  )
  return joinSpans(pieces)
}

/** A finding that ends within an escape (`\\"`) would break the string around it. */
function wholeEnd(text: string, end: number): number {
  if (!(end < text.length)) return text.length
  let slashes = 0
  while (text.charCodeAt(end - 1 - slashes) === 0x5c) slashes++
  return slashes % 2 === 1 ? end - 1 : end
}
