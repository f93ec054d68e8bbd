import type { TokenUsage } from '@tenfold/core'
import type { BilledUsage } from '../../../../test/stand-in/index.ts'
import { type OpenAIOptions, openaiModel } from '../../src/openai/openai-model.ts'
import { ModelError, type ModelReply, type ModelRequest, modelMessage } from '../../src/provider/model.ts'

export const schema = {
  type: 'object',
  properties: { goal: { type: 'string' }, open: { type: ['string', 'null'] } },
  required: ['goal', 'open'],
  additionalProperties: false,
}

export const request: ModelRequest = {
  system: 'You summarize a session.',
  messages: [modelMessage('user', 'What was done? marmalade')],
  schema,
  schemaName: 'summary',
  maxOutputTokens: 4000,
  inputTokens: 100,
}

/** One call; `signal` never aborts unless given. */
export async function ask(
  options: OpenAIOptions,
  signal = new AbortController().signal,
): Promise<ModelReply> {
  return await openaiModel(options)(request, { signal })
}

/** The ModelError of a call that must fail. */
export async function failureOf(pending: Promise<ModelReply>): Promise<ModelError> {
  const outcome = await pending.then(
    (reply) => reply,
    (error: unknown) => error,
  )
  if (outcome instanceof ModelError) return outcome
  throw new Error(
    `expected a ModelError, got ${outcome instanceof Error ? outcome.stack : JSON.stringify(outcome)}`,
  )
}

/** The bill of the stand-in, in the words of the project. */
export function billed(usage: BilledUsage | undefined): TokenUsage {
  if (usage === undefined) throw new Error('nothing was billed')
  return {
    inputTokens: usage.input,
    outputTokens: usage.output,
    cacheReadTokens: usage.cacheRead,
    cacheWriteTokens: usage.cacheWrite,
    reasoningTokens: usage.reasoning,
  }
}
