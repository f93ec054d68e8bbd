import { fieldsOf, known, stringOf } from '@tenfold/core/internal/summarizer'
import { createParser, type EventSourceMessage } from 'eventsource-parser'
import { cutOff } from '../provider/call-error.ts'
import { answerLimit } from '../provider/listen-to.ts'
import { ModelError, type ModelReply } from '../provider/model.ts'
import { tokenUsage } from '../provider/token-usage.ts'

/** One server-sent event; `data` is JSON, or `[DONE]`. A body that is one JSON value is one event without a name. */
export interface ServerEvent {
  readonly name?: string
  readonly data: unknown
}

/**
 * What a completion or a response says besides its text. Input includes what was read from the cache, output the
 * reasoning.
 */
export function factsOf(
  answer: unknown,
  requestId?: string,
): Pick<ModelReply, 'usage' | 'model' | 'requestId'> {
  const { usage, model, id } = fieldsOf(answer)
  const { prompt_tokens: prompt, completion_tokens, ...counts } = fieldsOf(usage)
  const input = fieldsOf(counts.input_tokens_details ?? counts.prompt_tokens_details)
  const output = fieldsOf(counts.output_tokens_details ?? counts.completion_tokens_details)
  return {
    usage: tokenUsage({
      // A prompt never takes 0 tokens: a server that reports 0 does not count.
      inputTokens: counts.input_tokens ?? (prompt === 0 ? undefined : prompt),
      outputTokens: counts.output_tokens ?? completion_tokens,
      cacheReadTokens: input.cached_tokens,
      cacheWriteTokens: input.cache_write_tokens,
      reasoningTokens: output.reasoning_tokens,
    }),
    ...known({ model: stringOf(model), requestId: requestId ?? stringOf(id) }),
  }
}

/**
 * What the answer to a call of the SDK consists of; `heard` is called for each sign of life. Reads the bytes itself: how
 * the SDK handles a stream depends on its version, and hides cuts, comments that keep a connection alive, and bodies of
 * another kind.
 */
export async function* eventsOfCall(
  pending: PromiseLike<unknown>,
  begin: (requestId: string | undefined) => void,
  heard: () => void,
): AsyncGenerator<ServerEvent> {
  if (hasResponse(pending)) {
    const response = await pending.asResponse()
    heard()
    begin(stringOf(response.headers.get('x-request-id')))
    if (response.body !== null) yield* eventsOf(bytesOf(response.body, heard))
    return
  }
  // A wrapped client, such as a tracer's, gives no response, only what the SDK parsed.
  const result = await pending
  heard()
  begin(undefined)
  if (!isIterable(result)) return yield { data: result }
  for await (const data of result) {
    heard()
    yield { data }
  }
}

async function* bytesOf(body: AsyncIterable<Uint8Array>, heard: () => void): AsyncGenerator<Uint8Array> {
  const limit = answerLimit()
  try {
    for await (const chunk of body) {
      heard()
      limit(chunk)
      yield chunk
    }
  } catch (error) {
    throw error instanceof ModelError ? error : cutOff(error)
  }
}

function hasResponse(pending: object): pending is { asResponse(): Promise<Response> } {
  return 'asResponse' in pending && typeof pending.asResponse === 'function'
}

function isIterable(value: unknown): value is AsyncIterable<unknown> {
  return typeof value === 'object' && value !== null && Symbol.asyncIterator in value
}

/**
 * Reads a body as server-sent events, or as one JSON value if it is one: some servers do not stream though asked to,
 * stream though not asked to, or name no content type. Leaves out an event that was cut. Throws ModelError if the body
 * is neither.
 */
export async function* eventsOf(chunks: AsyncIterable<Uint8Array>): AsyncGenerator<ServerEvent> {
  const found: EventSourceMessage[] = []
  const parser = createParser({ onEvent: (message) => found.push(message) })
  const body: string[] = []
  let isEvents: boolean | undefined
  for await (const text of textOf(chunks)) {
    body.push(text)
    isEvents ??= body.join('').trim() === '' ? undefined : !/^\s*[{["<]/.test(body.join(''))
    if (isEvents !== true) continue
    parser.feed(body.splice(0).join(''))
    for (const { event, data } of found.splice(0)) yield named(event, parsed(data))
  }
  if (isEvents === false) yield { data: parsed(body.join('')) }
  parser.feed('\n\n')
  for (const { event, data } of found) {
    const end = ifWhole(data)
    if (end !== undefined) yield named(event, end)
  }
}

async function* textOf(chunks: AsyncIterable<Uint8Array>): AsyncGenerator<string> {
  const decoder = new TextDecoder()
  for await (const chunk of chunks) yield decoder.decode(chunk, { stream: true })
  yield decoder.decode()
}

function named(name: string | undefined, data: unknown): ServerEvent {
  return name === undefined ? { data } : { name, data }
}

function parsed(text: string): unknown {
  const value = ifWhole(text)
  if (value !== undefined) return value
  if (text.trimStart().startsWith('<'))
    throw new ModelError('the server sent a web page, not JSON; check the base URL (often it ends in /v1)', {
      reason: 'bad-request',
    })
  throw new ModelError('the answer is broken: what arrived is not complete JSON', {
    reason: 'cut-off',
    retryable: true,
  })
}

/** The end of a stream that was cut is not an event, unless it is complete. */
function ifWhole(text: string): unknown {
  if (text.startsWith('[DONE]')) return '[DONE]'
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}
