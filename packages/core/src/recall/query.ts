import { TenfoldError } from '../errors.ts'
import { grammarOf } from '../facts/constraints/binding/grammar.ts'
import { aString } from '../options/check.ts'
import { cleanLine } from '../session/clean-text.ts'
import { escapeRegExp } from '../session/escape-reg-exp.ts'

export interface EventRange {
  readonly from: number
  readonly to: number
}

export interface ParsedQuery {
  readonly text: string
  /** Set if the query consists only of event ids. */
  readonly events: readonly EventRange[]
  readonly whole?: Literal
  /** Quoted text that must occur. */
  readonly phrases: readonly Literal[]
  /** Paths, flags, digests and other names in the query. */
  readonly identifiers: readonly Literal[]
  /** Distinct terms for the ranked search, without common words. */
  readonly terms: readonly string[]
}

const maxQueryLength = 4000
const maxIdentifiers = 16
const maxTerms = 64

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
 * Parses a text of event ids such as `e17, e20-e30`; undefined for any other text. Throws {@link TenfoldError}
 * `bad-query`.
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

function bare(word: string): string {
  return word.replace(/^[("'`<[{]+|[)"'`>\]},;:!?.]+$/g, '')
}

/** Whether a word is not a natural one: it has punctuation or digits inside, is a flag, or is in camel case. */
function isIdentifier(word: string): boolean {
  if (word.length < 3) return false
  return (
    /[\p{L}\p{N}_][./\\_:@#=$~-]+[\p{L}\p{N}_]/u.test(word) ||
    /^(?:--?|[./~$@#])[\p{L}\p{N}]/u.test(word) ||
    /\p{Ll}\p{Lu}/u.test(word) ||
    /^(?=.*\p{N})(?=.*\p{L})/u.test(word)
  )
}

/** Place of a literal in a text. `whole`: with the same case, and not as a part of a longer word. */
interface LiteralMatch {
  readonly start: number
  readonly end: number
  readonly whole: boolean
}

interface Literal {
  readonly text: string
  find(text: string): LiteralMatch | undefined
}

const wordChar = /[\p{L}\p{M}\p{N}_]/u
// Words have no visible bounds in these scripts.
const unbounded = /[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Hangul}\p{Script=Thai}]/u

/** Makes a literal of a one-line text; a space in it matches any run of white space. */
function literal(text: string): Literal {
  const words = text.split(' ').filter((word) => word !== '')
  const source = words.map(escapeRegExp).join('\\s+')
  return {
    text,
    find(where) {
      let part: LiteralMatch | undefined
      for (const { 0: found, index } of where.matchAll(new RegExp(source, 'giu'))) {
        const end = index + found.length
        const isWhole = found.replace(/\s+/g, ' ') === text && isBounded(where, index, end)
        if (isWhole) return { start: index, end, whole: true }
        part ??= { start: index, end, whole: false }
      }
      return part
    },
  }
}

function isBounded(text: string, start: number, end: number): boolean {
  return !joins(text[start - 1], text[start]) && !joins(text[end - 1], text[end])
}

function joins(before = '', after = ''): boolean {
  return isWord(before) && isWord(after)
}

function isWord(char: string): boolean {
  return wordChar.test(char) && !unbounded.test(char)
}

const wordRun = /[\p{L}\p{M}\p{N}_]+/gu
/** Scripts without spaces between words, and Hangul, whose words carry endings. */
const unspaced =
  /[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Hangul}\p{Script=Thai}\p{Script=Lao}\p{Script=Khmer}\p{Script=Myanmar}ー]+/gu
const unspacedOnce = new RegExp(unspaced.source, 'u')
/** Splits `readArchive`, `HTTPServer` and `read_archive` into words. */
const partEnd = /_+|(?<=[\p{Ll}\p{N}])(?=\p{Lu})|(?<=\p{Lu})(?=\p{Lu}\p{Ll})/u
/** Longer runs are data (base64, minified code), which only exact search finds. */
const maxTermLength = 80

/**
 * Returns the terms of a text: words and identifiers in lower case, also the parts of identifiers, and pairs of
 * characters for scripts without spaces. Linear in the length of the text.
 */
export function termsOf(text: string): string[] {
  const terms: string[] = []
  for (const [run] of text.normalize('NFKC').matchAll(wordRun)) {
    if (!unspacedOnce.test(run)) {
      addWord(terms, run)
      continue
    }
    let end = 0
    for (const { 0: part, index } of run.matchAll(unspaced)) {
      addWord(terms, run.slice(end, index))
      addPairs(terms, part)
      end = index + part.length
    }
    addWord(terms, run.slice(end))
  }
  return terms
}

/** Words of a question that carry no topic. */
const asking =
  'how why who what which where when did does done has had was were been there here about after before out up get got make made any one two else way thing things tell show find remember happened happens happen happening'.split(
    ' ',
  )

function queryTerms(query: string): string[] {
  const { words, empty } = grammarOf(query)
  const stop = new Set([...words('common'), ...empty, ...asking].flatMap(termsOf))
  return [...new Set(termsOf(query))].filter((term) => !stop.has(term))
}

function addWord(terms: string[], word: string): void {
  if (word.length < 2 || word.length > maxTermLength) return
  const lower = word.toLowerCase()
  terms.push(lower)
  if (lower === word && !word.includes('_')) return
  const parts = word.split(partEnd).filter((part) => part.length > 1)
  for (const part of parts) if (part.length < word.length) terms.push(part.toLowerCase())
}

function addPairs(terms: string[], text: string): void {
  let before = ''
  let count = 0
  for (const char of text) {
    if (count > 0) terms.push(before + char)
    before = char
    count++
  }
  if (count === 1) terms.push(before)
}
