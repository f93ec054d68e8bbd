import { TenfoldError } from '../errors.ts'
import { aString } from '../options/check.ts'
import { cleanLine } from '../session/clean-text.ts'
import { type Literal, literal } from './literal.ts'
import { queryTerms } from './terms.ts'

/** Positions of events, from 0, inclusive. */
export interface EventRange {
  readonly from: number
  readonly to: number
}

export interface ParsedQuery {
  /** The query on one line. */
  readonly text: string
  /** Present if the query consists only of event ids. */
  readonly events: readonly EventRange[]
  /** The whole query. Absent if it names events, or is empty. */
  readonly whole?: Literal
  /** Quoted text, which must occur. */
  readonly phrases: readonly Literal[]
  /** Paths, flags, digests and other names among the words. */
  readonly identifiers: readonly Literal[]
  /** Terms for the ranked search, each once, without common words. */
  readonly terms: readonly string[]
}

const maxQueryLength = 4000
const maxIdentifiers = 16
const maxTerms = 64

/** Parses a query. Throws {@link TenfoldError} `bad-query`. */
export function parseQuery(query: string): ParsedQuery {
  aString('query', query)
  if (query.length > maxQueryLength)
    throw new TenfoldError(
      'bad-query',
      `expected a query of at most ${maxQueryLength} characters, got ${query.length}; give the most distinctive line`,
    )
  const text = cleanLine(query)
  const events = parseEvents(text)
  if (text === '' || events !== undefined)
    return { text, events: events ?? [], phrases: [], identifiers: [], terms: [] }
  const quoted = [...text.matchAll(/"([^"]+)"/g)].map(([, phrase = '']) => phrase.trim())
  const phrases = [...new Set(quoted)].filter((phrase) => phrase !== '')
  const only = phrases.length === 1 && text === `"${phrases[0]}"` ? phrases[0] : undefined
  const words = text.split(' ')
  const names = [...new Set(words.map(bare))].filter(isIdentifier)
  return {
    text,
    events: [],
    whole: literal(only ?? text),
    phrases: phrases.map(literal),
    identifiers: words.length < 2 ? [] : names.slice(0, maxIdentifiers).map(literal),
    terms: queryTerms(text).slice(0, maxTerms),
  }
}

const eventRef = /^e([1-9]\d{0,8})(?:(?:-|\.\.|…)e?([1-9]\d{0,8}))?$/

/**
 * Parses the events that a text of ids such as `e17, e20-e30` names; undefined for any other text. Throws
 * {@link TenfoldError} `bad-query`.
 */
export function parseEvents(text: string): EventRange[] | undefined {
  const refs = text.split(/[\s,;]+/).filter((ref) => ref !== '')
  const ranges: EventRange[] = []
  for (const ref of refs) {
    const [, first, last = first] = eventRef.exec(ref) ?? []
    if (first === undefined) return undefined
    if (Number(last) < Number(first))
      throw new TenfoldError('bad-query', `expected a range such as e10-e20, got ${ref}`)
    ranges.push({ from: Number(first) - 1, to: Number(last) - 1 })
  }
  return ranges.length === 0 ? undefined : ranges
}

/** A word without the punctuation around it. */
function bare(word: string): string {
  return word.replace(/^[("'`<[{]+|[)"'`>\]},;:!?.]+$/g, '')
}

/** Whether a word is not one of a language: with marks or digits inside, a flag, camel case. */
function isIdentifier(word: string): boolean {
  if (word.length < 3) return false
  return (
    /[\p{L}\p{N}_][./\\_:@#=$~-]+[\p{L}\p{N}_]/u.test(word) ||
    /^(?:--?|[./~$@#])[\p{L}\p{N}]/u.test(word) ||
    /\p{Ll}\p{Lu}/u.test(word) ||
    /^(?=.*\p{N})(?=.*\p{L})/u.test(word)
  )
}
