const words = /[\p{L}\p{N}_]+/gu
const wordAtEdge = /[\p{L}\p{N}_]/u
/** Runs that hold all letters and numbers, and few other characters beyond ASCII: no dashes, ellipses and arrows. */
const runs = /[\w\u00aa-\u200f\u2065-\u218f\u2460-\u24ff\u2776-\uffff]+/g
const ascii = /^[\0-\x7f]*$/

/** A name, and its first word, which begins after `before` characters: `--flag`, `../a`. */
interface Name {
  readonly text: string
  readonly first: string
  readonly before: number
}

/**
 * Returns a function that returns which of these names a text, cut into pieces between lines, holds as a whole: `2000`
 * is not in `12000`, nor `read` in `thread`; `src/a.ts` is in `repo/src/a.ts:3`. Time grows with the text and the
 * names, and with the number of lengths that names with the same first word have.
 */
export function heldNames(names: Iterable<string>): (pieces: readonly string[]) => ReadonlySet<string> {
  const all = Array.from(new Set(names)).flatMap((text): Name[] => {
    const found: Name[] = []
    eachWord(text, (first, before) => {
      if (found.length === 0) found.push({ text, first, before })
    })
    return found
  })
  return (pieces) => heldIn(pieces, all)
}

/** A name begins this many characters before its first word and has this total length. */
interface Shape {
  readonly before: number
  readonly length: number
}

/** First words of names in one piece of a text, in order; of each its place. */
interface FoundWords {
  readonly text: string
  readonly words: readonly string[]
  readonly places: readonly number[]
}

function heldIn(pieces: readonly string[], names: readonly Name[]): ReadonlySet<string> {
  const firsts = new Map(names.map(({ first }) => [first, first]))
  const found = pieces.map((text) => wordsIn(text, firsts))
  // Names without a word in the text need no shape, which takes more memory than the name.
  const inText = new Set(found.flatMap((piece) => [...new Set(piece.words)]))
  const wanted = new Set<string>()
  const shapes = new Map<string, Map<string, Shape>>()
  for (const { text: name, first, before } of names) {
    if (!inText.has(first)) continue
    wanted.add(name)
    const shape = { before, length: name.length }
    const known = shapes.get(first) ?? new Map<string, Shape>()
    shapes.set(first, known.set(`${before} ${shape.length}`, shape))
  }
  const held = new Set<string>()
  for (const { text, words: firstWords, places } of found)
    for (const [at, first] of firstWords.entries())
      for (const { before, length } of shapes.get(first)?.values() ?? []) {
        const start = (places[at] as number) - before
        const name = text.slice(Math.max(0, start), start + length)
        if (start >= 0 && wanted.has(name) && isWhole(text, start, start + length)) held.add(name)
      }
  return held
}

/** The text of a large log has millions of words, so that only those are kept that names begin with. */
function wordsIn(text: string, firsts: ReadonlyMap<string, string>): FoundWords {
  const found: string[] = []
  const places: number[] = []
  eachWord(text, (word, at) => {
    const first = firsts.get(word)
    if (first === undefined) return
    found.push(first)
    places.push(at)
  })
  return { text, words: found, places }
}

/** Most words are ASCII, for which the pattern of all scripts is slow. */
function eachWord(text: string, visit: (word: string, at: number) => void): void {
  for (const { 0: run, index } of text.matchAll(runs))
    if (ascii.test(run)) visit(run, index)
    else for (const { 0: word, index: at } of run.matchAll(words)) visit(word, index + at)
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
