import { literalScanner } from '@tenfold/redact/internal'
import type { ContextBundle } from '../bundle/schema.ts'
import { checkHint, rerunHint, toolMark, toRun } from '../bundle/session-summary.ts'
import { givenBriefs } from '../carry/given-brief.ts'
import { TenfoldError } from '../errors.ts'
import { classifySentence } from '../facts/constraints/binding/classify-sentence.ts'
import type { Facts } from '../facts/facts.ts'
import { isInstructions } from '../facts/rules/rule-texts.ts'
import { cleanLine, cleanText } from '../session/clean-text.ts'
import type { SessionEvent } from '../session/event.ts'
import { eventText, toolInputText } from '../session/event-text.ts'
import { once } from '../session/once.ts'
import type { Steps } from '../session/pauses.ts'
import type { Session } from '../session/session.ts'
import { entryText, listsOf } from '../summarize/summary-lists.ts'
import { phraseFinder } from '../text/phrase-finder.ts'
import { tiktokenCounter } from '../tokens/tiktoken-counter.ts'

/** Splits a text into sentences and lines, which are marked separately. */
export function sentencesOf(text: string): string[] {
  return text.split(/(?<=[.!?]\s)|(?<=[。！？\n])/u)
}

/**
 * Returns the sentences whose words tools printed, and neither the user nor the agent wrote, since a file or page may
 * contain orders, which must not look like the agent's plan. Such a sentence
 * - names something that only tools name: a rare word, something to use, or a coded name without other names,
 * - or has a third of its word sequences from them.
 * A sentence about a failure may name what a failed call printed. Words in `parent` are known: its brief in the log is
 * not a tool's text. Reads the log once, and the output of tools only if a sentence is doubtful.
 */
export function* toolSentences(
  sentences: Iterable<string>,
  { events }: Session,
  { errors }: Pick<Facts, 'errors'>,
  parent?: ContextBundle,
): Steps<ReadonlySet<string>> {
  const all = [...new Set(sentences)]
    .filter((text) => /\S/.test(text) && !text.includes(toolMark))
    .map(partsOf)
  const wanted = all
    .flatMap(({ names, used, rows }) => [...names.keys(), ...used, ...rows])
    .filter((phrase) => phrase.trim() !== '')
  const known = yield* heldOf(wanted, authoredTexts(events, parent), true)
  const isUnknown = (phrase: string) => !known.has(phrase)
  // Too few unknown sequences prove nothing about a sentence, whoever printed them.
  const doubtful = all.flatMap(({ names, used, rows }) => {
    const foreign = rows.filter(isUnknown)
    const telling = [...names].flatMap(([name, kind]) => (kind === 'common' ? [] : [name]))
    return [...telling, ...used].filter(isUnknown).concat(areMany(foreign.length, rows) ? foreign : [])
  })
  if (doubtful.length === 0) return new Set()
  const failures = new Set<string>(errors.map(({ event }) => event))
  const isFailure = (event: SessionEvent) =>
    failures.has(event.id) || (event.type === 'tool_result' && event.status === 'error')
  const printed = events.filter(isPrinted)
  const failed = yield* heldOf(doubtful, printed.filter(isFailure).map(eventText))
  const other = yield* heldOf(doubtful, printed.filter((event) => !isFailure(event)).map(eventText))
  const isOfTools = (phrase: string) => !known.has(phrase) && (failed.has(phrase) || other.has(phrase))
  return new Set(
    all.flatMap(({ text, names, used, rows }) => {
      if (used.some(isOfTools)) return [text]
      const isExcused = once(() => aboutFailure.test(text) && !classifySentence(text).binds)
      const isForeign = (phrase: string) => isOfTools(phrase) && !(failed.has(phrase) && isExcused())
      const isNamed = [...names].some(([name, kind]) => kind !== 'common' && known.has(name))
      const named = [...names].some(
        ([name, kind]) => isForeign(name) && (kind === 'rare' || (kind === 'coded' && !isNamed)),
      )
      return named || areMany(rows.filter(isForeign).length, rows) ? [text] : []
    }),
  )
}

