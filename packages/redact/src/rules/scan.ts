import { stepCost } from './word-likeness.ts'

/** The state of one pass over a window of text: the text, the findings, and how far names were already read. */
export interface Scan {
  readonly text: string
  /** The character codes of the text, and a 0 after them. */
  readonly codes: Uint16Array
  /** Names that end at or before this offset were classified, so that `passwordpassword…` is read once. */
  namesReadTo: number
  /** Hits inside a token that was already read are skipped. */
  tokensReadTo: number
  /** Manifests that end before this offset were read. */
  manifestsReadTo: number
  /** Characters of values that may still be read at length; only text made of nested values uses it up. */
  valueBudget: number
  /** Characters of command lines that may still be read; text made of names of programs uses it up. */
  commandBudget: number
  /** Number of findings so far, and where the last one is. */
  found: number
  foundFrom: number
  foundTo: number
  report(start: number, end: number, type: string): void
}

/** A literal of three or more ASCII characters that triggers a rule; `at` is where the literal starts. */
export interface Trigger {
  /** Lower case unless `exact`. */
  readonly literal: string
  /** Compare upper and lower case as different. */
  readonly exact: boolean
  /** Offset in the literal of the three characters that trigger the rule. @default 0 */
  readonly anchor?: number
  match(scan: Scan, at: number): void
}

/** Triggers for literals of one rule, in upper and lower case as they are; `end` is where the literal ends. */
export function exactTriggers(
  literals: readonly string[],
  match: (scan: Scan, at: number, end: number) => void,
): Trigger[] {
  return literals.map((literal) => ({
    literal,
    exact: true,
    match: (scan, at) => match(scan, at, at + literal.length),
  }))
}

/** Folds A-Z to a-z and everything outside ASCII to 0. */
const fold = Uint8Array.from({ length: 128 }, (_, code) => (code >= 65 && code <= 90 ? code + 32 : code))

/**
 * Anchors each trigger on the three characters of its literal that are rarest in text, so that most text costs nothing.
 */
export function wakeRarely(triggers: readonly Trigger[]): readonly Trigger[] {
  return triggers.map((trigger) => ({ ...trigger, anchor: rarestThree(trigger.literal) }))
}

/** Offset of the first three characters that no others are rarer than. */
function rarestThree(literal: string): number {
  let rarest = 0
  let most = -1
  let before = stepRarity(literal, 0)
  for (let at = 0; at + 3 <= literal.length; at += 1) {
    const after = stepRarity(literal, at + 1)
    if (before + after > most) {
      rarest = at
      most = before + after
    }
    before = after
  }
  return rarest
}

/** How rare a character of a text and the one after it are together. */
function stepRarity(text: string, at: number): number {
  if (isLetter(text.charCodeAt(at)) && isLetter(text.charCodeAt(at + 1)))
    return stepCost(text.slice(at, at + 2))
  return text[at] === ' ' || text[at + 1] === ' ' ? 4 : 6
}

function isLetter(code: number): boolean {
  return fold[code]! >= 97 && fold[code]! <= 122
}

/**
 * Finds all triggers in one pass over the text. The last five bits of four characters, which are equal for both cases of
 * a letter, say where to look closer: at a fiftieth of all places.
 */
export function triggerIndex(triggers: readonly Trigger[]): (scan: Scan) => void {
  const fours = new Int32Array(1 << 15)
  const thirds = new Uint8Array(1 << 15)
  const buckets: (Required<Trigger>[] | undefined)[] = new Array(1 << 15).fill(undefined)
  for (const { literal, exact, anchor = 0, match } of triggers) {
    const third = literal.charCodeAt(anchor + 2)
    const firsts = ((literal.charCodeAt(anchor) & 31) << 5) | (literal.charCodeAt(anchor + 1) & 31)
    const three = (firsts << 5) | (third & 31)
    fours[three]! |= anchor + 3 < literal.length ? 1 << (literal.charCodeAt(anchor + 3) & 31) : -1
    thirds[three]! |= thirdBits(third, exact)
    // Made in one place, so that all have one shape: the comparisons below stay fast.
    const trigger = { literal, exact, anchor, match }
    const bucket = buckets[three]
    if (bucket === undefined) buckets[three] = [trigger]
    else bucket.push(trigger)
  }
  return (scan) => {
    const { codes } = scan
    const { length } = scan.text
    let four = 0
    // One step beyond the end, with the 0 there, for a trigger of three characters that ends the text.
    for (let index = 0; index <= length; index += 1) {
      four = ((four << 5) | (codes[index]! & 31)) & 0xfffff
      const three = four >> 5
      if (((fours[three]! >> (four & 31)) & 1) === 0 || index < 3) continue
      if (((thirds[three]! >> Math.min(codes[index - 1]! >> 5, 7)) & 1) === 0) continue
      const bucket = buckets[three]!
      // An iterator would take longer than the comparisons, which find nothing at most of these places.
      for (let place = 0; place < bucket.length; place += 1) {
        const trigger = bucket[place]!
        const at = index - 3 - trigger.anchor
        if (startsAt(codes, at, trigger)) trigger.match(scan, at)
      }
    }
  }
}

/** A bit for each 32 codes, which hold letters of one case, that may be third; one for all from 224 on. */
function thirdBits(code: number, exact: boolean): number {
  return exact || !isLetter(code) ? 1 << Math.min(code >> 5, 7) : (1 << 2) | (1 << 3)
}

function startsAt(text: Uint16Array, at: number, { literal, exact }: Trigger): boolean {
  if (at < 0) return false
  for (let index = 0; index < literal.length; index += 1) {
    const code = text[at + index]!
    if ((exact ? code : code < 128 ? fold[code] : 0) !== literal.charCodeAt(index)) return false
  }
  return true
}
