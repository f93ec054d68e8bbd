import { type OpenAIOptions, openaiModel } from '../../src/openai/openai-model.ts'
import { type ModelReply, type ModelRequest, modelMessage } from '../../src/provider/model.ts'

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
