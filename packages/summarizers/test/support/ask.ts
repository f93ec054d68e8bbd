import type { SummaryRequest, TokenUsage } from '@tenfold/core'
import { emptyFacts } from '@tenfold/core/testing'
import type { BillEntry } from '../../../../test/stand-in/index.ts'
import {
  type Model,
  ModelError,
  type ModelReply,
  type ModelRequest,
  modelMessage,
} from '../../src/provider/model.ts'

export const prompt = 'The user asked to ship version 2 and the agent built it, all tests pass.'

/** A small request; its prompt holds a phrase that no error may repeat. */
export const request: ModelRequest = {
  system: 'You summarize sessions of agents.',
  messages: [modelMessage('user', prompt)],
  schema: {
    type: 'object',
    properties: { goal: { type: 'string' }, decisions: { type: 'array', items: { type: 'string' } } },
    required: ['goal', 'decisions'],
    additionalProperties: false,
  },
  schemaName: 'summary',
  maxOutputTokens: 30_000,
  inputTokens: 40,
}

export async function ask(model: Model, signal = new AbortController().signal): Promise<ModelReply> {
  return await model(request, { signal })
}

/** The ModelError that a call ends with. */
export async function failureOf(pending: Promise<unknown>): Promise<ModelError> {
  const thrown = await pending.then(
    (reply) => new Error(`a reply came: ${JSON.stringify(reply)}`),
    (error: unknown) => error,
  )
  if (thrown instanceof ModelError) return thrown
  throw new Error('expected a ModelError', { cause: thrown })
}

/** An entry of the bill in the words of the project. */
export function billed(entry: Pick<BillEntry, 'usage'> | undefined): TokenUsage {
  if (entry === undefined) throw new Error('nothing was billed')
  const { input, output, cacheRead, cacheWrite, reasoning } = entry.usage
  return {
    inputTokens: input,
    outputTokens: output,
    cacheReadTokens: cacheRead,
    cacheWriteTokens: cacheWrite,
    reasoningTokens: reasoning,
  }
}

/** Its known part before the answer has ended. */
export function billedInput(entry: BillEntry | undefined): TokenUsage {
  const { inputTokens, cacheReadTokens, cacheWriteTokens } = billed(entry) as Required<TokenUsage>
  return { inputTokens, cacheReadTokens, cacheWriteTokens }
}

/** A short session to summarize. */
export const summaryRequest: SummaryRequest = {
  kind: 'progress',
  items: [
    { event: 'e1', agent: 'main', turn: 1, type: 'user', label: 'user', text: 'Fix the parser of the log.' },
    {
      event: 'e2',
      agent: 'main',
      turn: 1,
      type: 'assistant',
      label: 'assistant',
      text: 'Fixed, all is flushed.',
    },
  ],
  facts: emptyFacts,
  maxTokens: 800,
}
