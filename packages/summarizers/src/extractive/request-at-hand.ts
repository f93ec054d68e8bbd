import {
  askingPart,
  isDecisive,
  isRemark,
  splitPasted,
  withoutMarkup,
} from '@tenfold/core/internal/summarizer'
import type { Facts, StateFact, TranscriptItem } from '@tenfold/core/summarizer'
import { repliesTo } from './replies.ts'
import { clip, opening, sentencesOf } from './sentences.ts'

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
  const words = ownWords(item.text)
  const asked = opening(withPlan(items, at, fromRequest(withoutMarkup(askingPart(words) || words))), length)
  // A command says itself what it is about.
  if (asked.length >= minRequest || commandName.test(asked)) return asked
  const answer = answers.find(({ event, kind }) => event === state?.request && kind === 'reply')
  const replied = repliesTo(items, at)
  const named =
    answer?.chosen.map(({ label }) => label).join('; ') ||
    answer?.question ||
    (replied.length >= minRequest ? replied : '')
  if (named) return `${asked}: ${clip(named, Math.max(100, length - asked.length))}`
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
function withPlan(items: readonly TranscriptItem[], at: number, words: string): string {
  const next = items[at + 1]
  if (next?.label !== 'plan') return words
  const title = /^#{1,3} +(?:plan: *)?(.{12,200})$/im.exec(next.text)?.[1]
  return title === undefined ? `${words}\n${next.text}` : `${words.replace(/[:\s]+$/, '')}: ${title}`
}

/** "ok", "fix", "continue": what it is about was said before. */
export const minRequest = 20
const commandName = /^\/[\w:-]+$/
