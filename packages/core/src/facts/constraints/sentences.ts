import { singleSpaced } from '../../session/clean-text.ts'
import { isPastedLine } from '../pasted.ts'
import { isBindingHeading, isForbiddingHeading } from './binding/classify-sentence.ts'
import { quotedLines } from './quoted-lines.ts'

export interface Sentence {
  readonly text: string
  /** True for an item below a heading such as "Constraints", or after such a word on its line. */
  readonly listed: boolean
  /** The heading above an item if it forbids; without it the item would mean the opposite. */
  readonly under?: string
  /** True for somebody else's words: a review, a log, a document between tags. */
  readonly quoted: boolean
  /** The sentence before it in the same paragraph. */
  readonly before?: string
}

// Ends of a sentence: `.`, `!`, `?` before white space, and their full-width forms anywhere.
const sentenceEnd = /(?<=[.!?]["')\]*]{0,3})\s+(?=\S)|(?<=[。！？；])/u
// Not the end of a sentence, despite the full stop.
const abbreviation =
  /(?:\b(?:e\.g|i\.e|etc|vs|cf|approx|resp|incl|no|fig|z\.B|d\.h|bzw|p\.ex)|^\d{1,3}|\b[A-Z])\.$/

/**
 * Splits a user's text into sentences: one line each, trimmed, with single spaces, without list marks. Code blocks and
 * lines that look like pasted output (stack traces, JSON, logs, diffs, markup) are left out.
 */
export function splitSentences(text: string): Sentence[] {
  return sentencesOf(text, (lines) => ({ quoted: quotedLines(lines), place: listReader() }))
}

/** Returns only the texts of {@link splitSentences}, in half the time. */
export function sentenceTexts(text: string): string[] {
  return sentencesOf(text, () => ({ quoted: noLines, place: () => nowhere })).map((sentence) => sentence.text)
}

interface LineMarks {
  readonly quoted: ReadonlySet<number>
  readonly place: ReturnType<typeof listReader>
}

const noLines: ReadonlySet<number> = new Set()

function sentencesOf(text: string, marksOf: (lines: readonly string[]) => LineMarks): Sentence[] {
  return paragraphs(text, marksOf).flatMap(({ text: paragraph, ...place }) => {
    const sentences: Sentence[] = []
    let before: string | undefined
    for (const part of sentencesOfLine(paragraph)) {
      const said = part.trim()
      // The following sentences of an item explain it.
      const around = sentences.length === 0 ? place : { listed: false, quoted: place.quoted }
      if (said.length > 3) sentences.push({ text: said, ...around, ...(before !== undefined && { before }) })
      before = said
    }
    return sentences
  })
}

/** Splits a line into sentences. */
export function sentencesOfLine(line: string): string[] {
  const sentences: string[] = []
  for (const part of line.split(sentenceEnd)) {
    const last = sentences.at(-1)
    if (last !== undefined && last.length < 1000 && goesOn(last, part)) {
      sentences[sentences.length - 1] = `${last} ${part}`
    } else sentences.push(part)
  }
  return sentences
}

/**
 * Whether a part does not end a sentence: its full stop belongs to an abbreviation, to code such as `f(...)`, or to a
 * quote or brackets after which the sentence continues.
 */
function goesOn(part: string, next: string): boolean {
  return (
    abbreviation.test(part.slice(-10)) ||
    (part.endsWith('"') && /^\p{Ll}/u.test(next)) ||
    (part.lastIndexOf('(') > part.lastIndexOf(')') && closing.test(next)) ||
    (part.includes('`') && part.split('`').length % 2 === 0)
  )
}

/** Closes brackets that the part before opened. */
const closing = /^\p{Ll}[^()]{0,200}\)/u

interface Paragraph {
  readonly text: string
  readonly listed: boolean
  readonly under?: string
  readonly quoted: boolean
}

/** Returns lines, joined if an editor wrapped them. */
function paragraphs(text: string, marksOf: (lines: readonly string[]) => LineMarks): Paragraph[] {
  const joined: (Omit<Paragraph, 'text'> & { readonly lines: string[]; length: number })[] = []
  const lines = text.split(/\r?\n/)
  const { quoted, place: placeOf } = marksOf(lines)
  let fence: string | undefined
  let open = false
  for (const [index, raw] of lines.entries()) {
    const mark = /^\s*(`{3,}|~{3,})/.exec(raw)?.[1]
    if (mark !== undefined && (fence === undefined || mark.startsWith(fence))) {
      fence = fence === undefined ? mark : undefined
      open = false
      continue
    }
    const line = singleSpaced(raw)
    const place = placeOf(raw, line)
    if (fence !== undefined || line === '' || line.length > 20_000 || isPastedLine(raw)) {
      open = false
      continue
    }
    const isItem = listMark.test(raw)
    const words = isItem ? line.replace(listMark, '') : line
    const last = joined.at(-1)
    // A wrapped line: it begins in lower case or with a number, and the line before did not end a sentence.
    if (
      last !== undefined &&
      open &&
      !isItem &&
      /^[\p{Ll}\d]/u.test(words) &&
      !ended.has(last.lines.at(-1)?.at(-1) ?? '') &&
      last.length < 20_000
    ) {
      last.lines.push(words)
      last.length += words.length + 1
    } else joined.push({ lines: [words], length: words.length, ...place, quoted: quoted.has(index) })
    open = true
  }
  return joined.map(({ lines: parts, length: _, ...paragraph }) => ({ text: parts.join(' '), ...paragraph }))
}

const ended: ReadonlySet<string> = new Set('.!?:;。！？：；')

const listMark = /^\s*(?:[-*+•]|\d{1,3}[.)]|[a-z][.)]|#{1,6}|>)\s+(?:\[[ xX]\]\s+)?/

interface ListPlace {
  readonly listed: boolean
  readonly under?: string
}

/** Outside of lists that bind. */
const nowhere: ListPlace = { listed: false }

/**
 * Returns a function that determines, for each successive line, whether it is an item of a list that binds. A Markdown
 * heading applies until the next one, a line that ends in a colon until the first paragraph after its list.
 */
export function listReader(): (raw: string, line: string) => ListPlace {
  let section: ListPlace = nowhere
  let list: ListPlace | undefined
  let items = 0
  let blank = false
  return (raw, line) => {
    if (line === '') {
      blank = true
      return nowhere
    }
    const afterBlank = blank
    blank = false
    const heading = /^#{1,6}\s+(.{1,80}?):?$/.exec(line)?.[1] ?? /^\*\*(.{1,60}?):?\*\*:?$/.exec(line)?.[1]
    if (heading !== undefined) {
      section = placeBelow(heading)
      list = undefined
      return nowhere
    }
    const isItem = listMark.test(raw)
    const words = isItem ? line.replace(listMark, '') : line
    const title = /^(.{1,80})[:：]$/.exec(words)?.[1]
    if (title !== undefined && (!isItem || placeBelow(title).listed)) {
      list = placeBelow(title)
      items = 0
      return nowhere
    }
    const inline = /^(.{1,40}?)[:：]\s*\S/.exec(words)?.[1]
    if (inline !== undefined && isBindingHeading(plainTitle(inline))) return { listed: true }
    if (list !== undefined) {
      if (isItem) items++
      // The list ends with the first paragraph after it.
      else if (items > 0 || (afterBlank && !list.listed)) list = undefined
      if (list !== undefined) return isItem || items === 0 ? list : nowhere
    }
    return isItem ? section : nowhere
  }
}

function placeBelow(title: string): ListPlace {
  const plain = plainTitle(title)
  if (isForbiddingHeading(plain)) return { listed: true, under: plain }
  return isBindingHeading(plain) ? { listed: true } : nowhere
}

function plainTitle(title: string): string {
  return title.replace(/^[\d.)\s]+|\*/g, '').trim()
}
