import { answerLimit } from '../provider/answer-limit.ts'
import { stringOf } from '../provider/fields.ts'
import { ModelError } from '../provider/model.ts'
import { noRedirect } from '../provider/no-redirect.ts'
import type { Answer } from './answer.ts'
import { cutOff } from './openai-error.ts'
import { eventsOf, type ServerEvent } from './read-events.ts'

export interface Reading {
  readonly answer: Answer
  readonly signal: AbortSignal
  readonly headers: Readonly<Record<string, string>>
  /** Called for each sign of life. */
  readonly alive: () => void
  /** Called when the answer begins. */
  readonly onBegin: (() => void) | undefined
  /** Called for a request that was refused, before it is sent in another form. */
  readonly onRefused: ((error: ModelError) => void | Promise<void>) | undefined
}

export interface CallOptions {
  readonly signal: AbortSignal
  readonly maxRetries: 0
  readonly headers: Record<string, string>
  readonly fetchOptions: { redirect: 'manual' }
}

/**
 * Makes a call of the SDK and adds what arrives to the answer. Reads the bytes itself: how the SDK handles a stream
 * depends on its version, and hides cuts, comments that keep a connection alive, and bodies of another kind.
 */
export async function readAnswer(
  call: (options: CallOptions) => PromiseLike<unknown>,
  { answer, signal, headers, alive, onBegin }: Reading,
): Promise<void> {
  const pending = call({ signal, maxRetries: 0, headers: { ...headers }, ...noRedirect })
  const events = hasResponse(pending)
    ? eventsOfResponse(await pending.asResponse())
    : eventsOfResult(await pending)
  for await (const event of events) if (answer.add(event)) return

  async function* eventsOfResponse(response: Response): AsyncGenerator<ServerEvent> {
    alive()
    onBegin?.()
    answer.begin(stringOf(response.headers.get('x-request-id')))
    if (response.body !== null) yield* eventsOf(bytesOf(response.body, alive))
  }

  /** Handles a wrapped client, such as a tracer's: it gives no response, only what the SDK parsed. */
  async function* eventsOfResult(result: unknown): AsyncGenerator<ServerEvent> {
    alive()
    onBegin?.()
    if (!isIterable(result)) return yield { data: result }
    for await (const data of result) {
      alive()
      yield { data }
    }
  }
}

async function* bytesOf(body: AsyncIterable<Uint8Array>, alive: () => void): AsyncGenerator<Uint8Array> {
  const limit = answerLimit()
  try {
    for await (const chunk of body) {
      alive()
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
