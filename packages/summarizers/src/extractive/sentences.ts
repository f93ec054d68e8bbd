import { cutHead, sentencesOfLine, sumsUp, textsOfJson } from '@tenfold/core/internal/summarizer'

/** A sentence or list item of a text, on one line, without Markdown markup. */
export interface Sentence {
  readonly text: string
  readonly listed: boolean
  /** The nearest heading above, or a line that ends in a colon. */
  readonly under: string
  readonly question: boolean
}

/** Returns the sentences of a text, as {@link sentencesOf} does. */
export type ReadSentences = (text: string) => readonly Sentence[]

/** Maximum characters of texts whose sentences are remembered: those of a log of 1 GB would take much memory. */
const maxRemembered = 8 * 1024 * 1024
/** What a text takes besides its characters, which counts for a million short ones. */
const perText = 200

/** {@link sentencesOf} that reads each text once, as long as they take little memory. */
export function rememberedSentences(): ReadSentences {
  const known = new Map<string, readonly Sentence[]>()
  let room = maxRemembered
  return (text) => {
    const seen = known.get(text)
    if (seen !== undefined) return seen
    const sentences = sentencesOf(text)
    room -= text.length + perText
    if (room > 0) known.set(text, sentences)
    return sentences
  }
}

/** Longest text that is examined, or parsed: users paste logs, whose important parts are at both ends. */
const longest = 40_000

/**
 * Splits prose into sentences, in any language; skips code blocks, tables, quoted output and directives to an app
 * (`::git-stage{…}`).
 */
