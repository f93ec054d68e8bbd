import type { Identifier } from '../facts/facts.ts'
import { findIdentifiers, scanIdentifiers } from '../facts/identifiers/find-identifiers.ts'

/** A value that a text states: as it is listed, and the parts that a line must have to hold it. */
export interface StatedValue {
  readonly text: string
  readonly parts: readonly string[]
}

const sentenceEnd = /(?<=[.!?]["')\]]?\s)|\n+/
/** A number of its own: not the end of `cache-2048`, a date, a decimal or a part of a word. */
const ownNumber = /(?<![\w.,]|\w-)\d{3,}(?![\w-]|[.,:]\d)/g
/** Words that a number directly after them is the value of. */
const labels =
  /\b(ports?|pid|uid|issue|ticket|PR|pull request|build|run|job|id|version|timeout|limit|status|code|max|min)(?: (?:number|no\.?|is|of|to|=))?[ :=#]+$/i
/** A name that a number may belong to: `stream-2964`, `web-server`. */
const hyphenated = /(?<![\w./-])[A-Za-z]\w*(?:-\w+)+(?![\w/-]|\.\w)/g

/**
 * The values in a text, in order: names, and numbers, each with the word and the name in its sentence that say what it
 * is (`stream-2964 port 37629`), since a number alone says nothing.
 */
export function statedValues(text: string, namesIn = allNames): StatedValue[] {
  return text.split(sentenceEnd).flatMap((sentence) => {
    const names = namesIn(sentence).map((name) => ({ text: name, parts: [name] }))
    const numbers = [...sentence.matchAll(ownNumber)].map(({ 0: number, index }) => {
      const before = sentence.slice(Math.max(0, index - maxReach), index)
      const label = labels.exec(before)?.[1]
      const owner = label === undefined ? undefined : before.match(hyphenated)?.at(-1)
      const parts = [owner, label, number].filter((part) => part !== undefined)
      return { text: parts.join(' '), parts }
    })
    return [...names, ...numbers]
  })
}

function allNames(sentence: string): string[] {
  return findIdentifiers(sentence).map(({ text }) => text)
}

/** Longest distance of a number from the name that it belongs to. */
const maxReach = 200

/**
 * The values that only prose holds: names that occur nowhere else in the session, tickets, flags and paths among them,
 * and numbers that have a label and an owner. What a call or a file shows can be found again; these cannot.
 */
export function valuesOfProse(
  text: string,
  identifiers: ReadonlyMap<string, Pick<Identifier, 'kind' | 'count'>>,
): StatedValue[] {
  const isRare = (name: string) => {
    const known = identifiers.get(name)
    return known?.count === 1 && (known.kind !== 'symbol' || ticket.test(name))
  }
  const rareNames = (sentence: string) => {
    const names: string[] = []
    scanIdentifiers(sentence, (name) => {
      if (isRare(name)) names.push(name)
    })
    return names
  }
  return statedValues(text, rareNames).filter(({ text: value, parts }) =>
    parts.length > 1 ? parts.length > 2 : isRare(value),
  )
}

const ticket = /^[A-Z][A-Z\d]{1,9}-\d{1,6}$/
