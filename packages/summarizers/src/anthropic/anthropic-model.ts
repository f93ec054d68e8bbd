import type Anthropic from '@anthropic-ai/sdk'
import { TenfoldError } from '@tenfold/core/summarizer'
import { noRedirect } from '../provider/call-error.ts'
import { listenTo } from '../provider/listen-to.ts'
import type { Model } from '../provider/model.ts'
import { callLimits, runCall } from '../provider/run-call.ts'
import { defaultCallMs } from '../provider/watch-call.ts'
import { anthropicClient, anthropicError } from './anthropic-client.ts'
import { type MessageParamsOptions, messageParams } from './message-params.ts'
import { streamedMessage } from './read-message.ts'

/** The part of a client of the SDK that is used; clients for Bedrock, Vertex and Foundry have it too. */
export interface AnthropicClient {
  /** The SDK client's `messages`. */
  readonly messages: Pick<Anthropic.Messages, 'create'>
}

/** Key, address and limits of the calls. */
export interface AnthropicOptions extends MessageParamsOptions {
  /** @default ANTHROPIC_API_KEY, otherwise ANTHROPIC_AUTH_TOKEN, otherwise a profile of the SDK */
  readonly apiKey?: string | undefined
  /** @default ANTHROPIC_BASE_URL, otherwise https://api.anthropic.com */
  readonly baseURL?: string | undefined
  /** Sent with every request. */
  readonly headers?: Readonly<Record<string, string>> | undefined
  /** Your own client, instead of `apiKey`, `baseURL` and `headers`. Its retries are turned off for these calls. */
  readonly client?: AnthropicClient | undefined
  /** Maximum milliseconds without a byte from the API, including pings of a thinking model. @default 120_000 */
  readonly idleTimeoutMs?: number | undefined
  /** Maximum milliseconds for a whole call. Pings do not extend it. @default 1_800_000 */
  readonly timeoutMs?: number | undefined
}

/**
 * Claude through the Messages API, with one streamed request per call. Throws TypeError for contradictory options and
 * rejects with TenfoldError `missing-package` without the SDK. Always streams, because Node's `fetch` ends a request
 * that is silent for five minutes.
 */
export function anthropicModel(options: AnthropicOptions): Model {
  if (typeof options.model !== 'string' || options.model === '')
    throw new TypeError('model: expected the name of a Claude model')
  const limits = callLimits(options, 120_000, defaultCallMs)
  if (options.client !== undefined && (options.apiKey ?? options.baseURL ?? options.headers) !== undefined)
    throw new TypeError('client: expected either a client, or apiKey, baseURL and headers to create one')
  // Shared by all calls, because it caches the token of a profile.
  let ready: ReturnType<typeof clientOf> | undefined

  return async (request, control) => {
    control.signal.throwIfAborted()
    ready ??= clientOf(options)
    const { client, secrets } = await ready
    const answer = streamedMessage(secrets)
    return await runCall(control, limits, answer, async ({ signal, heard, begin, receive }) => {
      // The SDK hides pings, so only the bytes show that the model is still thinking.
      const middleware: Anthropic.RequestOptions['middleware'] = [
        async (sent, next) => listenTo(await next(sent), heard),
      ]
      const body = { ...messageParams(request, options), stream: true } as const
      const { data, response, request_id } = await client.messages
        .create(body, { signal, maxRetries: 0, ...noRedirect, middleware })
        .withResponse()
        .catch((error: unknown) => {
          throw anthropicError(error, answer.facts())
        })
      begin(request_id, response.headers.get('content-type'))
      await receive(data)
    })
  }
}

/**
 * Lets the SDK look for credentials as for a request. Rejects with TenfoldError `missing-api-key` or `missing-package`.
 */
export function credentialCheck({ client, apiKey, baseURL, headers }: AnthropicOptions): () => Promise<void> {
  if (client !== undefined) return async () => {}
  return async () => {
    const own = await anthropicClient({ apiKey, baseURL, headers })
    try {
      await own.buildRequest({ method: 'post', path: '/v1/messages' })
    } catch (error) {
      const { message, reason } = anthropicError(error)
      // Other faults are reported when a request is made.
      if (reason === 'auth') throw new TenfoldError('missing-api-key', message, { cause: error })
    }
  }
}

async function clientOf({
  apiKey,
  baseURL,
  headers,
  client: given,
}: AnthropicOptions): Promise<{ client: AnthropicClient; secrets: readonly string[] }> {
  if (given !== undefined) return { client: given, secrets: [] }
  const client = await anthropicClient({ apiKey, baseURL, headers })
  const inHeaders = Object.entries(headers ?? {}).filter(([name]) =>
    /auth|key|token|secret|cookie/i.test(name),
  )
  const secrets = [client.apiKey, client.authToken, ...inHeaders.map(([, value]) => value)]
  return { client, secrets: secrets.filter((secret) => secret !== null) }
}
