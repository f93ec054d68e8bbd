import { cutHead } from '@tenfold/core/summarizer'
import { jsonProse } from './json-prose.ts'

/** A sentence or list item of a text, on one line, without Markdown markup. */
export interface Sentence {
  readonly text: string
  /** Was an item of a list. */
  readonly listed: boolean
  /** The nearest heading above, or a line that ends in a colon. */
  readonly under: string
  readonly question: boolean
}

const segmenter = new Intl.Segmenter('und', { granularity: 'sentence' })

/** Longest text that is examined: users paste logs, whose important parts are at both ends. */
const longest = 40_000

/** Splits prose into sentences, in any language; skips code blocks, tables and quoted output. */
export function sentencesOf(text: string): Sentence[] {
  const sentences: Sentence[] = []
  let under = ''
  let fenced = false
  const bounded =
    text.length <= longest ? jsonProse(text) : `${text.slice(0, longest / 2)}\n${text.slice(-longest / 2)}`
  for (const raw of bounded.split('\n')) {
    const line = raw.trim()
    if (/^(```|~~~)/.test(line)) fenced = !fenced
    if (fenced || line === '' || /^([|>]|```|~~~|---|===)/.test(line)) continue
    const heading = /^#{1,6}\s+(.+)$/.exec(line)?.[1] ?? /^\*\*([^*]{2,80})\*\*:?$/.exec(line)?.[1]
    if (heading !== undefined) {
      under = plain(heading)
      continue
    }
    const listed = /^([-*•+]|\d{1,2}[.)])\s+/.test(line)
    const body = plain(line.replace(/^([-*•+]|\d{1,2}[.)])\s+(\[[ x]\]\s+)?/, ''))
    if (!listed && /[:：]$/.test(body) && body.length < 120) under = body
    for (const segment of segmentsOf(body)) {
      const sentence = segment.trim()
      if (sentence.length < 4) continue
      sentences.push({ text: sentence, listed, under, question: /[?？]["')\]]*$/.test(sentence) })
    }
  }
  return sentences
}

/** Parts of a line that are sentences. Most lines are clearly one, and the segmenter takes memory for each. */
function segmentsOf(line: string): string[] {
  const isOne = line.length <= maxPlainLength && /^[ -~]*$/.test(line) && !/[.!?](?![.!?"')\]]*$)/.test(line)
  return isOne ? [line] : Array.from(segmenter.segment(line), ({ segment }) => segment)
}

const maxPlainLength = 1000

/** A line without bold marks and with the text of links. */
function plain(line: string): string {
  return line
    .replace(/\*\*/g, '')
    .replace(/\[([^\]]{1,200})\]\([^)]{1,400}\)/g, '$1')
    .replace(/\s+/g, ' ')
    .trim()
}

/** A line of at most `length` characters, not cut inside a name. */
export function clip(text: string, length: number): string {
  const line = text.replace(/\s+/g, ' ').trim()
  if (line.length <= length) return line
  return `${cutHead(line, length - 2)} …`.trimStart()
}

/** The first sentences of a text, up to a length; lists count only if there is little prose. */
export function opening(text: string, length: number): string {
  const sentences = sentencesOf(text)
  // A line that announces a list says nothing without it.
  const prose = sentences.filter((sentence) => !sentence.listed && !/[:：]$/.test(sentence.text))
  const little = prose.reduce((sum, sentence) => sum + sentence.text.length, 0) < minProse
  let result = ''
  for (const { text: sentence } of little ? sentences : prose) {
    if (result !== '' && result.length + sentence.length + 1 > length) break
    result = result === '' ? sentence : `${result} ${sentence}`
  }
  return clip(result === '' ? text : result, length)
}

/** Characters of prose that are meaningful by themselves: less only introduces a list. */
const minProse = 100
