import type { ContextBundle } from '../bundle/schema.ts'
import { type NextStep, saysNothingOpen, withoutToolMark } from '../bundle/session-summary.ts'
import { isCode } from '../bundle/sorts.ts'
import { onlyGoesOn } from '../facts/answers/errands.ts'
import { classifySentence } from '../facts/constraints/binding/classify-sentence.ts'
import { constraintSteps } from '../facts/constraints/constraints.ts'
import { splitSentences } from '../facts/constraints/sentences.ts'
import type { Facts } from '../facts/facts.ts'
import { isDone, workOf } from '../facts/state/open-work.ts'
import { isPartOf, type Matter, matterOf } from '../facts/statements/same-matter.ts'
import { topicWords } from '../facts/statements/words.ts'
import type { SessionEvent, UserEvent } from '../session/event.ts'
import { known } from '../session/known.ts'
import type { Note } from '../session/note.ts'
import { atOnce } from '../session/pauses.ts'
import type { Session } from '../session/session.ts'
import type { ItemClaim } from '../summarize/shown-items.ts'
import { saysSame, shareOf } from '../text/overlap.ts'
import { claimFault, ignoredClaims } from './check-claim.ts'
import { givenBriefs } from './given-brief.ts'
import { type Held, revokedBy } from './revoked.ts'

export type CarriedItem = NonNullable<ContextBundle['carried']>[number]

/** The statements of a session's own bundle. Items that they repeat are not carried. */
export type OwnStatements = Pick<
  ContextBundle,
  'constraints' | 'projectRules' | 'decisions' | 'nextSteps' | 'workflow' | 'plan' | 'progress'
>

export interface CarriedOver {
  readonly items: readonly CarriedItem[]
  readonly settled: readonly CarriedItem[]
  /** Claims of a summarizer that the session does not confirm; their items stay. */
  readonly notes: readonly Note[]
}

const maxItems = 60
const maxSentences = 5000

interface Item extends Held {
  readonly item: CarriedItem
  readonly matter: Matter
}

/**
 * Returns what still holds of an earlier bundle after a session that was given its brief: constraints, decisions and
 * open steps, except those that the session did, revoked, changed or repeats. `claims` are items that a summarizer
 * calls settled; each is checked.
 */
export function carryOver(
  parent: ContextBundle,
  session: Session,
  facts: Facts,
  own: OwnStatements,
  claims: readonly ItemClaim[] = [],
): CarriedOver {
  const candidates = carriable(parent).map((item): Item => ({ ...item, ...ownText(item.text), item }))
  const revoked = new Set<Held>()
  for (const sentence of userSentences(session).slice(-maxSentences))
    for (const item of revokedBy(sentence, candidates)) revoked.add(item)
  const work = workOf(session.events, facts)
  const isTaken = takenUp(parent, session, facts)
  const checked = claims.map((claim) => {
    const held = candidates.find(({ as, text }) => as === claim.item?.as && text === claim.item.text)
    const fault =
      held === undefined
        ? 'no carried item with that id was shown'
        : claimFault(held, claim.event, { session, facts, parent })
    return { ...claim, held, fault }
  })
  const shown = new Set(checked.flatMap(({ held, fault }) => (fault === undefined ? (held ?? []) : [])))
  const isSettled = (held: Item): boolean => {
    if (revoked.has(held) || shown.has(held)) return true
    if (held.as === 'decision') return isChanged(held, own.decisions)
    if (held.as !== 'step') return false
    return isDone(held.item, work) || isTaken(held)
  }
  const said = ownTexts(own)
  const isSaid = ({ as, words, matter }: Item): boolean =>
    said[as].some((other) => saysSame(words, other.words) || (isFree(as) && isPartOf(matter, other.matter)))
  const settled = candidates.filter(isSettled)
  const gone = new Set(settled)
  const open = candidates.filter((item) => !gone.has(item) && !isSaid(item))
  const items = open.filter((item, index) => !open.some((other, at) => saysMore(other, item, at > index)))
  return {
    items: (['constraint', 'rule', 'step', 'decision'] as const).flatMap((as) =>
      items
        .filter((item) => item.as === as)
        .slice(-maxItems)
        .map(({ item }) => item),
    ),
    settled: settled.map(({ item }) => item),
    notes: ignoredClaims(
      checked.flatMap(({ held, fault, ...claim }) =>
        fault === undefined || (held !== undefined && gone.has(held)) ? [] : [{ ...claim, fault }],
      ),
    ),
  }
}

