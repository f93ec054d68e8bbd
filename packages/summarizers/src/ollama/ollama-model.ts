import { fieldsOf, known, parse as parseJson, stringOf } from '@tenfold/core/internal/summarizer'
import type { AbortableAsyncIterator, ChatRequest, ChatResponse, Ollama, Options } from 'ollama'
import { windows } from '../model/vendor-summarizer.ts'
import { codesOf, noRedirect, redirectAdvice } from '../provider/call-error.ts'
import { type FailedCall, type Failure, failureError } from '../provider/failures.ts'
import { listenTo } from '../provider/listen-to.ts'
import { loadPackage } from '../provider/load-package.ts'
import { type Model, ModelError, type ModelRequest } from '../provider/model.ts'
import { callLimits, type RunningCall, runCall } from '../provider/run-call.ts'
import { defaultLocalCallMs } from '../provider/watch-call.ts'
import { streamedChat } from './read-chat.ts'

/** The part of a client of the package `ollama` that is used. */
export interface OllamaClient {
  /** Of the client of the package `ollama`. */
  chat(
    request: ChatRequest & { stream: true },
  ): Promise<Pick<AbortableAsyncIterator<ChatResponse>, 'abort' | typeof Symbol.asyncIterator>>
}

interface ChatRequestOptions {
  readonly model: string
  /**
   * Tokens of the window that the server keeps for the model, prompt and answer together. More takes more memory, and
   * the server cuts it down to what the model was trained for. @default 32_768
   */
  readonly numCtx?: number | undefined
  /** How long the model stays in memory after a call: seconds, or such as `10m`. @default the server's (5 minutes) */
  readonly keepAlive?: string | number | undefined
  /** Whether a reasoning model thinks; its thinking counts as output. @default the model's own */
  readonly think?: boolean | 'low' | 'medium' | 'high' | undefined
  /** @default 0 */
  readonly temperature?: number | undefined
  /** @default 1 */
  readonly seed?: number | undefined
  /** Further options of the model, by Ollama's names. */
  readonly options?: Readonly<Partial<Options>> | undefined
}

/** Address and limits of the calls. */
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
  const { model, numCtx = windows.ollama.contextWindow } = options
  if (typeof model !== 'string' || model === '')
    throw new TypeError('model: expected the name of an Ollama model')
  if (!Number.isSafeInteger(numCtx) || numCtx < 1)
    throw new TypeError(`numCtx: expected a whole number of tokens, got ${String(numCtx)}`)
  if (options.client !== undefined && (options.host !== undefined || options.headers !== undefined))
    throw new TypeError('client: expected either a client, or host and headers to create one')
  const limits = callLimits(options, 300_000, defaultLocalCallMs)
  const host = options.client === undefined ? hostOf(options.host) : undefined

  const about = { vendor: 'Ollama', model, ...unreachedAt(host, options), advice: adviceFor(model) }

  return async (request, control) => {
    control.signal.throwIfAborted()
    const params = chatRequest(request, options)
    const answer = streamedChat(request, numCtx, about)
    // That it is missing is no failure of the server.
    if (options.client === undefined) await ollamaPackage()
    return await runCall(control, limits, answer, async (call) => {
      const head: Head = {}
      const client =
        options.client ?? clientOf((await ollamaPackage()).Ollama, host, options.headers, call, head)
      const lines = await client.chat(params).catch((error: unknown) => {
        throw error instanceof Error ? Object.assign(error, head) : error
      })
      call.begin()
      if (call.signal.aborted) lines.abort()
      call.signal.addEventListener('abort', () => lines.abort(), { once: true })
      try {
        await call.receive(lines)
      } catch (error) {
        throw isReported(error) ? failureError({ message: error.message }, answer.facts()) : error
      }
    })
  }
}

/**
 * Converts a request to Ollama's format; the server enforces the schema. Throws ModelError (`prompt-too-long`) if
 * prompt and answer do not fit the window, since Ollama would cut the prompt silently. https://docs.ollama.com/api/chat
 */
function chatRequest(request: ModelRequest, options: ChatRequestOptions): ChatRequest & { stream: true } {
  const { model, numCtx = windows.ollama.contextWindow, keepAlive, think } = options
  const { inputTokens, maxOutputTokens } = request
  if (inputTokens + maxOutputTokens > numCtx)
    throw new ModelError(
      `about ${inputTokens} tokens to read and ${maxOutputTokens} to write do not fit numCtx, ${numCtx}: raise it, or let the model read less at once`,
      { reason: 'prompt-too-long', model },
    )
  const system = request.system.toWellFormed()
  return {
    model,
    messages: [
      ...(system === '' ? [] : [{ role: 'system', content: system }]),
      ...request.messages.map(({ role, text }) => ({ role, content: text.toWellFormed() })),
    ],
    format: request.schema,
    stream: true,
    options: {
      temperature: options.temperature ?? 0,
      seed: options.seed ?? 1,
      ...options.options,
      num_ctx: numCtx,
      num_predict: maxOutputTokens,
    },
    ...known({ keep_alive: keepAlive, think }),
  }
}

/** The package throws no headers. */
interface Head {
  headers?: Headers
}

/** A failure that the server reports within an answer is a plain Error, and so is one of the client's. */
function isReported(error: unknown): error is Error {
  const isPlain = error instanceof Error && error.name === 'Error' && codesOf(error).length === 0
  return isPlain && !/did not receive done|missing body/i.test(error.message)
}

function adviceFor(model: string): (failure: Failure) => string | undefined {
  return ({ status, message }) => {
    if (status === 404)
      return /model/i.test(message)
        ? `pull it with \`ollama pull ${model}\``
        : 'is the host an Ollama server?'
    if (/requires more (?:system|gpu)? ?memory/i.test(message)) return 'a smaller numCtx takes less'
    return /context|too long|exceeds/i.test(message)
      ? 'raise numCtx, or let the model read less at once'
      : undefined
  }
}

/** A host without user and password; unknown if a client was passed in. */
function unreachedAt(host: string | undefined, { client }: OllamaOptions): Pick<FailedCall, 'ifUnreached'> {
  const shown = (host ?? 'http://127.0.0.1:11434').replace(/\/\/[^/@]*@/, '//')
  return { ifUnreached: `is it running (\`ollama serve\`)${client === undefined ? ` at ${shown}` : ''}?` }
}

/** The package, which is loaded when a model is first asked. */
export async function ollamaPackage(): Promise<typeof import('ollama')> {
  return await loadPackage('ollama', () => import('ollama'))
}

/** A client for one call, because the package can stop a request only once it is answered. */
function clientOf(
  Client: typeof Ollama,
  host: string | undefined,
  headers: Readonly<Record<string, string>> | undefined,
  { signal, heard }: Pick<RunningCall<unknown>, 'signal' | 'heard'>,
  head: Head,
): OllamaClient {
  return new Client({
    ...known({ host, headers: headers && { ...headers } }),
    fetch: async (url, init) => {
      const response = await fetch(url, { ...init, ...noRedirect.fetchOptions, signal })
      head.headers = response.headers
      const listened = listenTo(response, heard)
      return response.ok ? listened : await plainError(listened)
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
  return stringOf(fieldsOf(parseJson(body)).error) ?? body
}

/** OLLAMA_HOST may tell servers to listen on all addresses, which no client can connect to. */
function hostOf(host: string | undefined): string | undefined {
  const given = (host ?? process.env.OLLAMA_HOST ?? '').trim()
  if (given === '') return undefined
  return given.replace(/^((?:https?:\/\/)?)0\.0\.0\.0(?=[:/]|$)/, (_, scheme) => `${scheme}127.0.0.1`)
}
