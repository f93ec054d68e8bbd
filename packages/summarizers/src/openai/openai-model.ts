import { type Model, ModelError, type ModelRequest } from '../provider/model.ts'
import { outOfTime } from '../provider/out-of-time.ts'
import { type StructuredMode, structuredAfter } from '../provider/structured.ts'
import { defaultCallMs, defaultLocalCallMs, waitingTime } from '../provider/waiting-time.ts'
import { watchCall } from '../provider/watch-call.ts'
import type { Answer } from './answer.ts'
import { type ChatParamsOptions, chatParams } from './chat-params.ts'
import { type MaxTokensField, maxTokensAfter } from './max-tokens-after.ts'
import { openaiError } from './openai-error.ts'
import { keyAdvice, openaiServer, type ServerOptions } from './openai-server.ts'
import type { ParamsOptions, SamplingOptions } from './params-options.ts'
import { type Reading, readAnswer } from './read-answer.ts'
import { chatAnswer } from './read-chat.ts'
import { responseAnswer } from './read-response.ts'
import { responseParams } from './response-params.ts'

export interface OpenAIOptions extends ServerOptions, ParamsOptions, SamplingOptions {
  /**
   * Chat only: how the server gets the schema. If a server rejects one way, the next is tried. @default 'json-schema'
   */
  readonly structured?: StructuredMode | undefined
  /** @default true */
  readonly stream?: boolean | undefined
  /**
   * Chat only: the name of the output limit. If a server rejects one, the other is tried. @default
   * 'max_completion_tokens' for OpenAI itself, otherwise 'max_tokens'
   */
  readonly maxTokensField?: MaxTokensField | undefined
  /**
   * Milliseconds without a byte after which a call is given up; without `stream`, the milliseconds for the whole
   * answer. Node gives up by itself after 300_000. @default 120_000 for OpenAI itself with `stream`; otherwise 300_000,
   * because a local server is silent while it loads a model and reads a prompt
   */
  readonly idleTimeoutMs?: number | undefined
  /**
   * Most milliseconds for a call in all, no matter how often the server sends something. @default 1_800_000 for OpenAI
   * itself, otherwise 3_600_000
   */
  readonly timeoutMs?: number | undefined
  /** Sent with each call. */
  readonly headers?: Readonly<Record<string, string>> | undefined
}

/**
 * A model of OpenAI or of any compatible server. Streams, accepts only a complete answer, and makes no retry. If the
 * server refuses one form of structured output, or the name of the output limit (400, not billed), the same call asks
 * in the next form, so that it costs none of the caller's retries; later calls begin with the form that went through.
 * Rejects with ModelError `auth`, and sends nothing, if OpenAI itself is asked without a
 * key.
 */
export function openaiModel(options: OpenAIOptions): Model {
  const { model, effort, stream = true, headers = {} } = options
  const { client, isOwn, api, keyMissing } = openaiServer(options)
  const idleMs = waitingTime('idleTimeoutMs', options.idleTimeoutMs ?? (isOwn && stream ? 120_000 : 300_000))
  const totalMs = waitingTime('timeoutMs', options.timeoutMs ?? (isOwn ? defaultCallMs : defaultLocalCallMs))
  // Only OpenAI knows it; others refuse it.
  const extra = isOwn ? { ...options.extra, store: false } : options.extra
  const shared = { model, effort, extra }
  const { temperature, seed } = options
  const sampling = { temperature, seed }
  let form: ChatForm = {
    structured: options.structured ?? 'json-schema',
    maxTokensField: options.maxTokensField ?? (isOwn ? 'max_completion_tokens' : 'max_tokens'),
  }

  async function sendChat(request: ModelRequest, reading: Reading): Promise<void> {
    const first = form
    let asked = first
    for (;;) {
      const params = chatParams(request, { ...shared, ...sampling, ...asked, stream })
      try {
        await readAnswer((call) => client.chat.completions.create(params, call), reading)
        // Kept only if it went through: a 400 may have had another reason after all.
        form = asked
        return
      } catch (error) {
        const next = formAfter(asked, first, error)
        if (next === undefined) throw error
        await reading.onRefused?.(openaiError(error))
        asked = next
      }
    }
  }

  async function sendResponse(request: ModelRequest, reading: Reading): Promise<void> {
    const params = { ...responseParams(request, shared), stream }
    return await readAnswer((call) => client.responses.create(params, call), reading)
  }

  return async (request, { signal, onBegin, onRefused }) => {
    signal.throwIfAborted()
    if (keyMissing) throw new ModelError(keyAdvice, { reason: 'auth' })
    const answer = api === 'chat' ? chatAnswer() : responseAnswer()
    const send = api === 'chat' ? sendChat : sendResponse
    const watch = watchCall(signal, { idleMs, totalMs })
    try {
      const reading = { answer, signal: watch.signal, headers, alive: watch.heard, onBegin, onRefused }
      await watch.race(() => send(request, reading))
    } catch (error) {
      if (signal.aborted) throw signal.reason
      // What follows the end of an answer does not matter.
      if (!answer.whole())
        throw timeout(watch.ended(), { idleMs, totalMs }, answer) ?? openaiError(error, answer.facts())
    } finally {
      watch.close()
    }
    return answer.reply()
  }
}

type ChatForm = Pick<ChatParamsOptions, 'structured' | 'maxTokensField'>

/** The form to ask in after an error; a call changes the name of the output limit once, or it would never end. */
function formAfter(asked: ChatForm, first: ChatForm, error: unknown): ChatForm | undefined {
  const maxTokensField =
    asked.maxTokensField === first.maxTokensField ? maxTokensAfter(asked.maxTokensField, error) : undefined
  if (maxTokensField !== undefined) return { ...asked, maxTokensField }
  const structured = structuredAfter(asked.structured, error)
  return structured === undefined ? undefined : { ...asked, structured }
}

function timeout(
  ended: 'idle' | 'total' | undefined,
  { idleMs, totalMs }: { readonly idleMs: number; readonly totalMs: number },
  answer: Answer,
): ModelError | undefined {
  if (ended === undefined) return undefined
  if (ended === 'idle')
    return new ModelError(
      `nothing came for ${Math.round(idleMs / 1000)} seconds; idleTimeoutMs sets the limit`,
      { reason: 'stalled', retryable: true, ...answer.facts() },
    )
  return outOfTime(totalMs, answer.facts())
}
