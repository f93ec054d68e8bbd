import { type LiteralMatch, type LiteralScanner, literalScanner } from '../literal-scanner.ts'
import { markOf } from '../placeholder.ts'
import { looksRandom } from '../rules/value-shape.ts'
import { wordShare } from '../rules/word-likeness.ts'
import { plainReadings } from '../slots/plain-readings.ts'
import type { Span } from '../spans.ts'
import { lettersOf, type Squeezed, squeeze, squeezed, without } from '../squeeze.ts'
import { isCommonValue, isWholeWord, mayBeName, nameUses } from './common-value.ts'
import { minFormLength, valueForms } from './value-forms.ts'

/** One secret of a session. */
interface KnownValue {
  readonly type: string
  readonly mark: string
  /** How often a redactor found it in the texts that were learned. */
  found: number
}

export interface KnownSpan extends Span {
  readonly value: KnownValue
}

/** The secrets of a session. Finds them in texts. */
export interface KnownValues {
  readonly count: number
  /** Grows with each secret, and with each new spelling of one. */
  readonly learned: number
  types(): [type: string, count: number][]
  /** Returns the secret with this value, in whatever form it was found; adds it if it is new. */
  know(found: string, type: string): KnownValue
  /** Decides about values that look like words, by how often these texts hold them. */
  weigh(texts: Iterable<string>): void
  /** The positions of secrets, in any of their forms. */
  find(text: string): KnownSpan[]
}

interface Form {
  readonly value: KnownValue
  readonly wholeWord: boolean
  /** Set if the form is a piece of this value, which may be cut elsewhere. */
  readonly piece?: { readonly of: string; readonly from: number }
}

/** A log of fakes could hold more; beyond this number, only the value itself is searched for. */
const manyValues = 20_000
/**
 * Learning texts one by one costs a pass over all of them for each new word; after this many, words count as secrets.
 */
const maxWeighings = 50

export function knownValues(): KnownValues {
  const values = new Map<string, KnownValue>()
  const counts = new Map<string, number>()
  const forms = literalScanner<Form>(minFormLength)
  const letters = literalScanner<KnownValue>(minLetters)
  const undecided = new Map<string, KnownValue>()
  let weighings = 0
  let count = 0

  function newValue(type: string): KnownValue {
    const number = (counts.get(type) ?? 0) + 1
    counts.set(type, number)
    count++
    return { type, mark: markOf(type, number), found: 0 }
  }

  function search(reading: string, value: KnownValue): void {
    const wholeWord = mayBeName(reading)
    const all = count > manyValues ? [reading] : valueForms(reading)
    for (const form of all) if (!isCommonValue(form)) forms.add(form, { value, wholeWord })
    if (wholeWord) return
    if (/[a-z]/i.test(reading) && wordShare(reading) < 0.8)
      for (const form of all) letters.add(lettersOf(form), value)
    if (count <= manyValues)
      for (const { text, from } of piecesOf(reading))
        forms.add(text, { value, wholeWord, piece: { of: reading, from } })
  }

  /** A finding with an extra quote or bracket is the value inside it; one with another letter or digit is not. */
  function mostlyKnown(found: string): KnownValue | undefined {
    const inside = forms.matches(found).find((match) => {
      const { start, end } = wholePart(found, match)
      return (
        (end - start) * 4 >= found.length * 3 && isMargin(found.slice(0, start)) && isMargin(found.slice(end))
      )
    })
    return inside?.owner.value
  }

  return {
    get count() {
      return count
    },
    get learned() {
      return values.size
    },
    types: () => [...counts].sort(([, a], [, b]) => b - a),
    know(found, type) {
      const plain = squeezed(found)
      const readings = [...new Set([found, plain, ...plainReadings(plain)])]
      const same = readings.map((reading) => values.get(reading) ?? forms.owner(squeezed(reading))?.value)
      const value = same.find((other) => other !== undefined) ?? mostlyKnown(plain) ?? newValue(type)
      for (const reading of readings) {
        if (values.has(reading)) continue
        values.set(reading, value)
        if (isCommonValue(reading)) continue
        if (mayBeName(reading)) undecided.set(reading, value)
        else search(reading, value)
      }
      return value
    },
    weigh(texts) {
      if (undecided.size === 0) return
      const uses = weighings++ < maxWeighings ? countUses(undecided, texts) : new Map<string, number>()
      for (const [reading, value] of undecided)
        if ((uses.get(reading) ?? 0) - value.found < nameUses) search(reading, value)
      undecided.clear()
    },
    find(text) {
      if (forms.size === 0 || text.length < minFormLength) return []
      const plain = squeeze(text)
      return [...findForms(forms, plain), ...findLetters(letters, plain)]
    },
  }
}

