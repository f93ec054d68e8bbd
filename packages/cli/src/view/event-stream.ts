import { setTimeout as wait } from 'node:timers/promises'
import { cleanLine, LogReadError } from '@tenfold/core'
import { type EventSourceMessage, EventSourceParserStream, ParseError } from 'eventsource-parser/stream'
import { messageOf } from '../terminal/thrown.ts'

const reconnectAfter = 1_000

export interface StreamOptions {
  readonly signal: AbortSignal
  /** Most characters of one message. */
  readonly maxMessage: number
  /** Called when the connection is lost, before it is made again; the first one must succeed. */
  onLost(reason: string): void
}

/**
 * Yields the messages of an event stream, over lost connections, until its server says that it ended: with a message
 * `end`, or with the status 204. Throws `LogReadError` if the address serves no event stream.
 */
export async function* streamMessages(
  url: string,
  { signal, maxMessage, onLost }: StreamOptions,
): AsyncGenerator<EventSourceMessage, void, undefined> {
  let last: string | undefined
  for (let connected = false; ; await wait(reconnectAfter, undefined, { signal })) {
    try {
      const messages = await connect(url, last, { signal, maxMessage })
      connected = true
      if (messages === undefined) return
      for await (const message of messages) {
        last = message.id ?? last
        if (message.event === 'end') return
        yield message
      }
      onLost('it was closed')
    } catch (error) {
      // A message that is too long would be so again.
      if (signal.aborted || !connected || error instanceof ParseError) throw error
      onLost(messageOf(error))
    }
  }
}

/** Connects, to go on after the event with the id `last`; undefined if no more will come. */
async function connect(
  url: string,
  last: string | undefined,
  { signal, maxMessage }: Pick<StreamOptions, 'signal' | 'maxMessage'>,
): Promise<ReadableStream<EventSourceMessage> | undefined> {
  const headers = { accept: 'text/event-stream', ...(last !== undefined && { 'last-event-id': last }) }
  let response: Response
  try {
    response = await fetch(url, { headers, signal })
  } catch (cause) {
    if (signal.aborted) throw cause
    const reason = cause instanceof Error && cause.cause !== undefined ? cause.cause : cause
    throw unreadable(url, `cannot be reached: ${messageOf(reason)}`, cause)
  }
  const { status, body } = response
  if (status === 204) return undefined
  const type = response.headers.get('content-type') ?? 'no content type'
  if (status !== 200 || body === null) throw unreadable(url, `answered ${status}`)
  if (!type.startsWith('text/event-stream')) {
    await body.cancel()
    throw unreadable(url, `serves ${type}, no event stream`)
  }
  return body
    .pipeThrough(new TextDecoderStream())
    .pipeThrough(new EventSourceParserStream({ maxBufferSize: maxMessage }))
}

function unreadable(url: string, what: string, cause?: unknown): LogReadError {
  return new LogReadError('log-unreadable', `${cleanLine(`${url} ${what}`)}.`, { cause })
}
