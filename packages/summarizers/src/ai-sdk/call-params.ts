import { known } from '../provider/fields.ts'
import type { ModelRequest } from '../provider/model.ts'
import { type StructuredMode, systemWithSchema } from '../provider/structured.ts'
import type { AiSdkCall, AiSdkJson } from './language-model.ts'

export interface CallParamsOptions {
  /** @default the provider's own */
  readonly temperature?: number | undefined
  /** @default none */
  readonly seed?: number | undefined
  /** Passed on by the name of the provider: `{ anthropic: { thinking: { type: 'enabled', budgetTokens: 4000 } } }`. */
  readonly providerOptions?: Record<string, Record<string, AiSdkJson>> | undefined
  /** Sent with each call. */
  readonly headers?: Readonly<Record<string, string>> | undefined
}

/** Converts a request to the arguments of `doStream`, without the signal. */
export function callParams(
  request: ModelRequest,
  structured: StructuredMode,
  { temperature, seed, providerOptions, headers }: CallParamsOptions,
): Omit<AiSdkCall, 'abortSignal'> {
  const { schema, schemaName: name, messages, maxOutputTokens } = request
  const system = structured === 'json-schema' ? request.system : systemWithSchema(request)
  return {
    prompt: [
      { role: 'system', content: system },
      ...messages.map(({ role, text }) => ({ role, content: [{ type: 'text' as const, text }] })),
    ],
    maxOutputTokens,
    ...(structured !== 'prompt' && {
      responseFormat: { type: 'json', ...(structured === 'json-schema' && { schema: { ...schema }, name }) },
    }),
    ...known({ temperature, seed, providerOptions, headers: headers && { ...headers } }),
  }
}
