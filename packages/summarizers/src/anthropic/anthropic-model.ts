import type Anthropic from '@anthropic-ai/sdk'
import { TenfoldError } from '@tenfold/core/summarizer'
import { listenTo } from '../provider/listen-to.ts'
import { type Model, ModelError } from '../provider/model.ts'
import { noRedirect } from '../provider/no-redirect.ts'
import { vendorTimeout } from '../provider/out-of-time.ts'
import { defaultCallMs, waitingTime } from '../provider/waiting-time.ts'
import { type CallWatch, watchCall } from '../provider/watch-call.ts'
import { anthropicClient } from './anthropic-client.ts'
import { anthropicError, cutOff } from './anthropic-error.ts'
import { type MessageParamsOptions, messageParams } from './message-params.ts'
import { replyOf, usageOf } from './read-message.ts'
import { newStreamedMessage, type StreamedMessage, takeEvent } from './read-stream.ts'

/** The part of a client of the SDK that is used; clients for Bedrock, Vertex and Foundry have it too. */
export interface AnthropicClient {
  readonly messages: Pick<Anthropic.Messages, 'create'>
}

export interface AnthropicOptions extends MessageParamsOptions {
  /** @default ANTHROPIC_API_KEY, otherwise ANTHROPIC_AUTH_TOKEN, otherwise a profile of the SDK */
  readonly apiKey?: string | undefined
  /** @default ANTHROPIC_BASE_URL, otherwise https://api.anthropic.com */
  readonly baseURL?: string | undefined
  /** Sent with every request. */
  readonly headers?: Readonly<Record<string, string>> | undefined
  /** Your own client instead of the three above. Its retries are switched off for these calls. */
  readonly client?: AnthropicClient | undefined
  /** Longest time without a byte from the API; pings of a thinking model are bytes. @default 120_000 */
  readonly idleTimeoutMs?: number | undefined
  /** Most milliseconds for a call in all; pings do not extend it. @default 1_800_000 */
  readonly timeoutMs?: number | undefined
}

/**
 * Claude behind the Messages API, with one streamed request per call. Throws TypeError for options that contradict each
 * other. Always streams, since `fetch` of Node ends a request that is silent for five minutes.
 */
export function anthropicModel(options: AnthropicOptions): Model {
  if (typeof options.model !== 'string' || options.model === '')
    throw new TypeError('model: expected the name of a Claude model')
  const idleMs = waitingTime('idleTimeoutMs', options.idleTimeoutMs ?? 120_000)
  const totalMs = waitingTime('timeoutMs', options.timeoutMs ?? defaultCallMs)
  const { client, secrets } = clientOf(options)

  return async (request, { signal, onBegin }) => {
    signal.throwIfAborted()
    const watch = watchCall(signal, { idleMs, totalMs })
    const call: Call = { streamed: newStreamedMessage(), requestId: undefined, onBegin }
    try {
      await watch.race(() => stream(client, messageParams(request, options), watch, call))
    } catch (error) {
      if (signal.aborted) throw signal.reason
      // What follows the end of an answer does not matter.
      if (!call.streamed.whole) throw failureOf(error, call, watch, secrets)
    } finally {
      watch.close()
    }
    if (signal.aborted) throw signal.reason
    const { streamed, requestId } = call
    if (!streamed.whole) throw failureOf(undefined, call, watch, secrets)
    return replyOf(streamed.message, requestId)
  }
}

/** Lets the SDK look for credentials as it does for a request; rejects with TenfoldError `missing-api-key`. */
export function credentialCheck({ client, apiKey, baseURL, headers }: AnthropicOptions): () => Promise<void> {
  if (client !== undefined) return async () => {}
  const own = anthropicClient({ apiKey, baseURL, headers })
  return async () => {
    try {
      await own.buildRequest({ method: 'post', path: '/v1/messages' })
    } catch (error) {
      const { message, reason } = anthropicError(error)
      // What else is wrong with a request is said when it is made.
      if (reason === 'auth') throw new TenfoldError('missing-api-key', message, { cause: error })
    }
  }
}

interface Call {
  readonly streamed: StreamedMessage
  requestId: string | undefined
  readonly onBegin: (() => void) | undefined
  /** Set once the answer has begun. */
  contentType?: string
}

async function stream(
  client: AnthropicClient,
  params: ReturnType<typeof messageParams>,
  watch: CallWatch,
  call: Call,
): Promise<void> {
  const { data, response, request_id } = await client.messages
    .create(
      { ...params, stream: true },
      {
        signal: watch.signal,
        maxRetries: 0,
        ...noRedirect,
        // The SDK hides pings: only the bytes show that the model is still thinking.
        middleware: [async (sent, next) => listenTo(await next(sent), watch.heard)],
      },
    )
    .withResponse()
  call.requestId = request_id ?? undefined
  call.onBegin?.()
  call.contentType = response.headers.get('content-type') ?? ''
  for await (const event of data) {
    watch.heard()
    takeEvent(call.streamed, event)
  }
}

/** Why the answer is incomplete. `error` is absent if the stream just ended, as it does when it is cut or aborted. */
function failureOf(error: unknown, call: Call, watch: CallWatch, secrets: readonly string[]): ModelError {
  const { streamed, requestId, contentType } = call
  const answering = contentType !== undefined
  const { usage, model } = streamed.message
  const details = { usage: usageOf(usage), model, requestId }
  const timeout = vendorTimeout('Anthropic', watch, answering, details)
  if (timeout !== undefined) return timeout
  if (error instanceof ModelError) return new ModelError(error.message, { reason: error.reason, ...details })
  if (error !== undefined) return anthropicError(error, { answering, secrets, ...details })
  if (!streamed.begun && contentType !== undefined && /json|html/i.test(contentType))
    return new ModelError('Anthropic answered without a stream of events: is the base URL right?', {
      reason: 'bad-request',
      ...details,
    })
  return cutOff(undefined, details)
}

function clientOf(options: AnthropicOptions): { client: AnthropicClient; secrets: readonly string[] } {
  const { apiKey, baseURL, headers } = options
  if (options.client !== undefined) {
    if (apiKey !== undefined || baseURL !== undefined || headers !== undefined)
      throw new TypeError('client: expected either a client, or apiKey, baseURL and headers to create one')
    return { client: options.client, secrets: [] }
  }
  const client = anthropicClient({ apiKey, baseURL, headers })
  const inHeaders = Object.entries(headers ?? {}).filter(([name]) =>
    /auth|key|token|secret|cookie/i.test(name),
  )
  const secrets = [client.apiKey, client.authToken, ...inHeaders.map(([, value]) => value)]
  return { client, secrets: secrets.filter((secret) => secret !== null) }
}