/** Whether so many sequences make a sentence a tool's: at least a third of them, and more than one. */
function areMany(count: number, rows: readonly string[]): boolean {
  return count > 0 && count >= Math.min(2, rows.length) && count >= rows.length / 3
}

/** Parts that identify a sentence, in the words of {@link plain}. */
interface Parts {
  readonly text: string
  readonly names: ReadonlyMap<string, 'common' | 'coded' | 'rare'>
  /** Things that it says to run or use, and servers that it names. */
  readonly used: readonly string[]
  /** Sequences of a few words, without quotes, since a quote is clearly not the agent's own order. */
  readonly rows: readonly string[]
}

const rowLength = { words: 3, characters: 8 }

function partsOf(text: string): Parts {
  const line = cleanLine(text).replace(citations, ' ').replaceAll(rerunHint, ' ').replaceAll(checkHint, ' ')
  const words = line.match(/[\p{L}\p{N}_]{3,}/gu) ?? []
  const paths = line.match(/[\w@.-]*(?:\/[\w@.-]+)+/g) ?? []
  const unquoted = line.split(/`[^`]*`|"[^"]*"|“[^”]*”|「[^」]*」|«[^»]*»/u).map((part) => plain(part).trim())
  const own = unquoted.join(' ').trim() || plain(line).trim()
  // Words on both sides of a quote are not adjacent in any text.
  const pieces = unquoted.map((part) => part.split(' ')).filter((part) => part.length >= rowLength.words)
  const unspaced = own.split(' ').filter((word) => noSpaces.test(word))
  return {
    text,
    names: new Map([
      ...words.map((word) => [plain(word), kindOf(word)] as const),
      ...paths.map((path) => [plain(path), 'coded'] as const),
    ]),
    used: [...line.matchAll(uses), ...line.matchAll(/https?:\/\/([^\s/'"`]+)/g)].map(([, name = '']) =>
      plain(name),
    ),
    rows:
      unspaced.length > 0
        ? unspaced.flatMap((word) => windows([...word], rowLength.characters).map((part) => part.join('')))
        : (pieces.length > 0 ? pieces : [own.split(' ').filter((word) => word !== '')]).flatMap(rowsOf),
  }
}

/** Event ids, which occur in a brief and in no message: `(e11)`, `[e3, e16]`. */
const citations = /[([]e\d+(?:, e\d+)*[)\]]/g

/** Returns the word sequences of a sentence; a short one is one sequence, and a single word identifies nobody. */
function rowsOf(words: readonly string[]): string[] {
  if (words.length < 2) return []
  return windows(words, Math.min(words.length, rowLength.words)).map((part) => ` ${part.join(' ')} `)
}

function windows(parts: readonly string[], size: number): string[][] {
  return Array.from({ length: Math.max(0, parts.length - size + 1) }, (_, at) => parts.slice(at, at + size))
}

const noSpaces = /[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}]{4}/u

/** Matches the object of words such as "run" and "use". */
const uses = new RegExp(`${toRun}(?:the\\s+)?[\`'"]?([\\p{L}\\p{N}_@./-]{3,})`, 'giu')

/** Words about a failure. */
const aboutFailure =
  /\b(?:fix|fail|error|bug|crash|broken?\b|resolve|repair|debug|pass\b|behebe|fehler|corrig|répar|erreur|arregl|falla)|исправ|ошибк|修复|错误|失败|修正|エラー|失敗/iu

/** A hash or a number, which identifies little. */
const numeric = /^(?:\d+\p{L}?|(?=\p{L}*\d)[\da-f]{7,40})$/u

/** Returns the kind of a word. Common words are one token of the tokenizer's encoding, or a few long ones. */
function kindOf(word: string): 'common' | 'coded' | 'rare' {
  if (numeric.test(word)) return 'common'
  if (/[_\d]/.test(word) || /\p{Ll}\p{Lu}/u.test(word)) return 'coded'
  if (!/^[A-Za-z]+$/.test(word)) return 'common'
  const tokens = tokensOf(` ${word.toLowerCase()}`)
  return tokens === 1 || word.length > 4 * tokens ? 'common' : 'rare'
}

const counter = tiktokenCounter()

