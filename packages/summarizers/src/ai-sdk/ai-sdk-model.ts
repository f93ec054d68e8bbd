import { known } from '@tenfold/core/internal/summarizer'
import type { Model, ModelRequest } from '../provider/model.ts'
import { callLimits, runCall } from '../provider/run-call.ts'
import { inSomeForm, type StructuredMode, structuredAfter, systemWithSchema } from '../provider/structured.ts'
import { defaultCallMs } from '../provider/watch-call.ts'
import type { AiSdkCall, AiSdkJson, AiSdkLanguageModel } from './language-model.ts'
import { streamedParts } from './read-parts.ts'

interface CallParamsOptions {
  /** @default the provider's own */
  readonly temperature?: number | undefined
  /** @default none */
  readonly seed?: number | undefined
  /** Passed on by the name of the provider: `{ anthropic: { thinking: { type: 'enabled', budgetTokens: 4000 } } }`. */
  readonly providerOptions?: Record<string, Record<string, AiSdkJson>> | undefined
  /** Sent with each call. */
  readonly headers?: Readonly<Record<string, string>> | undefined
}

/** How a model of the AI SDK is asked. */
export interface AiSdkOptions extends CallParamsOptions {
  /** A model of any provider package: `anthropic('claude-opus-5-5')`, `google('gemini-3-pro')`, a wrapped one. */
  readonly model: AiSdkLanguageModel
  /**
   * How the provider gets the schema. What it refuses, or says that it ignores, is not used again. @default
   * 'json-schema', or 'json-object' for a model that reports that it takes no schema
   */
  readonly structured?: StructuredMode | undefined
  /** Milliseconds without a part of the answer after which a call is given up. @default 300_000 */
  readonly idleTimeoutMs?: number | undefined
  /** Most milliseconds for a call in all, no matter how often the server sends something. @default 1_800_000 */
  readonly timeoutMs?: number | undefined
}

/**
 * A model of the Vercel AI SDK. Streams, accepts only a complete answer, and makes no retry: it calls the model itself,
 * not the functions of `ai`. Throws TypeError for a model that is not an object of the SDK, such as a model's name.
 */
export function aiSdkModel(options: AiSdkOptions): Model {
  const { model } = options
  if (typeof model?.doStream !== 'function')
    throw new TypeError(
      "model: expected a language model of the AI SDK, such as anthropic('claude-opus-5-5'), not its name",
    )
  const limits = callLimits(options, 300_000, defaultCallMs)
  const takesNoSchema = 'supportsStructuredOutputs' in model && model.supportsStructuredOutputs === false
  let structured = options.structured ?? (takesNoSchema ? 'json-object' : 'json-schema')

  return async (request, control) => {
    const answer = streamedParts()
    return await runCall(control, limits, answer, async ({ signal, begin, receive }) => {
      const asked = await inSomeForm(
        structured,
        (form, refusal) => (answer.facts().answering ? undefined : structuredAfter(form, refusal)),
        async (form) => {
          const call = { ...callParams(request, form, options), abortSignal: signal }
          const { stream, response } = await model.doStream(call)
          begin(response?.headers?.['x-request-id'] ?? response?.headers?.['request-id'])
          await receive(stream)
        },
        control.onRefused,
      )
      // A provider that ignores the schema may answer with any object: from the next call on, words say it.
      structured = asked === 'json-schema' && answer.schemaIgnored() ? 'json-object' : asked
    })
  }
}

/** Converts a request to the arguments of `doStream`, without the signal. */
function callParams(
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
