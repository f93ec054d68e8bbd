import { lowerCase } from '../../../text/lower-case.ts'
import { type Binding, type Grammar, grammarOf, inAnyLanguage, type Refusal } from './grammar.ts'

export interface SentenceClass {
  readonly binds: boolean
  readonly why: Binding | Refusal
  /** Start of the deciding clause in the sentence. */
  readonly at: number
}

/** The context of a sentence. */
export interface Surroundings {
  /** True for an item below a heading such as "Constraints". */
  readonly listed?: boolean
  /** Written by an agent and approved by the user: only plain orders bind. */
  readonly approved?: boolean
}

const longest = 2000

const maxRemembered = { length: 300, sentences: 4096 }
const remembered = new Map<string, SentenceClass>()

/**
 * Determines whether a sentence of the user binds whoever continues the work, and why. It is read clause by clause: the
 * head of a clause counts, not a word somewhere in it. Takes any text. The last results are cached, because several
 * facts examine the same sentences.
 */
export function classifySentence(sentence: string, around: Surroundings = {}): SentenceClass {
  if (sentence.length > maxRemembered.length) return classify(sentence, around)
  const key = `${around.listed === true ? 'l' : ' '}${around.approved === true ? 'a' : ' '}${sentence}`
  const known = remembered.get(key)
  if (known !== undefined) return known
  const found = classify(sentence, around)
  if (remembered.size >= maxRemembered.sentences) remembered.clear()
  remembered.set(key, found)
  return found
}

function classify(sentence: string, around: Surroundings): SentenceClass {
  const masked = maskQuotes(sentence.slice(0, longest).replaceAll('’', "'"))
  const grammar = grammarOf(masked.replace(/x{2,}/g, ' '))
  const text = lowerCase(masked)
  if (!grammar.pattern('polite').test(strip(text, grammar).text)) {
    const refused = refusalAt('sentence', grammar, text, false)
    if (refused !== undefined) return { binds: false, why: refused, at: 0 }
  }
  // The text only introduces what follows.
  if (/[:：]$/.test(text.trimEnd())) return { binds: false, why: 'plain', at: 0 }
  const weakens = refusalAt('sentence', grammar, text, true)
  const allows = ({ kind, weak }: Grammar['rules'][number]) =>
    (!weak || weakens === undefined) &&
    (around.approved !== true || (!weak && (kind === 'prohibition' || kind === 'necessity')))
  let seen: Refusal | undefined
  for (const [index, clause] of clausesOf(text, grammar).entries()) {
    const refused = clause.polite ? undefined : refusalAt('head', grammar, clause.text, false)
    if (refused !== undefined) {
      seen ??= refused
      // The rest of a question belongs to it; something else may follow "I don't see it, but".
      if (refused === 'question' && index === 0) return { binds: false, why: refused, at: clause.at }
      continue
    }
    const rule = grammar.rules.find(
      (each) =>
        each.at !== 'sentence' &&
        !(each.at === 'lead' && clause.aside) &&
        allows(each) &&
        each.pattern().test(clause.text),
    )
    if (rule === undefined) continue
    if (rule.kind === 'prohibition' || !grammar.pattern('passing').test(clause.whole))
      return { binds: true, why: rule.kind, at: clause.at }
    seen ??= 'plain'
  }
  // An item that names a step of the work is a task, whatever the heading above it.
  if (around.listed === true && !grammar.pattern('steps').test(text))
    return { binds: true, why: 'listed', at: 0 }
  const whole = grammar.rules.find(
    (each) => each.at === 'sentence' && allows(each) && each.pattern().test(text),
  )
  if (whole !== undefined && seen === undefined) return { binds: true, why: whole.kind, at: 0 }
  return { binds: false, why: seen ?? weakens ?? 'plain', at: 0 }
}

/** Whether the items of a list with this title bind. */
export function isBindingHeading(title: string): boolean {
  return bindsBelow(plainTitle(title))
}

