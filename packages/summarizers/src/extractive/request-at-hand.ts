import {
  askingPart,
  asksNothing,
  isDecisive,
  isRemark,
  onlyGoesOn,
  planTitle,
  splitPasted,
  withListInline,
  withoutMarkup,
} from '@tenfold/core/internal/summarizer'
import type { Facts, StateFact, TranscriptItem } from '@tenfold/core/summarizer'
import { answerOpening, clip, opening, type ReadSentences, sentencesOf } from './sentences.ts'

/**
 * The words of the current request, without greetings and thanks; with what it answers or adds to, or the request
 * before, if they say little. A call that the user refused with them is done once it was made. `isAbout`: the words
 * stand behind those of a later request, and none behind them.
 */
export function requestAtHand(
  items: readonly TranscriptItem[],
  state: StateFact | undefined,
  length: number,
  answers: Facts['answers'] = [],
  isAbout = false,
): string {
  const replies = new Set(answers.map(({ event }) => event))
  const isTold = (each: TranscriptItem) => tells(each) || replies.has(each.event)
  let at = items.findIndex(({ event }) => event === state?.request)
  let made = items.length
  let told = lastBefore(items, at, isTold)
  while (told >= 0 && wasMade(items.slice(at, made), refusedBefore(items, at))) {
    // What came of the earlier one says nothing of its words; a plan may follow it.
    ;[at, made] = [told, told + 2]
    told = lastBefore(items, at, isTold)
  }
  const item = items[at]
  if (item === undefined || state === undefined) return ''
  const before = items.slice(0, at)
  const last = items[lastBefore(items, at, isOfTurn)]
  const refused = refusedBefore(items, at)
  const earlier = (room: number) =>
    requestAtHand(
      items.slice(0, told + 2),
      { ...state, request: items[told]?.event ?? item.event },
      room,
      answers,
      true,
    )
  const words = ownWords(withListInline(item.text))
  const whole = withPlan(items, at, fromRequest(withoutMarkup(askingPart(words) || words)))
  const asked = cutAtEnd(opening(whole, length), whole)
  if (addsOn.test(asked) && last?.type === 'tool_call' && told >= 0 && length > 80)
    return `${earlier(length / 2)} Then: ${clip(asked, length / 2)}`
  const replied = repliesTo(items, at)
  // A command says itself what it is about.
  if ((asked.length >= minRequest && !(agrees.test(asked) && replied !== '')) || commandName.test(asked))
    return asked
  const answer = answers.find(({ event, kind }) => event === state.request && kind === 'reply')
  const room = Math.max(100, length - asked.length)
  const chosen = answer?.chosen.map(({ label }) => label).join('; ')
  if (chosen) return `${asked} (the agent offered: ${clip(chosen, room)})`
  const question = answer?.question || (replied.length >= minRequest ? replied : '')
  if (question) return `${asked} (the agent asked: ${clip(question, room)})`
  if (refused) return `${asked} (about: ${refused}, refused)`
  const asking = before.findLastIndex(({ label, text }) => label === 'user' && askingPart(text) !== '')
  if (last?.label === 'assistant' && (/[?？]$/.test(asked) || (last.final && asking !== told)))
    return `${asked} (the agent had said: ${answerOpening(last.text, room)})`
  return told < 0 || isAbout ? asked : `${asked} (about: ${earlier(Math.min(100, length))})`
}

const isOfTurn = ({ agent, type }: TranscriptItem) =>
  agent === 'main' && /^(?:user|assistant|tool_call)$/.test(type)

function lastBefore(
  items: readonly TranscriptItem[],
  at: number,
  fits: (item: TranscriptItem) => boolean,
): number {
  let found = at - 1
  while (found >= 0 && !fits(items[found] as TranscriptItem)) found--
  return found
}

/** The call that the user refused with the words at a place. */
function refusedBefore(items: readonly TranscriptItem[], at: number): string | undefined {
  const last = items[lastBefore(items, at, isOfTurn)]
  return last?.status === 'denied' ? startOf(last) : undefined
}

function wasMade(items: readonly TranscriptItem[], call: string | undefined): boolean {
  return call !== undefined && items.some((each) => each.status === 'ok' && startOf(each) === call)
}

/** Whether words of the user, or of who gave the task, say themselves what they ask for. */
export function tells({ agent, label, text }: TranscriptItem): boolean {
  if (agent !== 'main' || !/^(?:user|task)$/.test(label) || asksNothing(text)) return false
  const asked = askingPart(text)
  return (asked.length >= minRequest && !onlyGoesOn.test(asked)) || commandName.test(asked)
}

/** A call by its tool and its program or file. */
function startOf({ label, text }: TranscriptItem): string {
  return `${label} ${text.split(/\s/, 2).join(' ')}`
}

/** With a mark of what a text has after its opening. */
function cutAtEnd(start: string, text: string): string {
  const end = sentencesOf(text).at(-1)?.text ?? ''
  return start.endsWith('…') || start.includes(end) ? start : `${start} …`
}

/** Adds to what was asked before. */
const addsOn =
  /^(?:and|also|plus|then|next|additionally|und|auch|et|aussi|y|también|e|também|anche|и|также)(?!\p{L})|^(?:还有|另外|また|그리고)/iu

/** The question at the end of the message that a short one replies to: "na, let's give it a try" says little alone. */
export function repliesTo(
  items: readonly TranscriptItem[],
  at: number,
  read: ReadSentences = sentencesOf,
): string {
  if ((items[at]?.text.length ?? 0) > maxReply) return ''
  let before = at - 1
  while (before >= 0 && items[before]?.type !== 'assistant' && items[before]?.type !== 'user') before--
  const said = items[before]
  const last = said?.type === 'assistant' ? read(said.text).at(-1) : undefined
  return last?.question === true ? last.text : ''
}

const maxReply = 60

/** What the user wrote around pasted output; if nothing, the line of the output that says what failed. */
function ownWords(text: string): string {
  const words = splitPasted(text).flatMap((piece) => (piece.pasted ? [] : [piece.text]))
  const own = words.join('\n').trim()
  if (own !== '') return own
  return text.split('\n').find(isDecisive)?.trim() ?? text
}

/** A text from its first sentence that is no remark; one that only remarks stays whole. */
function fromRequest(text: string): string {
  const sentences = sentencesOf(text)
  const at = sentences.slice(0, maxRemarks + 1).findIndex(({ text: words }) => !isRemark(words))
  const start = text.indexOf(sentences[Math.max(at, 0)]?.text.slice(0, 20) ?? '')
  return at <= 0 || start < 0 ? text : text.slice(start)
}

const maxRemarks = 4

/** Words of the user with the title of the plan that was handed over with them, or with a plan that has none. */
export function withPlan(items: readonly TranscriptItem[], at: number, words: string): string {
  const next = items[at + 1]
  if (next?.label !== 'plan') return withListInline(words)
  const title = planTitle(next.text)
  return title === undefined ? `${words}\n${next.text}` : `${words.replace(/[:\s]+$/, '')}: ${title}`
}

/** "ok", "fix", "continue": what it is about was said before. */
const minRequest = 20
/** Begins with a yes. */
export const agrees =
  /^(?:yes|yep|yeah|yup|sure|ok(?:ay)?|(?:let['’]s )?do (?:it|that|both|all)|go ahead|ja|oui|sí|sim|да|はい|네|是的?|好的?)(?![\p{L}\p{N}])/iu
const commandName = /^\/[\w:-]+(?!\S)/
