import type { SummaryRequest } from '@tenfold/core/summarizer'

/** Statements full of paths and identifiers, with the ids that they cite, take two tokens a word. */
const wordsPerToken = 0.5

/** Share of the words that each group of fields may take. */
const shares = {
  summary: 0.18,
  findings: 0.3,
  decisions: 0.18,
  'nextSteps and resumeInstructions': 0.14,
  'everything else': 0.2,
}

/** Share of a whole summary that the texts take that an update writes again. */
const rewritten = 0.4

/** Characters of a transcript for a word of what is new in its summary. */
const charactersPerWord = 40
const leastNew = 60

/** How long the answer to a request may be, in one unit that a model can keep to. */
export function lengthText({ items, maxTokens, earlier }: SummaryRequest): string {
  const words = round(Math.max(60, maxTokens * wordsPerToken))
  if (earlier === undefined) {
    const parts = Object.entries(shares).map(([name, share]) => `${name} ${round(words * share)}`)
    return `${counted} about ${words} words in all: ${parts.join(', ')}. ${first}`
  }
  const again = round(words * rewritten)
  const characters = items.reduce((sum, { text }) => sum + text.length, 0)
  const fresh = round(Math.min(words - again, Math.max(leastNew, characters / charactersPerWord)))
  return `${counted} what is written again about ${again} words in all, the lists about ${fresh}. ${first}`
}

const counted =
  'Length, in words of your texts without keys, ids, evidence and what is copied letter by letter:'
const first = 'Exact names, failed approaches and open work matter more than prose.'

function round(words: number): number {
  return Math.max(10, Math.round(words / 10) * 10)
}

/** An answer is JSON, and models write more than they are asked for. */
const answerFactor = 2
const minAnswer = 500

/** Providers count a model's thinking as output. */
const thinkingTokens = 6000

/**
 * Output tokens that a request asks for: enough for its summary by the budget of the bundle, plus room to think. Far
 * below what a model can write, so that a cost limit can be checked against it before the call.
 */
export function answerSize({ maxTokens }: SummaryRequest, tokenFactor: number): number {
  return Math.ceil((maxTokens * answerFactor + minAnswer) * tokenFactor) + thinkingTokens
}

/** Most tokens of a summary whose answer fits `maxOutputTokens`: a model that is asked for more is cut. */
export function summaryThatFits(maxOutputTokens: number, tokenFactor: number): number {
  return Math.max(minAnswer, Math.floor((maxOutputTokens / tokenFactor - minAnswer) / answerFactor))
}
