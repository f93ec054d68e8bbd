import { wellCut } from '../../session/cut-text.ts'
import type { ContextEvent, EventId, SessionEvent, UserEvent } from '../../session/event.ts'
import { largePattern } from '../../session/large-pattern.ts'
import type { Steps } from '../../session/pauses.ts'
import { lowerCase } from '../../text/lower-case.ts'
import { shareOf } from '../../text/overlap.ts'
import type { ConstraintCandidate, ConstraintFact } from '../facts.ts'
import { isPartOf, type Matter, matterOf } from '../statements/same-matter.ts'
import { classifySentence, type SentenceClass } from './binding/classify-sentence.ts'
import { type Binding, grammars, type Refusal } from './binding/grammar.ts'
import { type Lift, liftOf, type RuleWords, ruleWords } from './binding/lifted.ts'
import { type Sentence, splitSentences } from './sentences.ts'
import { namesWritten, writtenByTurn } from './written.ts'

const maxLength = 400

const strong = demandPattern(['strong demand'])
const any = demandPattern(['strong demand', 'weak demand'])

const maxOpen = 200

/** The user's sentences that bind, and all that sound like a demand. */
export interface Constraints {
  readonly constraints: readonly ConstraintFact[]
  readonly constraintCandidates: readonly ConstraintCandidate[]
}

interface Rule extends ConstraintFact {
  readonly key: string
  readonly own: string
  readonly why: Binding | Refusal
  readonly approved: boolean
  readonly turn: number
  readonly words: RuleWords
  readonly matter: Matter
}

/**
 * Extracts sentences of the user, of the agent that gave this one its task, or of a plan that the user approved: those
 * that still bind, and all with words that demand or forbid. Verbatim except for white space, each once, in order; one
 * without a subject of its own ("It must be round.") behind the sentence before it. Code blocks and pasted output are
 * skipped; a sentence over 400 characters is cut around the deciding words. The task of a subagent that still works
 * (`running`) binds too. In a finished session, a wish for one thing and words about what was just asked for bind no
 * longer; nor does a demand for what its own turn then wrote.
 */
export function* constraintSteps(
  events: readonly SessionEvent[],
  finished = false,
  running?: EventId,
): Steps<Constraints> {
  const typed = isTyped(events)
  const rules = new Map<string, Rule>()
  const candidates = new Map<string, ConstraintCandidate>()
  const lifted = new Set<string>()
  let open: Rule[] = []
  let before: readonly string[] = []
  const messages = wordsOfUser(events, running)
  for (const event of messages) {
    const approved = isApproved(event)
    const found: string[] = []
    for (const [place, sentence] of splitSentences(event.text).entries()) {
      yield
      const { text, own, classified, why, isCandidate, ...said } = read(sentence, approved)
      // "I want to …" opens the work and is its task, and the first line of an issue is a title.
      const opens = typed && event === messages[0] && place === 0
      const isTitle = why === 'necessity' && !/[.!。]$/.test(text) && event.text.length > maxLength
      const binds = said.binds && !(opens && (isTitle || (why === 'preference' && /^i\b/i.test(text))))
      const key = text.toLowerCase()
      let grants = false
      if (!sentence.quoted && !approved) {
        const lift = open.length === 0 ? undefined : liftOf(sentence.text, classified)
        const undone = takesBack.test(sentence.text) ? open.filter(({ turn }) => turn === event.turn - 1) : []
        const revoked = lift === undefined ? [] : liftedBy(lift, key, open, [...before, ...found])
        const ended = [...undone.map((rule) => rule.key), ...revoked]
        for (const each of ended) {
          rules.delete(each)
          lifted.add(each)
        }
        grants = lift?.grants === true && ended.length > 0
        open = open.filter((rule) => rules.has(rule.key)).slice(-maxOpen)
      }
      if (binds && !grants && !rules.has(key)) {
        const [words, matter] = [ruleWords(own, why), matterOf(own)]
        const rule = { text, event: event.id, turn: event.turn, key, own, why, approved, words, matter }
        if (typed) for (const old of open) if (restates(rule, old)) rules.delete(old.key)
        lifted.delete(key)
        const isSaid = (old: Rule) => old.words.forbids === words.forbids && isPartOf(matter, old.matter)
        if (!open.some((old) => rules.has(old.key) && isSaid(old))) {
          rules.set(key, rule)
          open.push(rule)
          found.push(key)
        }
      }
      if ((binds || isCandidate) && !candidates.has(key))
        candidates.set(key, { text, event: event.id, ...(binds ? {} : { refused: why as Refusal }) })
    }
    before = found.length > 0 ? found : before
  }
  const written = writtenByTurn(events, finished)
  const binding = [...rules.values()].filter(
    (rule) => !typed || !((finished && isDone(rule)) || isFulfilled(rule, written.get(rule.turn) ?? '')),
  )
  const held = binding.map(({ text, event }) => ({ text, event }))
  return {
    constraints: typed ? held : withoutRepeated(held),
    constraintCandidates: [...candidates.entries()].map(([key, candidate]) =>
      lifted.has(key) ? { ...candidate, refused: 'lifted' as const } : candidate,
    ),
  }
}