/** In a program bundled without the encoding, which counts otherwise, no word is rare. */
function tokensOf(word: string): number {
  try {
    return counter.count(word)
  } catch (error) {
    if (TenfoldError.isInstance(error) && error.code === 'no-encoding-file') return 1
    throw error
  }
}

/** Returns the words of a text in lower case, with a space before and after each. */
function plain(text: string): string {
  return ` ${text
    .toLowerCase()
    .replace(/[^\p{L}\p{N}_]+/gu, ' ')
    .trim()} `
}

/** Types of events by the user or the agent, including the arguments of calls, and a plan that was handed over. */
const authors: ReadonlySet<string> = new Set(['user', 'assistant', 'reasoning', 'tool_call', 'compaction'])

function isAuthored(event: SessionEvent): boolean {
  if (event.type === 'context') return event.origin === 'agent' || event.name === 'plan'
  return authors.has(event.type)
}

/** Text that tools and hooks added to the session; a brief repeats output of earlier sessions. */
const prints: ReadonlySet<string> = new Set(['attachment', 'output', 'hook', 'notification'])

function isPrinted(event: SessionEvent): boolean {
  if (event.type === 'tool_result') return true
  if (event.type !== 'context' || event.name === 'plan') return false
  return givenBriefs([event]).length > 0 || (prints.has(event.origin) && !isInstructions(event.name ?? ''))
}

/** Yields the words of the user and the agent, without lines that the agent quotes and names of tool arguments. */
function* authoredTexts(events: readonly SessionEvent[], parent?: ContextBundle): Iterable<string> {
  yield* saidBy(parent)
  for (const event of events.filter(isAuthored)) {
    const text = eventText(event)
    if (event.type !== 'tool_call' || typeof event.input !== 'object')
      yield event.type === 'assistant' ? text.replace(/^\s*>.*$/gm, '') : text
    else for (const value of [event.name, ...Object.values(event.input ?? {})]) yield toolInputText(value)
  }
}

/** Returns the sentences of a bundle that are the user's or an agent's. */
function saidBy(bundle: ContextBundle | undefined): string[] {
  if (bundle === undefined) return []
  const { summary, resumeInstructions, workflow, carried = [], trail } = bundle
  const texts = [summary, resumeInstructions, workflow.currentTask ?? ''].flatMap(sentencesOf)
  const items = [
    ...listsOf(bundle).flatMap(([, list]) =>
      list.map((entry) => `${entryText(entry)} ${'command' in entry ? entry.command : ''}`),
    ),
    ...carried.filter(({ as }) => as !== 'rule').map(({ text }) => text),
    ...trail.filter(({ label }) => label === 'user' || label === 'plan').map(({ text }) => text),
  ]
  return [...texts, ...items].filter((text) => !text.includes(toolMark))
}

const unspacedForm = 6

/** Returns the beginning of a long word, to match its other forms. */
function beginningOf(phrase: string): string | undefined {
  const word = phrase.trim()
  return word.length > 6 && !word.includes(' ') ? word.slice(0, Math.max(5, word.length - 3)) : undefined
}

/** Which of these phrases, as {@link plain} writes them, are in the texts as a bundle shows them; `orForms`: or forms of a long word. */
function* heldOf(
  phrases: readonly string[],
  texts: Iterable<string>,
  orForms = false,
): Steps<ReadonlySet<string>> {
  const finder = phraseFinder()
  const unspaced = literalScanner<string[]>(unspacedForm)
  const all = new Set(phrases)
  for (const phrase of all) {
    if (phrase.startsWith(' ')) finder.add(phrase, orForms ? beginningOf(phrase) : undefined)
    else {
      const form = orForms ? phrase.slice(0, unspacedForm) : phrase
      const owners = unspaced.owner(form)
      if (owners === undefined) unspaced.add(form, [phrase])
      else owners.push(phrase)
    }
  }
  const found = new Set<string>()
  for (const given of texts) {
    if (found.size === all.size) break
    yield
    const text = cleanText(given)
    finder.find(text, (phrase) => found.add(phrase))
    // Rejecting each match makes the scanner continue with the others at the same position.
    if (unspaced.size > 0)
      unspaced.matches(plain(text), ({ owner }) => {
        for (const phrase of owner) found.add(phrase)
        return false
      })
  }
  return found
}
