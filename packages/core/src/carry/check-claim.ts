import type { ContextBundle } from '../bundle/schema.ts'
import { classifySentence } from '../facts/constraints/binding/classify-sentence.ts'
import { splitSentences } from '../facts/constraints/sentences.ts'
import type { Facts } from '../facts/facts.ts'
import { topicWords } from '../facts/statements/words.ts'
import { eventIndex } from '../session/event.ts'
import { isHarnessText } from '../session/harness-text.ts'
import type { Note } from '../session/note.ts'
import type { Session } from '../session/session.ts'
import { shortLine } from '../session/short-line.ts'
import type { ItemClaim } from '../summarize/shown-items.ts'
import { shareOf } from '../text/overlap.ts'
import { givenBriefs } from './given-brief.ts'
import { type Held, revocationIn } from './revoked.ts'

export interface ClaimSources {
  readonly session: Session
  readonly facts: Facts
  readonly parent: Pick<ContextBundle, 'decisions'>
}

/**
 * Checks a summarizer's claim that an event of the session settled a carried item. The agent's work can settle a step
 * or an agent's choice; only the user can end a rule or a choice of the user, by naming it or by taking something back.
 * Returns why the claim does not hold, or undefined if it does.
 */
export function claimFault(
  item: Held,
  event: string,
  { session, facts, parent }: ClaimSources,
): string | undefined {
  const found = session.events[eventIndex(event)]
  if (found === undefined) return 'the session has no such event'
  if (found.copied === true) return 'the event is copied history'
  if (found.inContext === false) return 'the event was taken back'
  const isBrief = isHarnessText(found) || givenBriefs([found]).length > 0
  if (isBrief) return 'the event is a brief or a text of the harness'
  const words =
    found.type === 'user'
      ? found.text
      : facts.answers
          .filter((answer) => answer.event === event || (answer.kind !== 'reply' && answer.asked === event))
          .map(({ question, answer }) => `${question.replaceAll('?', ':')} ${answer}`)
          .join('\n')
  if (words !== '' && splitSentences(words).some(({ text, quoted }) => !quoted && settles(text, item))) return
  const isWork = found.type === 'assistant' || found.type === 'tool_call' || found.type === 'tool_result'
  if (isWork && (item.as === 'step' || isAgentsChoice(item, parent))) return
  return words === '' && !isWork
    ? 'nobody said or did anything there'
    : 'the user takes back nothing like it there'
}

/** Only the last bundle records who made a decision: those of earlier bundles count as the user's. */
function isAgentsChoice({ as, text }: Held, { decisions }: ClaimSources['parent']): boolean {
  if (as !== 'decision') return false
  return decisions.some(
    ({ by, topic, choice }) =>
      by === 'agent' && (topic === undefined ? choice : `${topic}: ${choice}`) === text,
  )
}

/** Maximum number of other words in a revocation that names no item, such as "forget that". */
const fewWords = 2

/** Minimum share of an item's words in a sentence about it. */
const minShare = 0.5

/** Whether a sentence of the user changes an item, or takes something back without naming it. */
function settles(sentence: string, item: Held): boolean {
  if (/[?？]\s*$/.test(sentence) || repeats(sentence, item)) return false
  const { words } = item
  const said = topicWords(sentence)
  if (words.size > 0 && shareOf(words, said) >= minShare) return true
  const cue = revocationIn(sentence)
  if (cue === undefined) return false
  const others = topicWords(sentence.replace(cue, ' '))
  return others.size <= fewWords || [...words].some((word) => others.has(word))
}

/** Minimum share of a sentence's words that an item has if the sentence only repeats the item. */
const minRepeated = 0.6

/** Whether a sentence only repeats an item: it adds no number, and forbids or demands the same. */
function repeats(sentence: string, { as, text, words }: Held): boolean {
  if (as === 'step' || revocationIn(sentence) !== undefined) return false
  const said = topicWords(sentence)
  if (said.size === 0 || shareOf(said, words) < minRepeated) return false
  if ([...said].some((word) => /\d/.test(word) && !words.has(word))) return false
  const { why } = classifySentence(sentence)
  // A decision is a report, so any sentence that does not forbid it repeats it.
  return as === 'decision' ? why !== 'prohibition' : why === classifySentence(text).why
}

const maxNamed = 3
const shortLength = 80

export function ignoredClaims(claims: readonly (ItemClaim & { readonly fault: string })[]): Note[] {
  if (claims.length === 0) return []
  const named = claims.slice(0, maxNamed).map(({ id, event, item, fault }) => {
    const what = item === undefined ? id : `"${shortLine(item.text, shortLength)}"`
    return `${what} (${event === '' ? '' : `${event}: `}${fault})`
  })
  const more = claims.length > maxNamed ? ` and ${claims.length - maxNamed} more` : ''
  return [
    {
      code: 'carried-claim-ignored',
      message: `the summarizer called carried items settled, but the session does not show it: ${named.join('; ')}${more}`,
      ...(claims.length > 1 && { count: claims.length }),
    },
  ]
}
