import { type AbortableAsyncIterator, type ChatRequest, type ChatResponse, Ollama } from 'ollama'
import { known } from '../provider/fields.ts'
import { listenTo } from '../provider/listen-to.ts'
import { type Model, ModelError } from '../provider/model.ts'
import { noRedirect, redirectAdvice } from '../provider/no-redirect.ts'
import { vendorTimeout } from '../provider/out-of-time.ts'
import { defaultLocalCallMs, waitingTime } from '../provider/waiting-time.ts'
import { type CallWatch, watchCall } from '../provider/watch-call.ts'
import { type ChatRequestOptions, chatRequest, defaultNumCtx } from './chat-request.ts'
import { ollamaError } from './ollama-error.ts'
import { newStreamedChat, replyOfChat, type StreamedChat, takeLine } from './read-chat.ts'

/** The part of a client of the package `ollama` that is used. */
export interface OllamaClient {
  chat(
    request: ChatRequest & { stream: true },
  ): Promise<Pick<AbortableAsyncIterator<ChatResponse>, 'abort' | typeof Symbol.asyncIterator>>
}

export interface OllamaOptions extends ChatRequestOptions {
  /** @default OLLAMA_HOST, otherwise http://127.0.0.1:11434 */
  readonly host?: string | undefined
  /** Sent with every request, for a server behind a proxy. */
  readonly headers?: Readonly<Record<string, string>> | undefined
  /** Your own client instead of the two above, for example for a `fetch` that waits longer than Node's five minutes. */
  readonly client?: OllamaClient | undefined
  /**
   * Longest time without a byte. A server is silent while it loads the model and reads the prompt; Node itself ends a
   * request after five minutes of silence. @default 300_000
   */
  readonly idleTimeoutMs?: number | undefined
  /** Most milliseconds for a call in all, no matter how slowly its answer comes. @default 3_600_000 */
  readonly timeoutMs?: number | undefined
}

/**
 * A model on an Ollama server, through its native API: only there can the window be set, without which a server
 * silently keeps only a few thousand tokens of the prompt. Throws TypeError for options that contradict each other.
 */
export function ollamaModel(options: OllamaOptions): Model {
  const { model, numCtx = defaultNumCtx } = options
  if (typeof model !== 'string' || model === '')
    throw new TypeError('model: expected the name of an Ollama model')
  if (!Number.isSafeInteger(numCtx) || numCtx < 1)
    throw new TypeError(`numCtx: expected a whole number of tokens, got ${String(numCtx)}`)
  if (options.client !== undefined && (options.host !== undefined || options.headers !== undefined))
    throw new TypeError('client: expected either a client, or host and headers to create one')
  const idleMs = waitingTime('idleTimeoutMs', options.idleTimeoutMs ?? 300_000)
  const totalMs = waitingTime('timeoutMs', options.timeoutMs ?? defaultLocalCallMs)
  const host = options.client === undefined ? hostOf(options.host) : undefined

  return async (request, { signal, onBegin }) => {
    signal.throwIfAborted()
    const params = chatRequest(request, options)
    const watch = watchCall(signal, { idleMs, totalMs })
    const call: Call = { chat: newStreamedChat(), answering: false, onBegin }
    try {
      const client = options.client ?? clientOf(host, options.headers, watch, call)
      await watch.race(() => stream(client, params, watch, call))
    } catch (error) {
      if (signal.aborted) throw signal.reason
      if (call.chat.last === undefined)
        throw (
          vendorTimeout('Ollama', watch, call.answering, { model }) ??
          (error instanceof ModelError ? error : undefined) ??
          ollamaError(error, { model, host: shown(host), answering: call.answering, headers: call.headers })
        )
    } finally {
      watch.close()
    }
    return replyOfChat(call.chat, request, numCtx)
  }
}

interface Call {
  readonly chat: StreamedChat
  answering: boolean
  readonly onBegin: (() => void) | undefined
  headers?: Headers
}

async function stream(
  client: OllamaClient,
  params: ReturnType<typeof chatRequest>,
  watch: CallWatch,
  call: Call,
): Promise<void> {
  const lines = await client.chat(params)
  call.answering = true
  call.onBegin?.()
  if (watch.signal.aborted) lines.abort()
  watch.signal.addEventListener('abort', () => lines.abort(), { once: true })
  for await (const line of lines) {
    watch.heard()
    takeLine(call.chat, line)
  }
}

/** A client for one call, because the package can stop a request only once it is answered. */
function clientOf(
  host: string | undefined,
  headers: Readonly<Record<string, string>> | undefined,
  watch: CallWatch,
  call: Call,
): OllamaClient {
  return new Ollama({
    ...known({ host, headers: headers && { ...headers } }),
    fetch: async (url, init) => {
      const response = await fetch(url, {
        ...init,
        ...noRedirect.fetchOptions,
        signal: watch.signal,
      })
      call.headers = response.headers
      const heard = listenTo(response, watch.heard)
      return response.ok ? heard : await plainError(heard)
    },
  })
}

/** An error in the form that the package reads without printing to standard output. */
async function plainError(response: Response): Promise<Response> {
  const text = await response.text()
  const redirect = redirectAdvice(response.status, response.headers.get('location'))
  // A redirect that the package sees as one would have no error to read.
  const status = redirect === undefined ? response.status : 400
  return Response.json({ error: redirect ?? (errorText(text) || response.statusText) }, { status })
}

function errorText(body: string): string {
  try {
    const value: unknown = JSON.parse(body)
    if (typeof value === 'object' && value !== null && 'error' in value && typeof value.error === 'string')
      return value.error
  } catch (error) {
    if (!(error instanceof SyntaxError)) throw error
  }
  return body
}

/** OLLAMA_HOST may tell servers to listen on all addresses, which no client can connect to. */
function hostOf(host: string | undefined): string | undefined {
  const given = (host ?? process.env.OLLAMA_HOST ?? '').trim()
  if (given === '') return undefined
  return given.replace(/^((?:https?:\/\/)?)0\.0\.0\.0(?=[:/]|$)/, (_, scheme) => `${scheme}127.0.0.1`)
}

/** A host without user and password. */
function shown(host: string | undefined): string {
  return (host ?? 'http://127.0.0.1:11434').replace(/\/\/[^/@]*@/, '//')
}
