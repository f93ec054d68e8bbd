import { grammarOf } from '../facts/constraints/binding/grammar.ts'

const wordRun = /[\p{L}\p{M}\p{N}_]+/gu
/** Scripts that are written without spaces between words, and Hangul, whose words carry endings. */
const unspaced =
  /[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Hangul}\p{Script=Thai}\p{Script=Lao}\p{Script=Khmer}\p{Script=Myanmar}ー]+/gu
const unspacedOnce = new RegExp(unspaced.source, 'u')
/** `readArchive`, `HTTPServer`, `read_archive`. */
const partEnd = /_+|(?<=[\p{Ll}\p{N}])(?=\p{Lu})|(?<=\p{Lu})(?=\p{Lu}\p{Ll})/u
/** Longer runs are data (base64, minified code): exact search finds them. */
const maxTermLength = 80

/**
 * Returns the terms by which a text is found: words and identifiers in lower case, each identifier also by its parts,
 * and pairs of characters for scripts without spaces. Linear in the length of the text.
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

/** Words of a question that say nothing about its matter. */
const asking =
  'how why who what which where when did does done has had was were been there here about after before out up get got make made any one two else way thing things tell show find remember happened happens happen happening'.split(
    ' ',
  )

/** The terms of a query by which something can be found: without the common words of its language. */
export function queryTerms(query: string): string[] {
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
