import type { Facts } from '../facts/facts.ts'
import { findIdentifiers } from '../facts/find-identifiers.ts'
import type { Worth } from './condense.ts'

const numbers = /(?<![\w.])\d{3,}(?![\w.])/g

/**
 * Worth of a sentence by what of it can be looked up: an identifier counts the more the rarer it is in the session (what
 * was said once is lost with the sentence), a number of three digits or more as one said once, a demand of the user most.
 */
export function worthBy(facts: Facts): Worth {
  const demands = new Set(facts.demands.map((demand) => demand.text))
  return (segment) => {
    const names = new Set(findIdentifiers(segment).map((found) => found.text))
    let worth = 0
    for (const name of names) worth += 2 / Math.sqrt(facts.identifiers.get(name)?.count ?? 1)
    worth = Math.min(6, worth + 2 * (segment.match(numbers)?.length ?? 0))
    if (demands.has(segment.trim())) worth += 10
    return worth
  }
}

/** True where the text holds an identifier that occurs nowhere else in the session, or a number of three digits or more. */
export function holdsUnique(text: string, facts: Facts): boolean {
  const once = findIdentifiers(text).some((found) => facts.identifiers.get(found.text)?.count === 1)
  return once || text.search(numbers) !== -1
}

/** What of a text can be looked up: its identifiers, and its numbers of three digits or more. */
export function namesAndNumbers(text: string): string[] {
  return [...findIdentifiers(text).map((found) => found.text), ...(text.match(numbers) ?? [])]
}
