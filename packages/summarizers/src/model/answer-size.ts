import type { SummaryRequest } from '@tenfold/core'

/** An answer is JSON, and models write more than they are asked for. */
const answerFactor = 2
const minAnswer = 500

/** Providers count what a model thinks as output. */
const thinkingTokens = 6000

/**
 * Output tokens that a request asks for: what its summary takes by the budget of the bundle, with room to think. Far
 * below what a model can write, so that a limit of cost can be held against it before the call.
 */
export function answerSize({ maxTokens }: SummaryRequest, tokenFactor: number): number {
  return Math.ceil((maxTokens * answerFactor + minAnswer) * tokenFactor) + thinkingTokens
}
