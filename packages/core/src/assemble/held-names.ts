import type { Steps } from '../session/pauses.ts'
import { eachWord } from '../text/each-word.ts'

const wordAtEdge = /[\p{L}\p{N}_]/u

/** A name begins this many characters before its first word, and has this total length: `--flag`, `../a`. */
interface Shape {
  readonly before: number
  readonly length: number
}

/**
 * Returns a function that finds which of these names a text, cut into pieces between lines, contains as a whole: `2000`
 * is not in `12000`, nor `read` in `thread`; `src/a.ts` is in `repo/src/a.ts:3`. Time grows with the text, and with the
 * number of different lengths of names with the same first word.
 */
export function heldNames(
  names: Iterable<string>,
): (pieces: readonly string[]) => Steps<ReadonlySet<string>> {
  const wanted = new Set<string>()
  const shapes = new Map<number, Shape[]>()
  for (const name of new Set(names)) {
    let isFirst = true
    eachWord(name, (first, _, before) => {
      if (!isFirst) return
      isFirst = false
      wanted.add(name)
      const known = shapes.get(first)
      const { length } = name
      if (known === undefined) shapes.set(first, [{ before, length }])
      else if (!known.some((shape) => shape.before === before && shape.length === length))
        known.push({ before, length })
    })
  }
  return function* heldIn(pieces) {
    const held = new Set<string>()
    for (const text of pieces) {
      eachWord(text, (word, _, at) => {
        for (const { before, length } of shapes.get(word) ?? []) {
          const start = at - before
          const name = text.slice(Math.max(0, start), start + length)
          if (start >= 0 && wanted.has(name) && isWhole(text, start, start + length)) held.add(name)
        }
      })
      yield
    }
    return held
  }
}

function isWordCharacter(char = ''): boolean {
  return /\w/.test(char) || (char > '\x7f' && wordAtEdge.test(char))
}

function isWhole(text: string, start: number, end: number): boolean {
  if (isWordCharacter(text[start - 1]) || isWordCharacter(text[end])) return false
  // A part of a decimal number or of a time is not a separate number.
  return !(
    /^\d+$/.test(text.slice(start, end)) &&
    (/\d[.,:]$/.test(text.slice(Math.max(0, start - 2), start)) || /^[.,:]\d/.test(text.slice(end, end + 2)))
  )
}