/**
 * Returns all items that a bundle hands on, each once. Items that it carried itself keep the id of their bundle. A wish
 * of finished work is carried once, and comments of the code never: they are in the code.
 */
export function carriable(parent: ContextBundle): CarriedItem[] {
  const { id: from, projectRules, decisions, state } = parent
  const steps = [...openSteps(parent), ...openTasks(parent).map((action) => ({ action, command: undefined }))]
  const item = (as: CarriedItem['as'], text: string, command?: string): CarriedItem => {
    return { as, text, ...known({ command }), from }
  }
  const all = [
    ...(parent.carried ?? []).filter(
      ({ as, text }) => as !== 'constraint' || state !== 'finished' || !isWish(text),
    ),
    ...rulesOf(parent).map((text) => item('constraint', text)),
    ...projectRules.flatMap(({ text, source }) =>
      isCode(source) ? [] : [item('rule', `${text} (from ${source})`)],
    ),
    ...decisions.map((decision) => item('decision', choiceOf(decision))),
    ...steps.map(({ action, command }) => item('step', action, command)),
  ]
  const once = new Map<string, CarriedItem>()
  for (const item of all) {
    const key = `${item.as}\n${item.text.toLowerCase().replace(/[.!;]+$/, '')}`
    if (!once.has(key)) once.set(key, item)
  }
  return [...once.values()]
}

/** "I'd like a list of the berths", "Can we use the new name here?" */
function isWish(text: string): boolean {
  return classifySentence(text).why === 'preference' || /^(?:can|could) (?:we|you)\b/i.test(text)
}

/** "Never add a dependency", "Always run the linter first" */
export function isStanding(text: string): boolean {
  return ['prohibition', 'standing'].includes(classifySentence(text).why)
}

function choiceOf({ topic, choice }: ContextBundle['decisions'][number]): string {
  return topic === undefined ? choice : `${topic}: ${choice}`
}

function openTasks({ workflow, plan, progress }: OwnStatements): string[] {
  return [workflow.tasksRemaining, plan?.steps, progress?.inProgress, progress?.remaining]
    .flatMap((list) => list ?? [])
    .map(({ text }) => text)
}

/** The constraints of a bundle, and those that only its trail contains. */
function rulesOf({ constraints, trail }: ContextBundle): string[] {
  const said = trail.flatMap(({ event, agent, label, text }, index): SessionEvent[] => {
    if (label !== 'user' || agent !== 'main') return []
    const source = { file: 0, line: index + 1 }
    return [{ type: 'user', origin: 'typed', id: event, agent, turn: index, source, text }]
  })
  const ofTrail = atOnce(constraintSteps(said)).constraints.map(({ text }) => text)
  return [...constraints.map(({ text }) => text), ...ofTrail.filter((text) => !text.includes('[…'))]
}

/** Returns the open work of a bundle: its open questions, and its next steps except "nothing open". */
function openSteps({ nextSteps, openQuestions }: ContextBundle): Pick<NextStep, 'action' | 'command'>[] {
  const steps = nextSteps.flatMap(({ action, ...step }) =>
    saysNothingOpen({ action }) ? [] : [{ ...step, action: openWork(action) }],
  )
  const questions = openQuestions.filter(({ text }) => !steps.some(({ action }) => action.includes(text)))
  return [...steps, ...questions.map(({ text }) => ({ action: `${openQuestion}${text}` }))]
}

const openQuestion = 'Open question: '
const asksUser = /^(?:Open question|Waits for (?:an answer|a word of the user|what the user finds)): /

/**
 * Returns whether a session settled a step without naming it: it answered the question, or was told to go on, changed
 * something and finished.
 */
