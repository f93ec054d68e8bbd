import {
  askingPart,
  isDecisive,
  isRemark,
  planTitle,
  splitPasted,
  withListInline,
  withoutMarkup,
} from '@tenfold/core/internal/summarizer'
import type { Facts, StateFact, TranscriptItem } from '@tenfold/core/summarizer'
import { repliesTo } from './replies.ts'
import { answerOpening, clip, opening, sentencesOf } from './sentences.ts'

/**
 * The words of the current request, without greetings and thanks; with what it answers, or the request before, if they
 * say little.
 */
export function requestAtHand(
  items: readonly TranscriptItem[],
  state: StateFact | undefined,
  length: number,
  answers: Facts['answers'] = [],
): string {
  const at = items.findIndex(({ event }) => event === state?.request)
  const item = items[at]
  if (item === undefined) return ''
  const words = ownWords(withListInline(item.text))
  const asked = opening(withPlan(items, at, fromRequest(withoutMarkup(askingPart(words) || words))), length)
  const replied = repliesTo(items, at)
  // A command says itself what it is about.
  if ((asked.length >= minRequest && !(agrees.test(asked) && replied !== '')) || commandName.test(asked))
    return asked
  const answer = answers.find(({ event, kind }) => event === state?.request && kind === 'reply')
  const room = Math.max(100, length - asked.length)
  const chosen = answer?.chosen.map(({ label }) => label).join('; ')
  if (chosen) return `${asked} (the agent offered: ${clip(chosen, room)})`
  const question = answer?.question || (replied.length >= minRequest ? replied : '')
  if (question) return `${asked} (the agent asked: ${clip(question, room)})`
  const last = items
    .slice(0, at)
    .findLast(({ agent, label }) => agent === 'main' && /^(?:user|assistant)$/.test(label))
  if (last?.label === 'assistant' && /[?？]$/.test(asked))
    return `${asked} (the agent had said: ${answerOpening(last.text, room)})`
  const before = items
    .slice(0, at)
    .findLast(
      ({ event: id, label, text }) =>
        label === 'user' &&
        (askingPart(text).length >= minRequest || answers.some(({ event }) => event === id)),
    )
  if (state === undefined || before === undefined) return asked
  const about = requestAtHand(items, { ...state, request: before.event }, Math.min(100, length), answers)
  return `${asked} (about: ${about})`
}

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
export const minRequest = 20
/** Begins with a yes. */
const agrees =
  /^(?:yes|yep|yeah|yup|sure|ok(?:ay)?|do (?:it|that)|go ahead|ja|oui|sí|sim|да|はい|네|是的?|好的?)(?![\p{L}\p{N}])/iu
const commandName = /^\/[\w:-]+$/
