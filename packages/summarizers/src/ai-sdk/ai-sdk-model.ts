import { type Model, ModelError } from '../provider/model.ts'
import { outOfTime } from '../provider/out-of-time.ts'
import { type StructuredMode, structuredAfter } from '../provider/structured.ts'
import { defaultCallMs, waitingTime } from '../provider/waiting-time.ts'
import { type CallWatch, watchCall } from '../provider/watch-call.ts'
import { aiSdkError, refusalOf } from './ai-sdk-error.ts'
import { type CallParamsOptions, callParams } from './call-params.ts'
import type { AiSdkLanguageModel, AiSdkStream } from './language-model.ts'
import { knownOf, nothingReceived, type Received, replyOf, takePart } from './read-parts.ts'

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

  return async (request, { signal, onBegin, onRefused }) => {
    signal.throwIfAborted()
    const watch = watchCall(signal, { idleMs, totalMs })
    let asked = structured
    let received = nothingReceived()
    try {
      for (;;) {
        received = nothingReceived()
        const call = { ...callParams(request, asked, options), abortSignal: watch.signal }
        try {
          await watch.race(() => receive(received, model.doStream(call), watch, onBegin))
          break
        } catch (error) {
          if (received.begun || !(error instanceof Error)) throw error
          const next = structuredAfter(asked, refusalOf(error))
          if (next === undefined) throw error
          await onRefused?.(aiSdkError(error, knownOf(received), false))
          asked = next
        }
      }
    } catch (error) {
      if (signal.aborted) throw signal.reason
      // What follows the end of an answer does not matter.
      if (received.finish === undefined)
        throw timeout(watch, received, totalMs) ?? aiSdkError(error, knownOf(received), received.begun)
    } finally {
      watch.close()
    }
    // A provider that ignores the schema may answer with any object: from the next call on, words say it.
    structured = asked === 'json-schema' && received.schemaIgnored ? 'json-object' : asked
    return replyOf(received)
  }
}

async function receive(
  received: Received,
  pending: PromiseLike<AiSdkStream>,
  watch: CallWatch,
  onBegin: (() => void) | undefined,
): Promise<void> {
  const { stream, response } = await pending
  received.begun = true
  received.requestId = response?.headers?.['x-request-id'] ?? response?.headers?.['request-id']
  watch.heard()
  onBegin?.()
  for await (const part of stream) {
    watch.heard()
    takePart(received, part)
  }
}

function timeout(watch: CallWatch, received: Received, totalMs: number): ModelError | undefined {
  const ended = watch.ended()
  if (ended === undefined) return undefined
  return ended === 'idle'
    ? new ModelError('nothing came for a while; idleTimeoutMs sets the limit', {
        reason: 'stalled',
        retryable: true,
        ...knownOf(received),
      })
    : outOfTime(totalMs, knownOf(received))
}
