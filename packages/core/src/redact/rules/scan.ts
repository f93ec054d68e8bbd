import { stepCost } from './word-likeness.ts'

/** The state of one pass over a window of text: the text, the findings, and how far names were already read. */
export interface Scan {
  readonly text: string
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

const hashMask = 0x7fff

/** Folds A-Z to a-z and everything outside ASCII to 0. */
const fold = Uint8Array.from({ length: 128 }, (_, code) => (code >= 65 && code <= 90 ? code + 32 : code))

/**
 * Anchors each trigger on the three characters of its literal that are rarest in text, so that most text costs nothing.
 */
export function wakeRarely(triggers: readonly Trigger[]): readonly Trigger[] {
  return triggers.map((trigger) => {
    const { literal } = trigger
    const costs = Array.from({ length: literal.length - 2 }, (_, at) => rarityOf(literal.slice(at, at + 3)))
    return { ...trigger, anchor: costs.indexOf(Math.max(...costs)) }
  })
}

function rarityOf(three: string): number {
  return stepRarity(three.slice(0, 2)) + stepRarity(three.slice(1))
}

function stepRarity(two: string): number {
  if (/^[A-Za-z]{2}$/.test(two)) return stepCost(two)
  return two.includes(' ') ? 4 : 6
}

/** Finds all triggers in one pass over the text: a table of folded three-character hashes says where to look closer. */
export function triggerIndex(triggers: readonly Trigger[]): (scan: Scan) => void {
  const filter = new Uint8Array(hashMask + 1)
  const buckets: (Trigger[] | undefined)[] = new Array(hashMask + 1).fill(undefined)
  for (const trigger of triggers) {
    const hash = hashOf(trigger.literal.slice(trigger.anchor ?? 0).toLowerCase())
    filter[hash] = 1
    buckets[hash] = [...(buckets[hash] ?? []), trigger]
  }
  return (scan) => {
    const { text } = scan
    let hash = 0
    for (let index = 0; index < text.length; index += 1) {
      const code = text.charCodeAt(index)
      hash = ((hash << 5) ^ (code < 128 ? fold[code]! : 0)) & hashMask
      if (filter[hash] === 0 || index < 2) continue
      const bucket = buckets[hash]!
      // A tenth of all characters comes here, mostly for nothing: an iterator would take longer than the comparisons.
      for (let place = 0; place < bucket.length; place += 1) {
        const trigger = bucket[place]!
        const at = index - 2 - (trigger.anchor ?? 0)
        if (startsAt(text, at, trigger)) trigger.match(scan, at)
      }
    }
  }
}

function hashOf(literal: string): number {
  let hash = 0
  for (let index = 0; index < 3; index += 1) hash = ((hash << 5) ^ literal.charCodeAt(index)) & hashMask
  return hash
}

function startsAt(text: string, at: number, { literal, exact }: Trigger): boolean {
  for (let index = 0; index < literal.length; index += 1) {
    const code = text.charCodeAt(at + index)
    if ((exact ? code : code < 128 ? fold[code] : 0) !== literal.charCodeAt(index)) return false
  }
  return true
}