/** Whether a list with this title names what not to do: `Do not:`, `You must never:`. */
export function isForbiddingHeading(title: string): boolean {
  const plain = plainTitle(title)
  return (bindsBelow(plain) && compiledForbidden().test(plain)) || forbidsBelow(plain)
}

/** `Rules and conventions` binds if both of its parts do. */
function bindsBelow(title: string): boolean {
  return (
    compiledHeadings().test(title) ||
    (joint.test(title) && title.split(joint).every((part) => compiledHeadings().test(part)))
  )
}

const joint = /\s*(?:[&/,]|\band\b)\s*/

function plainTitle(title: string): string {
  return title.replaceAll('’', "'").toLowerCase()
}

function forbidsBelow(title: string): boolean {
  return title.length <= 80 && classifySentence(`${title} this`).why === 'prohibition'
}

const compiledHeadings = inAnyLanguage(
  'headings',
  '^',
  '(?: (?:that|to|for|you|we|binding|of|in|on|when) [^:]{0,50})?(?:\\s*\\([^)]{0,60}\\)|\\s+[-–—]\\s.{0,60})?$',
)

const compiledForbidden = inAnyLanguage('forbidden headings', '^', '$')

function refusalAt(
  at: 'head' | 'sentence',
  { refusals }: Grammar,
  text: string,
  weak: boolean,
): Refusal | undefined {
  return refusals.find((rule) => rule.at === at && rule.weak === weak && rule.pattern().test(text))?.kind
}

interface Clause {
  readonly text: string
  readonly whole: string
  readonly at: number
  readonly polite: boolean
  readonly aside: boolean
}

const maxClauses = 60

/** Splits a text into clauses without introductory words; a clause runs to the end of the text. */
function clausesOf(text: string, grammar: Grammar): Clause[] {
  const clauses: Clause[] = []
  let from = 0
  const add = (end: number) => {
    const stripped = strip(text.slice(from, end), grammar)
    const skipped = grammar.pattern('polite').exec(stripped.text)?.[0].length ?? 0
    const words = stripped.text.slice(skipped)
    if (words !== '') {
      const aside = text.slice(0, from).trimEnd().endsWith('(')
      const at = from + stripped.at + skipped
      clauses.push({ text: words, whole: text.slice(from, end), at, polite: skipped > 0, aside })
    }
  }
  for (const { index, 0: mark } of text.matchAll(grammar.pattern('breaks'))) {
    if (clauses.length >= maxClauses) return clauses
    if (index > from) add(index)
    from = index + mark.length
  }
  add(text.length)
  return clauses
}

function strip(text: string, { pattern }: Grammar): { text: string; at: number } {
  let at = text.length - text.trimStart().length
  for (let round = 0; round < 12; round++) {
    const found = pattern('fillers').exec(text.slice(at))
    if (found === null || found[0] === '') break
    at += found[0].length
    at += text.length - at - text.slice(at).trimStart().length
  }
  return { text: text.slice(at).trimEnd(), at }
}

/**
 * Quoted words and code are mentioned, not said: their letters become `x`, so that positions stay; code is a word. A quote that opens
 * after a word and does not close in the sentence extends to its end.
 */
function maskQuotes(text: string): string {
  const closed = text.replace(/`[^`]{1,300}`|"[^"]{1,300}"|“[^”]{1,300}”|「[^」]{1,300}」/g, (quoted) =>
    quoted.length >= text.trim().length - 1 ? quoted : blotted(quoted),
  )
  const open = /(?<=[\s(])(?:"(?=\p{L})[^"]*|“[^”]+|「[^」]+)$/u.exec(closed)
  return open === null ? closed : closed.slice(0, open.index) + blotted(open[0])
}

function blotted(quoted: string): string {
  const isCode = quoted.startsWith('`')
  return isCode ? 'x'.repeat(quoted.length) : `${quoted[0]}${'x'.repeat(quoted.length - 2)}${quoted.at(-1)}`
}
