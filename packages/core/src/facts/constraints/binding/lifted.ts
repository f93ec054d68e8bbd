import { once } from '../../../session/once.ts'
import { saysSame, shareOf } from '../../../text/overlap.ts'
import { classifySentence, type SentenceClass } from './classify-sentence.ts'
import { type Grammar, grammarOf } from './grammar.ts'

/** The content of a rule that is compared with later sentences. */
export interface RuleWords {
  readonly subject: ReadonlySet<string>
  /** Topics of its clauses that forbid, each sufficient to name it: X of "never use X, only Y". */
  readonly objects: readonly ReadonlySet<string>[]
  /** The subject without numbers: rules that differ only in numbers have the same topic. */
  readonly frame: string
  readonly numbers: string
  readonly forbids: boolean
  /** True with `never`, `always` or the like: a single opposite request does not end the rule. */
  readonly standing: boolean
}

/** The effect of a sentence on earlier rules. */
export interface Lift {
  /** True if it takes back the most recent rule. */
  readonly cancels: boolean
  /** True if it allows something, or states that something no longer holds, and is not a rule itself. */
  readonly grants: boolean
  /** Whether it ends a rule. */
  lifts(rule: RuleWords): boolean
}

/** A count or a version, but not a name with digits. */
const number = /^v?\d+(?:[.,]\d+)*%?[.,]?$/

/** Returns the words of a rule for comparison with a later sentence. */
export function ruleWords(text: string, why: string): RuleWords {
  const grammar = grammarOf(text)
  const lower = lowered(text)
  const subject = subjectOf(lower, grammar)
  const plain = [...subject].filter((word) => !number.test(word))
  return {
    subject,
    objects: why === 'prohibition' ? objectsOf(lower, grammar) : [],
    frame: plain.length >= 2 ? plain.sort().join(' ') : '',
    numbers: (lower.match(/[\p{L}\p{N}_./%-]+/gu) ?? []).filter((word) => number.test(word)).join(' '),
    forbids: why === 'prohibition',
    standing: grammar.pattern('always').test(lower) && !grammar.pattern('moment').test(lower),
  }
}

function objectsOf(lower: string, grammar: Grammar): Set<string>[] {
  const clauses = lower.split(/[,;:()]\s+|\s+[-–—]+\s+/)
  if (clauses.length < 2) return []
  return clauses
    .filter((clause) => classifySentence(clause).why === 'prohibition')
    .map((clause) => subjectOf(clause, grammar))
    .filter((subject) => subject.size > 0)
}

/** Returns the effect of a user's sentence on earlier rules; undefined if it has none. */
export function liftOf(
  sentence: string,
  classified: SentenceClass = classifySentence(sentence),
): Lift | undefined {
  const lower = lowered(sentence)
    .slice(0, 1000)
    .replace(/^["'`\s]+/, '')
  if (lower.length > 300) return undefined
  const grammar = grammarOf(lower)
  if (grammar.pattern('cancels').test(lower)) return { cancels: true, grants: true, lifts: () => false }
  if (/[?？]\s*$/.test(lower)) return undefined
  const allowed = subjectBehind('allows', lower, grammar)
  const whole = once(() => subjectOf(lower, grammar))
  const isEnd = grammar.pattern('ends').test(lower)
  // "Forget the rule about dependencies" names the rule by a part of its words.
  const isNamedRule = isEnd && grammar.pattern('rule names').test(lower)
  const named = once(() => subjectOf(lower.replace(/(?<=\p{L})-(?=\p{L})/gu, ' '), grammar))
  const released = isEnd ? whole() : subjectBehind('releases', lower, grammar)
  // A request for something forbidden, which begins with its verb.
  const ordered = !classified.binds && classified.why === 'plain' ? firstWords(lower, grammar) : undefined
  if (allowed === undefined && released === undefined && ordered === undefined && !classified.binds)
    return undefined
  const negated = once(() => subjectBehind('negations', lower, grammar))
  const words = once(() => ruleWords(sentence, classified.why))
  return {
    cancels: false,
    grants: (allowed ?? released) !== undefined && classified.why !== 'prohibition',
    lifts(rule) {
      if (rule.subject.size === 0) return false
      const isNamed = (said: ReadonlySet<string>) =>
        [rule.subject, ...rule.objects].some((words) => covers(said, words))
      if (allowed !== undefined && !(classified.binds && classified.why === 'prohibition'))
        if (rule.forbids && isNamed(allowed)) return true
      if (released !== undefined && isNamed(released)) return true
      if (isNamedRule && [rule.subject, ...rule.objects].some((each) => covers(named(), each, 0.5)))
        return true
      if (ordered !== undefined && rule.forbids && !rule.standing && covers(whole(), rule.subject))
        return [...rule.subject].some((word) => ordered.has(word))
      if (!classified.binds) return false
      const [later, replaced] = [words(), negated()]
      // Another number in the same sentence, a replacement, or the opposite.
      if (later.frame !== '' && later.frame === rule.frame && later.numbers !== rule.numbers) return true
      if (!rule.forbids && replaced !== undefined && rule.subject.size <= 2 && covers(rule.subject, replaced))
        return true
      return later.forbids !== rule.forbids && saysSame(later.subject, rule.subject)
    },
  }
}

function subjectBehind(section: string, lower: string, grammar: Grammar): Set<string> | undefined {
  const found = grammar.pattern(section).exec(lower)
  return found === null ? undefined : subjectOf(lower.slice(found.index + found[0].length), grammar)
}

function lowered(text: string): string {
  return text.slice(0, 2000).replaceAll('’', "'").toLowerCase()
}

/** Returns words that carry the topic of a text, as stems; for scripts without spaces, pairs of characters. */
function subjectOf(lower: string, { empty }: Grammar): Set<string> {
  const words = new Set<string>()
  for (const word of lower.match(
    /[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}]+|[\p{L}\p{N}_'./@-]+/gu,
  ) ?? []) {
    if (/^[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}]/u.test(word)) {
      let rest = word
      for (const each of empty) rest = rest.replaceAll(each, ' ')
      for (const piece of rest.split(' ')) {
        if (piece.length === 1) continue
        for (let at = 0; at + 1 < piece.length; at++) words.add(piece.slice(at, at + 2))
      }
      continue
    }
    const plain = word.replace(/^[./'-]+|[./'-]+$/g, '')
    if (plain.length > 1 && !empty.has(plain)) words.add(stem(plain))
    else if (/^\d$/.test(plain)) words.add(plain)
  }
  return words
}

/** Returns the first meaningful words: the verb of an order. */
function firstWords(lower: string, grammar: Grammar): Set<string> {
  const clauses = lower.split(/[,;:]\s+|\s+(?:and|then|und|dann|et|y|e|и)\s+/)
  const first = clauses.flatMap((clause) => {
    const words = [...subjectOf(clause.replace(grammar.pattern('fillers'), ''), grammar)]
    return grammar.sections.includes('common') ? words.slice(0, 1) : words
  })
  return new Set(first)
}

/** Removes endings: `pushing`, `pushed` and `pushes` become `push`, `entry` and `entries` `entri`. */
function stem(word: string): string {
  if (!/^[\p{L}]{5,}$/u.test(word)) return word
  const cut = word
    .replace(/(?:ing|ed|es|en|er|s|e)$|y$/, (end) => (end === 'y' ? 'i' : ''))
    .replace(/(\p{L})\1$/u, '$1')
  return cut.length >= 4 ? cut : word
}

function covers(said: ReadonlySet<string>, rule: ReadonlySet<string>, least = 0.75): boolean {
  return shareOf(rule, said) >= least
}
