import type { Model } from '../provider/model.ts'
import { runCall } from '../provider/run-call.ts'
import { inSomeForm, type StructuredMode, structuredAfter } from '../provider/structured.ts'
import { defaultCallMs, waitingTime } from '../provider/waiting-time.ts'
import { type CallParamsOptions, callParams } from './call-params.ts'
import type { AiSdkLanguageModel } from './language-model.ts'
import { streamedParts } from './read-parts.ts'

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
  const idleMs = waitingTime('idleTimeoutMs', options.idleTimeoutMs ?? 300_000)
  const totalMs = waitingTime('timeoutMs', options.timeoutMs ?? defaultCallMs)
  const takesNoSchema = 'supportsStructuredOutputs' in model && model.supportsStructuredOutputs === false
  let structured = options.structured ?? (takesNoSchema ? 'json-object' : 'json-schema')

  return async (request, control) => {
    const answer = streamedParts()
    return await runCall(control, { idleMs, totalMs }, answer, async ({ signal, heard }) => {
      const asked = await inSomeForm(
        structured,
        (form, refusal) => (answer.facts().answering ? undefined : structuredAfter(form, refusal)),
        async (form) => {
          const call = { ...callParams(request, form, options), abortSignal: signal }
          const { stream, response } = await model.doStream(call)
          answer.begin(response?.headers?.['x-request-id'] ?? response?.headers?.['request-id'])
          heard()
          control.onBegin?.()
          for await (const part of stream) {
            heard()
            answer.add(part)
          }
        },
        control.onRefused,
      )
      // A provider that ignores the schema may answer with any object: from the next call on, words say it.
      structured = asked === 'json-schema' && answer.schemaIgnored() ? 'json-object' : asked
    })
  }
}