/** Whether a demand was only about finished work: a wish, or words about what was just requested. */
function isDone({ own, why, approved, words }: Rule): boolean {
  if (approved) return why !== 'prohibition' && why !== 'listed'
  if (why === 'necessity') return leansOnOther.test(own)
  return why === 'preference' && !words.standing && !ofWork.test(own)
}

/** Whether a demand was about one thing that its own turn then wrote; prohibitions and standing rules continue. */
function isFulfilled({ own, why, approved, words }: Rule, written: string): boolean {
  return (
    !approved && !words.standing && why !== 'prohibition' && why !== 'listed' && namesWritten(own, written)
  )
}

/** The habits and wishes of a team. */
const ofWork = /\b(?:we|commit|push|branch|tests?)\b/i

/** Whether a rule includes the sentence of an earlier one, or demands the same of the same things. */
function restates({ key, words }: Rule, old: Rule): boolean {
  const sentence = old.key.replace(/[\s.!。]+$/, '')
  const at = key.indexOf(sentence)
  if (at >= 0 && /^\s*[.!。](?:\s|$)/.test(key.slice(at + sentence.length))) return true
  const [{ subject, forbids }, other] = [words, old.words]
  if (forbids !== other.forbids || subject.size !== other.subject.size) return false
  return subject.size > 1 && shareOf(subject, other.subject) === 1
}

/** Items below a heading that forbids are forbidden, whatever their own words. */
function classify(
  text: string,
  listed: boolean,
  under: string | undefined,
  approved: boolean,
): SentenceClass {
  if (under !== undefined && listed && !/[?？]$/.test(text)) return { binds: true, why: 'prohibition', at: 0 }
  return classifySentence(text, { listed, approved })
}

interface Read {
  /** The sentence, after the one that it depends on. */
  readonly text: string
  readonly own: string
  readonly classified: SentenceClass
  readonly binds: boolean
  readonly why: Binding | Refusal
  readonly isCandidate: boolean
}

