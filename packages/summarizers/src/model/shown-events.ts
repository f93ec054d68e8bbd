import type { EventId, TranscriptItem } from '@tenfold/core/summarizer'
import type { ShownEvents } from './facts-text.ts'
import { callsOf, isGivenTask, isUserItem } from './transcript.ts'

/** A longer message says itself what it is about. */
const longestAnswer = 160

/** Finds in the transcript of a request what facts cite: the block of an event, and what an answer answered. */
export function shownEvents(items: readonly TranscriptItem[]): ShownEvents {
  const tasks = new Set(items.filter(isGivenTask).map(({ event }) => event))
  const questions = new Map<EventId, string>()
  let last = ''
  for (const item of items) {
    if (item.agent !== 'main') continue
    if (item.type === 'assistant') last = item.text
    if (!isUserItem(item)) continue
    const question = item.queued === true || item.text.length > longestAnswer ? undefined : questionIn(last)
    if (question !== undefined) questions.set(item.event, question)
    last = ''
  }
  return {
    idOf: callsOf(items),
    isTask: (event) => tasks.has(event),
    questionOf: (event) => questions.get(event),
  }
}

/** The last question of a text, if the text ends with it or with its options. */
function questionIn(text: string): string | undefined {
  const end = text.trim().slice(-2000)
  const at = end.search(/[^.!?\n]{3,400}\?[^?]{0,600}$/)
  return at < 0 ? undefined : end.slice(at).split('?', 1)[0]?.trim().concat('?')
}
