import type { SummaryRequest } from '@tenfold/core/summarizer'

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
