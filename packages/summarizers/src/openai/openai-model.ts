import type OpenAI from 'openai'
import { noRedirect, type Refusal } from '../provider/call-error.ts'
import { type Model, ModelError, type ModelRequest } from '../provider/model.ts'
import { callLimits, type RunningCall, runCall } from '../provider/run-call.ts'
import { inSomeForm, type StructuredMode, structuredAfter } from '../provider/structured.ts'
import { defaultCallMs, defaultLocalCallMs } from '../provider/watch-call.ts'
import {
  chatParams,
  type MaxTokensField,
  maxTokensAfter,
  type ParamsOptions,
  responseParams,
  type SamplingOptions,
} from './call-params.ts'
import { keyAdvice, openaiServer, type ServerOptions } from './openai-server.ts'
import { chatAnswer } from './read-chat.ts'
import { eventsOfCall, type ServerEvent } from './read-events.ts'
import { responseAnswer } from './read-response.ts'

/** Key, address and limits of the calls. */
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

interface ChatForm {
  readonly structured: StructuredMode
  readonly maxTokensField: MaxTokensField
}

/**
 * A model of OpenAI or of any compatible server. Streams, accepts only a complete answer, and makes no retry. If the
 * server refuses one form of structured output, or the name of the output limit (400, not billed), the same call asks
 * in the next form, so that it costs none of the caller's retries; later calls begin with the form that went through.
 * Rejects with ModelError `auth`, and sends nothing, if OpenAI itself is asked without a
 * key, and with TenfoldError `missing-package` if the package `openai` is not installed.
 */
export function openaiModel(options: OpenAIOptions): Model {
  const { stream = true, headers = {} } = options
  const { isOwn, api, keyMissing, ...server } = openaiServer(options)
  const idleMs = isOwn && stream ? 120_000 : 300_000
  const limits = callLimits(options, idleMs, isOwn ? defaultCallMs : defaultLocalCallMs)
  // Only OpenAI knows it; others refuse it.
  const params = isOwn ? { ...options, extra: { ...options.extra, store: false } } : options
  let form: ChatForm = {
    structured: options.structured ?? 'json-schema',
    maxTokensField: options.maxTokensField ?? (isOwn ? 'max_completion_tokens' : 'max_tokens'),
  }

  return async (request, control) => {
    control.signal.throwIfAborted()
    if (keyMissing) throw new ModelError(keyAdvice, { reason: 'auth' })
    const client = await server.client()
    const answer = api === 'chat' ? chatAnswer() : responseAnswer()
    return await runCall(control, limits, answer, async (call) => {
      if (api === 'responses') return await receive(call, responseBody(client, request))
      const first = form
      // Kept only if it went through: a 400 may have had another reason after all.
      form = await inSomeForm(
        first,
        (asked, refusal) => formAfter(asked, first, refusal),
        async (asked) => await receive(call, chatBody(client, request, asked)),
        control.onRefused,
      )
    })
  }

  async function receive(call: RunningCall<ServerEvent>, send: Send): Promise<void> {
    const { signal, heard, begin } = call
    const pending = send({ signal, maxRetries: 0, headers: { ...headers }, ...noRedirect })
    await call.receive(eventsOfCall(pending, begin, heard))
  }

  function responseBody(client: OpenAI, request: ModelRequest): Send {
    return (call) => client.responses.create({ ...responseParams(request, params), stream }, call)
  }

  function chatBody(client: OpenAI, request: ModelRequest, asked: ChatForm): Send {
    return (call) =>
      client.chat.completions.create(chatParams(request, { ...params, ...asked, stream }), call)
  }
}

type Send = (options: {
  readonly signal: AbortSignal
  readonly maxRetries: 0
  readonly headers: Record<string, string>
  readonly fetchOptions: { redirect: 'manual' }
}) => PromiseLike<unknown>

/** The form to ask in after a refusal; a call changes the name of the output limit once, or it would never end. */
function formAfter(asked: ChatForm, first: ChatForm, refusal: Refusal): ChatForm | undefined {
  const maxTokensField =
    asked.maxTokensField === first.maxTokensField ? maxTokensAfter(asked.maxTokensField, refusal) : undefined
  if (maxTokensField !== undefined) return { ...asked, maxTokensField }
  const structured = structuredAfter(asked.structured, refusal)
  return structured === undefined ? undefined : { ...asked, structured }
}
