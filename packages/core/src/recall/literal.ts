import { escapeRegExp } from '../session/escape-reg-exp.ts'

/** Place of a literal in a text. `whole`: in the same case, and not as a part of a longer word. */
interface LiteralMatch {
  readonly start: number
  readonly end: number
  readonly whole: boolean
}

/** A text that is searched for verbatim, except for case and white space. */
export interface Literal {
  readonly text: string
  /** Returns the first whole match, otherwise the first one. */
  find(text: string): LiteralMatch | undefined
}

const wordChar = /[\p{L}\p{M}\p{N}_]/u
// In these scripts a word has no visible bounds.
const unbounded = /[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Hangul}\p{Script=Thai}]/u

/** Makes a literal of a text on one line; a space in it matches any run of white space. */
export function literal(text: string): Literal {
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
