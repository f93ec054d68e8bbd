import type { TranscriptItem } from '@tenfold/core/summarizer'
import { type ReadSentences, sentencesOf } from './sentences.ts'

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
