import {
  askingPart,
  cleanLine,
  eventIndex,
  type Facts,
  type NextStep,
  type TranscriptItem,
} from '@tenfold/core/summarizer'
import { underNext } from './listed-next.ts'
import { clip, sentencesOf } from './sentences.ts'

/** More calls than these after a compaction have done most of what it names. */
const maxCalls = 10

const maxSteps = 6

/**
 * Steps that the summary of a compaction lists as next, if the work stopped soon after it, or if only small talk
 * followed.
 */
export function compactedNext(items: readonly TranscriptItem[], { state }: Facts): NextStep[] {
  if (state === undefined) return []
  const main = items.filter(({ agent }) => agent === 'main')
  const at = main.findLastIndex(({ type }) => type === 'compaction')
  const item = main[at]
  if (item === undefined) return []
  const since = main.slice(at + 1)
  if (!isSmallTalk(since)) {
    if (state.state === 'finished' || state.state === 'waiting') return []
    if (state.request !== undefined && eventIndex(state.request) > eventIndex(item.event)) return []
    if (since.filter(({ type }) => type === 'tool_call').length > maxCalls) return []
  }
  return stepsIn(item.text.replace(done, ''))
    .slice(0, maxSteps)
    .map((text) => ({ action: cleanLine(clip(text, 240)), evidence: [item.event] }))
}

function isSmallTalk(items: readonly TranscriptItem[]): boolean {
  const said = items.filter(({ label }) => label === 'user')
  return (
    said.length > 0 &&
    said.every(({ text }) => askingPart(text) === '') &&
    !items.some(({ type }) => type === 'tool_call')
  )
}

/** An item that is ticked. */
const done = /^[ \t]*[-*•] \[x\].*$/gim

const tagged = /<next_steps?>([\s\S]*?)(?:<\/next_steps?>|$)/i

function stepsIn(summary: string): string[] {
  const block = tagged.exec(summary)?.[1]
  const sentences =
    block === undefined ? underNext(sentencesOf(summary)) : sentencesOf(block).filter(({ listed }) => listed)
  return sentences.filter(({ question }) => !question).map(({ text }) => text)
}
