import type OpenAI from 'openai'
import { fieldsOf } from '../provider/fields.ts'
import type { ModelRequest } from '../provider/model.ts'
import type { ParamsOptions } from './params-options.ts'

/**
 * Body of a call of the Responses API, alone or as a row of a batch.
 * https://platform.openai.com/docs/api-reference/responses/create
 */
export function responseParams(
  request: ModelRequest,
  options: ParamsOptions,
): OpenAI.Responses.ResponseCreateParamsNonStreaming {
  const { model, effort, extra } = options
  return {
    model,
    instructions: request.system,
    input: request.messages.map(({ role, text }) => ({ role, content: text })),
    max_output_tokens: request.maxOutputTokens,
    ...extra,
    ...(effort === undefined
      ? {}
      : { reasoning: { ...fieldsOf(extra?.reasoning), effort: effort as OpenAI.ReasoningEffort } }),
    text: {
      ...fieldsOf(extra?.text),
      format: { type: 'json_schema', name: request.schemaName, strict: true, schema: request.schema },
    },
    // The provider stores its answers by default, and a session is not ours to leave there.
    store: false,
  }
}
