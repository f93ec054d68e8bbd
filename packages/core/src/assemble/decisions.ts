import type { Decision } from '../bundle/session-summary.ts'
import { isErrand, isRemark, suggests } from '../facts/answers/errands.ts'
import { listsAnswers, plainLabel } from '../facts/answers/offered-options.ts'
import { agrees, limits, offersMore, refuses } from '../facts/answers/replies.ts'
import { takesBack } from '../facts/constraints/constraints.ts'
import { sentenceTexts } from '../facts/constraints/sentences.ts'
import type { AnswerFact, Facts } from '../facts/facts.ts'
import { cleanLine } from '../session/clean-text.ts'
import { cutHead } from '../session/cut-text.ts'
import { type EventId, eventIndex, type SessionEvent } from '../session/event.ts'
import type { Session } from '../session/session.ts'
import { shareOf } from '../text/overlap.ts'

/**
 * Returns the decisions in log order: the user's computed answers, and the summarizer's additions. An addition is the
 * user's only if its words are in a cited message, plan or answer of the user; if these are in another script and
 * cannot be compared, it is flagged `unverified`.
 */
export function mergeDecisions(said: readonly Decision[], session: Session, facts: Facts): Decision[] {
  const lastPlan = facts.answers.findLast(({ kind }) => kind === 'plan')
  const answers = facts.answers
    // A later plan makes an earlier one history.
    .filter((answer) => decides(answer) && (answer.kind !== 'plan' || answer === lastPlan))
    .map((answer) => ({ answer, decision: answerDecision(answer) }))
  const repeated = new Set<AnswerFact>()
  const own = said.map((decision): Decision => {
    const isOnlyOne = said.every((other) => other === decision || !citesSame(other, decision))
    const same =
      answers.find(({ answer, decision: other }) => isSame(decision, answer, other)) ??
      answers.find(
        ({ answer, decision: other }) =>
          decision.by === 'user' &&
          isOnlyOne &&
          isAssent(answer) &&
          isSame(decision, answer, other, minShareOfOnly),
      )
    if (same !== undefined) repeated.add(same.answer)
    const heard =
      same !== undefined ? 'said' : decision.by === 'user' ? heardFrom(decision, session, facts) : undefined
    if (heard === undefined) return { ...decision, by: 'agent' }
    return { ...decision, by: 'user', ...(heard === 'unclear' ? { unverified: true as const } : {}) }
  })
  const added = answers.filter(({ answer }) => !repeated.has(answer)).map(({ decision }) => decision)
  const place = ({ evidence: [first] }: Decision) => (first === undefined ? -1 : eventIndex(first))
  const undone = session.events.flatMap((event) =>
    event.type === 'user' && takesBack.test(event.text) ? [event.turn - 1] : [],
  )
  const saidIn = (id: EventId) => session.events.slice(eventIndex(id), eventIndex(id) + 1)
  const isUndone = ({ type, turn }: SessionEvent) => type !== 'tool_result' && undone.includes(turn)
  return [...own, ...added]
    .filter(({ evidence }) => !evidence.flatMap(saidIn).some(isUndone))
    .sort((a, b) => place(a) - place(b))
    .map((decision) => withTime(decision, session.events))
}

/**
 * Whether an answer chooses something, instead of asking back or giving an errand. A refusal without its reason is
 * shown by the call that it ended.
 */