/** Shorter values are not searched for with signs between their letters, or in other letters. */
const minLetters = 12

/** The positions of values in any case that signs part: quotes and commas of a list, backslashes, line breaks, blanks. */
function findLetters(letters: LiteralScanner<KnownValue>, plain: Squeezed): KnownSpan[] {
  if (letters.size === 0 || letters.matches(lettersOf(plain.text)).length === 0) return []
  const bare = without(plain.text, /[^A-Za-z0-9]+/g)
  return letters
    .matches(bare.text.toLowerCase())
    .map((match) => ({ ...plain.original(bare.original(match)), value: match.owner }))
}

/** Signs and escapes that may surround a value. */
function isMargin(text: string): boolean {
  return /^(?:\\(?:[nrtbf]|u[0-9a-f]{4})|%[0-9a-f]{2}|&#?\w{1,8};|[^\p{L}\p{N}])*$/iu.test(text)
}

function findForms(forms: LiteralScanner<Form>, plain: Squeezed): KnownSpan[] {
  // A piece within a value that was found says nothing more; to compare each with the text would take long.
  let foundTo = 0
  const matches = forms.matches(plain.text, (match) => {
    const { owner } = match
    if (owner.piece !== undefined && match.end <= foundTo) return false
    const { start, end } = wholePart(plain.text, match)
    if (owner.piece !== undefined && !isOwnPart(plain.text.slice(start, end), owner.piece.of)) return false
    if (owner.wholeWord && !isWholeWord(plain.text, start, end)) return false
    foundTo = Math.max(foundTo, end)
    return true
  })
  return matches.map((match) => ({
    ...plain.original(wholePart(plain.text, match)),
    value: match.owner.value,
  }))
}

/** Whether a part of a value says enough: what a vendor puts before all of its tokens does not. */
function isOwnPart(part: string, value: string): boolean {
  return (
    (part.length >= minCutLength && part.length * 2 >= value.length) ||
    (/\d|[a-z][A-Z]/.test(part) && looksRandom(part, minFormLength))
  )
}

/** Longer values are key files and the like; they are searched for line by line. */
const maxCutLength = 1000
/** A shorter part of a value, if it is made of words, may be in a text by chance. */
const minCutLength = 12
/** Of longer values, only parts of {@link minCutLength} are searched for. */
const maxToken = 128

/** Pieces of a value, so near to each other that each part that may be left of it holds one. */
function piecesOf(value: string): { readonly text: string; readonly from: number }[] {
  if (value.length > maxCutLength || !looksRandom(value, minCutLength + 2)) return []
  const pieces: { readonly text: string; readonly from: number }[] = []
  for (
    let from = 0;
    from + minFormLength <= value.length;
    from += value.length > maxToken ? minCutLength - minFormLength + 1 : 1
  )
    pieces.push({ text: value.slice(from, from + minFormLength), from })
  return pieces
}

/** What a form stands for in a text: of a piece, as far as the text is like the value on both sides. */
function wholePart(text: string, { start, end, owner }: LiteralMatch<Form>): Span {
  if (owner.piece === undefined) return { start, end }
  const { of, from } = owner.piece
  let before = 0
  while (before < from && text[start - before - 1] === of[from - before - 1]) before++
  let after = end - start
  while (from + after < of.length && text[start + after] === of[from + after]) after++
  return { start: start - before, end: start + after }
}

function countUses(words: ReadonlyMap<string, unknown>, texts: Iterable<string>): Map<string, number> {
  const scanner = literalScanner<string>(minFormLength)
  for (const word of words.keys()) scanner.add(word, word)
  const uses = new Map<string, number>()
  for (const text of texts)
    for (const { owner } of scanner.matches(text, ({ start, end }) => isWholeWord(text, start, end)))
      uses.set(owner, (uses.get(owner) ?? 0) + 1)
  return uses
}
