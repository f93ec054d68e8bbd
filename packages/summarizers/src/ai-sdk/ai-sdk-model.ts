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
  /** Passed on unchanged, by provider name: `{ anthropic: { thinking: { type: 'enabled', budgetTokens: 4000 } } }`. */
  readonly providerOptions?: Record<string, Record<string, AiSdkJson>> | undefined
  /** Sent with each call. */
  readonly headers?: Readonly<Record<string, string>> | undefined
}

/** Options for calling a model of the AI SDK. */
export interface AiSdkOptions extends CallParamsOptions {
  /** A model of any provider package: `anthropic('claude-opus-5-5')`, `google('gemini-3-pro')`, a wrapped one. */
  readonly model: AiSdkLanguageModel
  /**
   * How the provider gets the schema. A mode that it refuses or reports to ignore is not used again. @default
   * 'json-schema', or 'json-object' for a model that reports that it does not support schemas
   */
  readonly structured?: StructuredMode | undefined
  /** Abort a call after this many milliseconds without a part of the answer. @default 300_000 */
  readonly idleTimeoutMs?: number | undefined
  /** Maximum milliseconds for a whole call, even while the server keeps sending. @default 1_800_000 */
  readonly timeoutMs?: number | undefined
}

/**
 * A model of the Vercel AI SDK. Streams, accepts only a complete answer and does not retry, since it calls the model
 * directly and not the functions of `ai`. Throws TypeError if the model is not an SDK object, for example only a name.
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
      // A provider that ignores the schema may answer with any object, so later calls have it in the prompt.
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