function decides(fact: AnswerFact): boolean {
  const { kind, question, answer, chosen } = fact
  if (kind === 'question') return !turnsBack.test(chosen.map(({ label }) => label).join(' '))
  if (kind === 'plan') return /^approved\b|: /.test(answer)
  const said = answerIn(answer)
  if (kind === 'reply' && !isProposed(fact) && goesAhead(question, chosen.length > 0 ? answer : said, chosen))
    return false
  if (chosen.length > 0) return !/[?？]$/.test(said)
  return (
    said !== '' &&
    (!/[?？]["')\]]*$/.test(said) || suggests.test(said)) &&
    !asks.test(said) &&
    !isErrand(said) &&
    (!isRemark(said) || (kind === 'reply' && refuses().test(said)))
  )
}

/** Whether an answer only requests work: "yes" to an offer of more work, or the choice of an errand from a list. */
function goesAhead(question: string, answer: string, chosen: AnswerFact['chosen']): boolean {
  if (chosen.length > 0 && chosen.every(({ label }) => isErrand(label))) return true
  if (!agrees().test(answer) || limits.test(answer) || answer.split(' ').length > maxGoAhead) return false
  return offersMore().test(question) && !/\b(?:instead of|rather than)\b/i.test(question)
}

const maxGoAhead = 20

/** Whether the user agreed to what a message proposes. */
function isProposed({ kind, chosen, others }: AnswerFact): boolean {
  return kind === 'reply' && chosen.length === 1 && others.length === 0
}

/** An option that only continues the talk: "Close, but let me redirect", "Probe first, then decide". */
const turnsBack = /\blet me\b|\bthen decide\b|\b(?:redirect|clarify|discuss) (?:it|this|first)\b/i

const asks =
  /^(?:can|could|would|will|does|did|is|are|how|what|why|when|where|which|who) (?!(?:i|we) (?:want|need))/i

/**
 * Returns the answering sentence of a reply, without remarks before it and further words of the user. "No."
 * includes the next sentence.
 */
function answerIn(reply: string): string {
  const sentences = sentenceTexts(reply)
  const says = (sentence: string) =>
    sentence.split(' ').length > maxAssent || !(agrees().test(sentence) || refuses().test(sentence))
  const demand = sentences.findIndex(
    (sentence) => says(sentence) && (!isRemark(sentence) || refuses().test(sentence)),
  )
  const first = demand < 0 ? sentences.findIndex(says) : demand
  const before = sentences.slice(0, Math.max(first, 0)).filter((sentence) => !isRemark(sentence))
  return first < 0 ? reply : [...before, sentences[first]].join(' ')
}

/** Maximum words of an answer that means nothing alone: "yes", "do both please". */
const maxAssent = 3

/** Makes a decision of an answer: the question is the topic, the chosen option's description the reason. */
function answerDecision(fact: AnswerFact): Decision {
  const { kind, question, answer: said, chosen, others, event } = fact
  const isWhole = kind !== 'reply' || chosen.length > 0 || listsAnswers.test(said)
  const answer = isWhole ? said : answerIn(said)
  const topic = clip(question, 200)
  const base = { alternatives: [], by: 'user' as const, evidence: [event] }
  if (kind === 'plan')
    return {
      choice: clip(
        topic === ''
          ? answer
          : `${answer.replace(/^(did not approve|approved) the plan/, `$1 the plan "${topic}"`)}`,
        400,
      ),
      ...base,
    }
  if (kind === 'refusal')
    return { topic: clip(`refused ${question}`, 160), choice: clip(answer, 400), ...base }
  const labels = chosen.map(({ label }) => plainLabel(label))
  const own =
    isProposed(fact) ||
    (labels.length > 0 &&
      chosen.some(({ label }) => answer.includes(label)) &&
      answer.length < chosen.reduce((sum, { label }) => sum + label.length + 4, 8))
  const choice = own
    ? labels.join('; ')
    : labels.length > 0
      ? `${answer.replace(markEnd, '$1')}: ${labels.join('; ')}`
      : answer
  const reasons = chosen.flatMap(({ description }) =>
    description === undefined ? [] : [cleanLine(description)],
  )
  const rationale = clip(reasons.join('; '), 240)
  // A list in a message may not be options if the answer takes nothing from it.
  const turnedDown = kind === 'question' || chosen.length > 0 ? others : []
  return {
    ...(topic === '' ? {} : { topic }),
    choice: clip(choice, 300),
    ...(rationale === '' ? {} : { rationale }),
    alternatives: turnedDown.map(({ label }) => clip(plainLabel(label), 80)).filter((label) => label !== ''),
    by: 'user',
    evidence: [event],
  }
}

/** The end of a reply such as `A.` or `2)`, and a full stop. */
const markEnd = /^(\w{1,2})\)$|[.:]$/

function isAssent({ answer }: AnswerFact): boolean {
  return answer.trim().split(/\s+/).length <= maxAssent
}

function citesSame({ evidence }: Decision, { evidence: others }: Decision): boolean {
  return evidence.some((id) => others.includes(id))
}

/** Whether a decision cites the answer, or as the user's the question, and has much the same words. */
function isSame(decision: Decision, answer: AnswerFact, other: Decision, least = minShare): boolean {
  const cites = (event: EventId) => decision.evidence.includes(event)
  if (!cites(answer.event) && !(decision.by === 'user' && cites(answer.asked))) return false
  const wanted = wordsOf(`${other.choice} ${other.topic ?? ''}`)
  return shareOf(wordsOf(`${decision.choice} ${decision.topic ?? ''}`), wanted) >= least
}

/**
 * Whether a cited event of the user contains the words of a choice. `unclear` if it is in another script, contains only
 * some of them, or is a short reply to an offer of the agent that contains them.
 */
function heardFrom(
  { choice, evidence }: Decision,
  session: Session,
  facts: Facts,
): 'said' | 'unclear' | undefined {
  const heard = evidence.map((id) => {
    const said = userWords(id, session, facts)
    if (said === undefined) return undefined
    if (isIn(choice, said)) return 'said'
    if (otherScript(choice, said)) return 'unclear'
    const offer = repliedTo(id, session)
    const isOffered = questionIn(offer) !== '' && isIn(choice, offer)
    return isOffered || isIn(choice, said, minRephrased) ? 'unclear' : undefined
  })
  return heard.includes('said') ? 'said' : heard.find((how) => how !== undefined)
}

/** Whether a text contains most words of a choice, and every exact name in it. */
function isIn(choice: string, said: string, least = minOwnShare): boolean {
  const words = wordsOf(choice)
  if (words.size === 0) return cleanLine(said).toLowerCase().includes(cleanLine(choice).toLowerCase())
  const others = wordsOf(said)
  const names = [...words].filter((word) => /[_/@\\]|\w\.\w|^--/.test(word))
  if (shareOf(words, others) < least || !names.every((name) => others.has(name))) return false
  return !turns.test(choice) || turns.test(said)
}

/** A word that reverses the meaning of the other words. */
const turns =
  /(?<![\p{L}\p{N}_])(?:not|never|no|without|skip(?:ping)?|ignor(?:e|ing)|disabl(?:e|ing)|instead|cannot|\w+n['’]t|nicht|nie|kein\w*|ohne|pas|jamais|sans|nunca|sin|não|sem|non|mai|senza|не|никогда|без)(?![\p{L}\p{N}_])|不|没|沒|别|勿|ない|なし|않|없이/iu

/** Returns the user's words at an event: a message with what a short one replies to, a plan, or an answer to a question. */
function userWords(id: EventId, session: Session, facts: Facts): string | undefined {
  const event = session.events[eventIndex(id)]
  const answered = facts.answers
    .filter((answer) => answer.event === id)
    .map(({ question, answer, chosen }) =>
      [question, answer, ...chosen.flatMap(({ label, description }) => [label, description ?? ''])].join(' '),
    )
  if (event?.type === 'context' && event.name === 'plan') return event.text
  if (event?.type !== 'user') return answered.length === 0 ? undefined : answered.join(' ')
  return [event.text, ...answered, questionIn(repliedTo(id, session))].join(' ')
}

/** Returns the agent's message that a short message of the user replies to; empty if there is none. */
function repliedTo(id: EventId, { events }: Session): string {
  const event = events[eventIndex(id)]
  if (event?.type !== 'user' || event.text.length > shortReply) return ''
  const before = events
    .slice(0, eventIndex(id))
    .findLast(({ type, agent }) => type === 'assistant' && agent === event.agent)
  return before?.type === 'assistant' ? before.text : ''
}

/** Returns the question at the end of a message: a short reply does not agree to what it quotes and reports before. */
function questionIn(text: string): string {
  const blocks = text.trim().split(/\n\s*\n/)
  return /[?？]/.test(blocks.at(-1) ?? '') ? blocks.slice(-2).join(' ') : ''
}

/** Maximum characters of a reply that means little without the message before it. */
const shortReply = 80

/** Minimum share of a decision's words in an equal one, since a summarizer rephrases it. */
const minShare = 0.4

/** The same for the only decision that cites an answer of a few words. */
const minShareOfOnly = 0.2

/** The same for a decision that only the summarizer attributes to the user, since it may come from elsewhere. */
const minOwnShare = 2 / 3

/** The same for words of the user in which the choice can be recognized. */
const minRephrased = 1 / 3

/** Returns words of at least four letters and names with punctuation or digits; for Chinese and Japanese, pairs. */
function wordsOf(text: string): Set<string> {
  const lower = text.toLowerCase().normalize('NFKC')
  const words = lower.match(/[\p{Script=Latin}\p{Script=Cyrillic}\p{Script=Greek}\p{N}_./@-]{2,}/gu) ?? []
  const pairs = (
    lower.match(/[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Hangul}]{2,}/gu) ?? []
  ).flatMap((run) =>
    [...run].slice(0, 2000).flatMap((character, at, all) => (at === 0 ? [] : [`${all[at - 1]}${character}`])),
  )
  return new Set([
    ...words
      .map((word) => word.replace(/[.:-]+$/, ''))
      .filter((word) => word.length >= 4 || /[\d_./@-]/.test(word)),
    ...pairs,
  ])
}

/** Whether two texts are in scripts that cannot be compared. */
function otherScript(a: string, b: string): boolean {
  const isEast = (text: string) =>
    /[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Hangul}]/u.test(text)
  const isCyrillic = (text: string) => /\p{Script=Cyrillic}/u.test(text)
  return isEast(a) !== isEast(b) || isCyrillic(a) !== isCyrillic(b)
}

function withTime(decision: Decision, events: readonly SessionEvent[]): Decision {
  if (decision.at !== undefined) return decision
  const times = decision.evidence.map((id) => events[eventIndex(id)]?.time ?? '')
  const at = times.find((time) => isoTime.test(time))
  return at === undefined ? decision : { ...decision, at }
}

const isoTime = /^\d{4}-\d\d-\d\dT\d\d:\d\d(?::\d\d(?:\.\d+)?)?Z$/

function clip(text: string, length: number): string {
  const line = cleanLine(text)
  return line.length <= length ? line : `${cutHead(line, length - 2)} …`
}