export function sentencesOf(text: string): Sentence[] {
  const sentences: Sentence[] = []
  let under = ''
  let fenced = false
  const bounded =
    text.length <= longest
      ? (textsOfJson(text)?.join('\n') ?? text)
      : `${text.slice(0, longest / 2)}\n${text.slice(-longest / 2)}`
  for (const raw of bounded.split('\n')) {
    const line = raw.trim()
    if (/^(```|~~~)/.test(line)) fenced = !fenced
    if (fenced || line === '' || /^([|>]|```|~~~|---|===|::[\w-]+\{)/.test(line)) continue
    const heading = headingOf(line)
    if (heading !== undefined) {
      under = plain(heading)
      continue
    }
    const listed = listMark.test(line)
    const body = plain(listed ? line.replace(listMark, '').replace(checkBox, '') : line)
    if (!listed && /[:：]$/.test(body) && body.length < 120) under = body
    for (const segment of sentencesOfLine(body)) {
      const sentence = segment.trim()
      if (sentence.length < 4) continue
      sentences.push({ text: sentence, listed, under, question: /[?？]["')\]]*$/.test(sentence) })
    }
  }
  return sentences
}

const listMark = /^([-*•+]|\d{1,2}[.)])\s+/
const checkBox = /^\[[ x]\]\s+/

function headingOf(line: string): string | undefined {
  if (line.startsWith('#')) return /^#{1,6}\s+(.+)$/.exec(line)?.[1]
  return line.startsWith('**') ? /^\*\*([^*]{2,80})\*\*:?$/.exec(line)?.[1] : undefined
}

/** White space other than a single space, which most of it is. */
const moreThanSpace = /[^\S ]\s*| \s+/g

/** A line without bold marks and with the text of links. */
function plain(line: string): string {
  const words = line.replaceAll('**', '')
  const linked = words.includes('](') ? words.replace(/\[([^\]]{1,200})\]\([^)]{1,400}\)/g, '$1') : words
  return linked.replace(moreThanSpace, ' ').trim()
}

/** A line of at most `length` characters, not cut inside a name. */
export function clip(text: string, length: number): string {
  const line = text.replace(moreThanSpace, ' ').trim()
  if (line.length <= length) return line
  return `${cutHead(line, length - 2)} …`.trimStart()
}

/**
 * The {@link opening} of an answer, without offers of further work and the announcement of a call that follows; the list
 * that sums it up, if it has one.
 */
export function answerOpening(text: string, length: number): string {
  const sentences = sentencesOf(text)
  const sum = sentences.filter(({ listed, under }) => listed && sumsUp.test(under))
  const told =
    sum.length > 0 ? sum : sentences.filter(({ text: sentence, listed }) => listed || !offer.test(sentence))
  return openingOf(told.length === 0 ? sentences : told, text, length)
}

const offer =
  /^(?:(?:and|or|so)[, ]+)?(?:if you(?:['’]d| would)? (?:like|want|prefer|wish)|let me know|do you |would you like|want me to|shall i|should i|let['’]s (?:submit|proceed)\b)|\b(?:i|we) can now (?:submit|proceed|finish)\b/i

/** The first sentences of a text, up to a length; lists count only if there is little prose. */
export function opening(text: string, length: number): string {
  return openingOf(sentencesOf(text), text, length)
}

/** The last sentences of a text that fit into a length, at least the end of one. */
export function closing(text: string, length: number): string {
  const sentences = sentencesOf(text)
  let said = ''
  for (const sentence of sentences.toReversed()) {
    const longer = said === '' ? sentence.text : `${sentence.text} ${said}`
    if (said !== '' && longer.length > length) break
    said = longer
  }
  return clip(said === '' ? text : said, length)
}

function openingOf(all: readonly Sentence[], text: string, length: number): string {
  const sentences = all.length > 1 && praise.test(all[0]?.text ?? '') ? all.slice(1) : all
  // A line that announces a list says nothing without it.
  const prose = sentences.filter(
    (sentence, at) => !sentence.listed && !leadsOn.test(sentence.text) && !isTitle(sentences, at),
  )
  const little = prose.reduce((sum, sentence) => sum + sentence.text.length, 0) < minProse
  const kept: Sentence[] = []
  for (const sentence of little ? sentences : prose) {
    const size = joined(kept).length
    const isFull = size + sentence.text.length + 1 > length
    // "That's wrong!" alone says nothing: what follows is cut, not left out.
    if (isFull && size >= length * littleShare) break
    kept.push(sentence)
    if (isFull) break
  }
  // At the end of the text it says what comes next.
  const last = kept.at(-1)?.text ?? ''
  if (kept.length > 1 && leadsOn.test(last) && last !== sentences.at(-1)?.text) kept.pop()
  return clip(kept.length === 0 ? text : joined(kept), length)
}

/** Sentences in a row, with marks between a title and its items, which end with a word. */
function joined(sentences: readonly Sentence[]): string {
  const marked = sentences.map(({ text, listed }, at) => {
    const next = sentences[at + 1]
    if (next === undefined || !/[\p{L}\p{N}`"'）)\]]$/u.test(text)) return text
    return `${text}${listed ? ';' : next.listed ? ':' : ''}`
  })
  return marked.join(' ')
}

/** The end of a line that announces what follows it. */
const leadsOn = /[:：]$/

/** A word of joy before the first statement: `🎯 Perfect!` */
const praise =
  /^[^\p{L}\p{N}]*(?:perfect|great|excellent|awesome|amazing|wonderful|fantastic|nice)[^\p{L}\p{N}]*$/iu

/** Whether a sentence, which is not the first, is a few words above a list. */
function isTitle(sentences: readonly Sentence[], at: number): boolean {
  const { text = '' } = sentences[at] ?? {}
  if (at === 0 || sentences[at + 1]?.listed !== true || text.length > longestTitle) return false
  return !/[.!?。！？…][")\]]*$/.test(text)
}

const longestTitle = 48

/** First sentences that fill less of the room say too little without the next one. */
const littleShare = 1 / 3

/** Characters of prose that are meaningful by themselves: less only introduces a list. */
const minProse = 100

/** Says what the agent is about to do, or leads to what follows, and nothing of what it did or found. */
export const announces =
  /^(?:(?:ok(?:ay)?|so|good|great|and|perfect|alright|excellent|however)[,.:!]? )*(?:(?:now(?! \S*[./`])|next|first|then|finally|let me|let['’]s|i['’](?:ll|m)|i (?:need|want|should|will|have to)|we (?:need|should)|need to|check|calling|here(?:['’]s| is| are))\b|i(?:['’]ve)? found (?:the|it|some|a few|several|what|where)\b(?!.*[`:–—]))/i