function takenUp(
  parent: ContextBundle,
  { events }: Session,
  { answers, files, git, state }: Facts,
): (held: Item) => boolean {
  const said = events.filter(isSaid)
  const replies = [
    ...ownWords(events).flatMap(({ text }) =>
      splitSentences(text).flatMap((sentence) =>
        sentence.quoted || /[?？]["')\]]*$/.test(sentence.text) ? [] : [sentence.text],
      ),
    ),
    ...answers.map(({ question, answer }) => `${question} ${answer}`),
  ].map(topicWords)
  const changed = files.some(({ status }) => status !== 'read') || git.commits.length > 0
  const wentOn =
    changed &&
    state?.state === 'finished' &&
    said.length > 0 &&
    said.every(({ text }) => onlyGoesOn.test(text.trim()))
  const [first] = openSteps(parent)
  return ({ text, item }) => {
    if (wentOn && item.from === parent.id && text === first?.action && !/^Make it pass: /.test(text))
      return true
    if (!asksUser.test(text)) return false
    const question = topicWords(text.replace(asksUser, ''))
    return replies.some((reply) => shareOf(question, reply) > 0.5 || shareOf(reply, question) > 0.5)
  }
}

/** Returns only the open task or request of a resume point; the place where its session stopped no longer matters. */
function openWork(action: string): string {
  return (
    stoppedAt
      .exec(action)
      ?.slice(1)
      .find((work) => work !== undefined) ?? action
  )
}

const stoppedAt =
  /^(?:Continue: (.+?)\.?(?: (?:Asked for|Since then): .*)?(?: Last: .*)?$|(?:Check whether the last call took effect|Cut off|The user (?:refused|interrupted)|Refused: |The plan was not approved|Stopped at a limit|Ended by an error|The agent gave up: ).*? Asked for: (.+)$)/s

/** The messages of the user that reply to no question of this session: those answer no earlier one. */
function ownWords(events: readonly SessionEvent[]): UserEvent[] {
  let asks = false
  return events.filter((event): event is UserEvent => {
    const isOwn = isSaid(event) && !asks
    if (event.agent === 'main' && /^(?:user|assistant|tool_call)$/.test(event.type))
      asks = event.type === 'assistant' && /[?？]/.test(event.text.slice(-400))
    return isOwn
  })
}

function isSaid(event: SessionEvent): event is UserEvent {
  return event.type === 'user' && event.copied !== true && event.inContext !== false
}

function userSentences({ events }: Session): string[] {
  return events.flatMap((event) =>
    isSaid(event) && givenBriefs([event]).length === 0
      ? splitSentences(event.text).flatMap(({ text, quoted }) => (quoted ? [] : [text]))
      : [],
  )
}

/** Whether a later decision replaces an item: it has the same topic, lists the item as an alternative, or rephrases it. */
function isChanged({ text, words }: Item, decisions: ContextBundle['decisions']): boolean {
  const topic = /^([^:]{3,160}): /.exec(text)?.[1]
  return decisions.some((decision) => {
    if (topic !== undefined && decision.topic !== undefined)
      if (saysSame(topicWords(topic), topicWords(decision.topic))) return true
    return decision.alternatives.some((other) => {
      const turnedDown = topicWords(other)
      return turnedDown.size > 0 && shareOf(turnedDown, words) === 1 && shareOf(words, turnedDown) >= 0.5
    })
  })
}

/** Whether a summarizer wrote the words of an item; constraints and rules are verbatim. */
function isFree(as: CarriedItem['as']): boolean {
  return as === 'step' || as === 'decision'
}

/** Whether another carried item includes everything in this one; of two equal items, the later one stays. */
function saysMore(other: Item, item: Item, isLater: boolean): boolean {
  if (other === item || other.as !== item.as || !isFree(item.as)) return false
  return isPartOf(item.matter, other.matter) && (isLater || !isPartOf(other.matter, item.matter))
}

interface OwnText {
  readonly words: ReadonlySet<string>
  readonly matter: Matter
}

function ownTexts(own: OwnStatements): Record<CarriedItem['as'], OwnText[]> {
  const { constraints, projectRules, decisions, nextSteps, workflow } = own
  const textsOf = (list: readonly { readonly text: string }[]) => list.map(({ text }) => text)
  const steps = [
    ...nextSteps.map(({ action }) => action),
    ...openTasks(own),
    ...textsOf(workflow.tasksCompleted),
  ]
  return {
    constraint: textsOf(constraints).map(ownText),
    rule: textsOf([...constraints, ...projectRules]).map(ownText),
    decision: decisions.map(choiceOf).map(ownText),
    step: steps.map(ownText),
  }
}

function ownText(statement: string): OwnText {
  const text = withoutToolMark(statement)
  return { words: topicWords(text), matter: matterOf(text) }
}