function read({ text, listed, under, quoted, before = '' }: Sentence, approved: boolean): Read {
  const classified = classify(text, listed, under, approved)
  const binds = classified.binds && !quoted && !ofHarness.test(text) && !isOfTurn(text, classified.why)
  const cue = (/[?？]["')\]]*$/.test(text) ? strong : any)().exec(lowerCase(text).replaceAll('’', "'"))
  const own = `${binds && under !== undefined ? `${under}: ` : ''}${clipAround(text, binds ? classified.at : (cue?.index ?? 0))}`
  // Without its own subject it means nothing alone; a text that ends with a colon introduces something else.
  const leans = binds && leansOnOther.test(own) && before.length <= maxBefore && !/^$|[:：]$/.test(before)
  // "What is the footer using? Should be dimmer": about what the user sees.
  const isAside = leans && classified.why === 'necessity' && /[?？]$/.test(before)
  return {
    classified,
    own,
    text: leans ? `${before} ${own}` : own,
    binds: binds && !isAside,
    why: quoted ? 'quote' : (binds && !isAside) || !classified.binds ? classified.why : 'plain',
    isCandidate: cue !== null,
  }
}

/** "Should be dimmer", "So no need to run it", "keep that as a state" */
const leansOnOther =
  /^(?:(?:and|but|so|then|no|hm+|also|just|please|ok(?:ay)?|for that)[,.]? +)*(?:(?:should|must|needs? to|has to|only (?:do|when|if|exactly|what))\b|(?:it|they|the rest|(?:this|that|these|those)(?: \w+)?) (?:also |only )?(?:should|must|need|ha(?:s|ve)|is|are|will|would|can|do|means?)\w*\b|(?:no need to |don['’]t )?(?:keep|show|use|do|make|leave|run) (?:it|this|that|these|those|them)\b)/i

const maxBefore = 300

/** What OpenHands and SWE-agent tell any agent in the message with its task. */
const ofHarness =
  /\bhuman (?:help|response|input)\b|\bedit commands?\b|\bone command at a time\b|\bsubmit command\b/i

/** Whether a sentence without a name is only about this turn, unless it forbids or contains "always". */
function isOfTurn(text: string, why: SentenceClass['why']): boolean {
  if (why === 'prohibition' || why === 'listed') return false
  if (why === 'necessity' && corrects.test(text)) return true
  return [...ruleWords(text, why).subject].every((word) => word === 'both')
}

/** "No, that should stay": about what the agent just did. */
const corrects = /^(?:no|nope|nah)\b(?!.*\b(?:we|must|never|always)\b)/i

/** Takes back what the message before it asked for: "actually, can you revert that?", "no, remove this again". */
export const takesBack =
  /^(?:(?:no|nope|nah|hm+|ok(?:ay)?|oh|wait|actually|sorry|please|(?:can|could) you|let['’]?s|we should|just|and|but)[,.!]?\s+){0,4}(?:revert|undo|roll ?back|back out|remove|drop|take out|get rid of)\s+(?:that|this|it|these|those|them)(?:\s+(?:all|again|change|please|completely))*(?=[.,;!?]|$)/i

function liftedBy(lift: Lift, key: string, rules: readonly Rule[], recent: readonly string[]): string[] {
  if (lift.cancels) return recent.slice(-1)
  return rules.filter((rule) => rule.key !== key && lift.lifts(rule.words)).map((rule) => rule.key)
}

/**
 * Returns the user's messages, and plans that the user approved for work. In a subagent's log, in which nobody typed,
 * the agent that gave the task takes the user's place.
 */
function wordsOfUser(events: readonly SessionEvent[], running?: EventId): (UserEvent | ContextEvent)[] {
  const live = events.filter((event) => event.copied !== true && event.inContext !== false)
  const typed = isTyped(events)
  return live.filter(
    (event): event is UserEvent | ContextEvent =>
      event.type === 'user' ||
      (event.type === 'context' &&
        ((event.agent === 'main' && (event.name === 'plan' || (!typed && event.origin === 'agent'))) ||
          event.id === running)),
  )
}

function isTyped(events: readonly SessionEvent[]): boolean {
  return events.some((event) => event.type === 'user' && event.copied !== true && event.inContext !== false)
}

/** Whether an event is a plan, which an agent wrote, whoever sent it. */
function isApproved(event: UserEvent | ContextEvent): boolean {
  if (event.type === 'context') return event.origin !== 'agent'
  return /^\s*implement (?:the|this) following (?:approved )?plan\b/i.test(event.text)
}

/** Returns a pattern of demanding words in any language; whole words if the language has spaces between them. */
function demandPattern(sections: readonly string[]): () => RegExp {
  const cues = (spaced: boolean) =>
    grammars()
      .filter((grammar) => grammar.spaced === spaced)
      .flatMap(({ alternatives }) => sections.map(alternatives))
      .join('|')
  return largePattern(() => `(?<![\\p{L}\\p{N}_-])(?:${cues(true)})(?![\\p{L}\\p{N}_-])|${cues(false)}`, 'u')
}

/** Returns a piece of at most 400 characters around the cue, cut at white space if possible. */
function clipAround(sentence: string, cue: number): string {
  if (sentence.length <= maxLength) return sentence
  let start = cue < maxLength - 100 ? 0 : cue - 100
  if (start > 0) {
    const space = sentence.indexOf(' ', start)
    if (space > 0 && space < cue) start = space + 1
  }
  let end = Math.min(sentence.length, start + maxLength)
  const space = sentence.lastIndexOf(' ', end)
  if (end < sentence.length && space > Math.max(cue + 40, start)) end = space
  return wellCut(sentence.slice(start, end)).trim()
}

/** Limits of the work: "You own only a.ts", "Keep ownership limited to that file." */
const scope =
  /\b(?:own only|ownership (?:is )?limited to|limit (?:your )?(?:changes|edits|work|ownership) to|(?:edit|change|touch|modify|own) only|only (?:edit|change|touch|modify|own))\s+(.{1,200})$/i
const pronoun = /^(?:that|this|the|these|those)(?: (?:one|same))? files?\W*$/i
const forbids = /^(?:please )?(?:do not|don['’]t|never)\s/i
const nextClause = /(?:[;,]| and|[;,] and)\s+(?=(?:please )?(?:do not|don['’]t|never)\s)/i

/**
 * Leaves out demands that repeat earlier ones: an agent that gives tasks to another repeats with each message what it
 * must not touch.
 */
function withoutRepeated<T extends ConstraintFact>(demands: readonly T[]): T[] {
  const scopes = new Set<string>()
  const forbidden = new Set<string>()
  return demands.filter(({ text }) => {
    const object = scope.exec(text)?.[1]
    if (object !== undefined) {
      const key = keyOf(object)
      if (scopes.has(key) || (scopes.size > 0 && pronoun.test(object))) return false
      scopes.add(key)
      return true
    }
    if (!forbids.test(text)) return true
    const clauses = text.split(nextClause).map(keyOf)
    const isRepeated = clauses.every((clause) => forbidden.has(clause))
    for (const clause of clauses) forbidden.add(clause)
    return !isRepeated
  })
}

/** Returns the words without articles and plurals; "README or any other file" equals any other file. */
function keyOf(clause: string): string {
  return (
    clause
      .toLowerCase()
      .replace(/\S+ or any other\b/g, 'other')
      .match(/[\p{L}\p{N}_./-]+/gu) ?? []
  )
    .map((word) => word.replace(/[.,]+$/, '').replace(/(?<=\w{3})s$/, ''))
    .filter((word) => !/^(?:the|a|an|any|please|'?)$/.test(word))
    .join(' ')
}
