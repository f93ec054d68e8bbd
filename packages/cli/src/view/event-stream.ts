import { LogReadError } from '@tenfold/core'
import { cleanLine } from '@tenfold/core/internal'
import { sleep } from '@tenfold/core/internal/locks'
import { type EventSourceMessage, EventSourceParserStream, ParseError } from 'eventsource-parser/stream'
import { messageOf } from '../terminal/thrown.ts'

const reconnectAfter = 1_000

/** Limits in milliseconds: for the server's answer, between messages (even over reconnects), and for everything. */
interface StreamTimes {
  readonly answer: number
  readonly message: number
  readonly all: number
}

const usualTimes: StreamTimes = { answer: 30_000, message: 120_000, all: 3_600_000 }

const maxMessage = 32 * 2 ** 20

interface StreamOptions {
  readonly signal: AbortSignal
  /** Wait without limit for each message and for the end, because the page is served meanwhile. */
  readonly follow: boolean
  readonly times?: StreamTimes | undefined
  /** Called when the connection is lost, before reconnecting. The first connection must succeed. */
  onLost(reason: string): void
}

/** Yields messages until the server reports the end with an `end` message or status 204. */
export async function* streamMessages(
  url: string,
  { signal, follow, times = usualTimes, onLost }: StreamOptions,
): AsyncGenerator<EventSourceMessage, void, undefined> {
  const late = new AbortController()
  const either = AbortSignal.any([signal, late.signal])
  const limit = (milliseconds: number, what: string) =>
    setTimeout(() => {
      const said = cleanLine(`${url} ${what} ${milliseconds / 1000} s`)
      late.abort(new LogReadError('log-too-slow', `${said}; to follow it live, add --serve`))
    }, milliseconds)
  const end = follow ? undefined : limit(times.all, 'did not end within')
  const next = follow ? undefined : limit(times.message, 'sent no message for')
  let last: string | undefined
  let connected = false
  try {
    for (;;) {
      try {
        if (connected) await sleep(reconnectAfter, either)
        const answer = limit(times.answer, 'gave no answer within')
        const messages = await connect(url, last, either).finally(() => clearTimeout(answer))
        connected = true
        if (messages === undefined) return
        for await (const message of messages) {
          last = message.id ?? last
          if (message.event === 'end') return
          yield message
          next?.refresh()
        }
        onLost('it was closed')
      } catch (error) {
        late.signal.throwIfAborted()
        // Reconnecting does not help if a message is too long.
        if (error instanceof ParseError) throw tooLong(url, error)
        if (signal.aborted || !connected) throw error
        onLost(messageOf(error))
      }
    }
  } finally {
    clearTimeout(end)
    clearTimeout(next)
  }
}

async function connect(url: string, last: string | undefined, signal: AbortSignal) {
  // A compressed stream could expand without limit.
  const headers = {
    accept: 'text/event-stream',
    'accept-encoding': 'identity',
    ...(last !== undefined && { 'last-event-id': last }),
  }
  let response: Response
  try {
    response = await fetchAtHost(url, { headers, signal })
  } catch (cause) {
    if (signal.aborted || LogReadError.isInstance(cause)) throw cause
    const reason = cause instanceof Error && cause.cause !== undefined ? cause.cause : cause
    throw unreadable(url, `cannot be reached: ${messageOf(reason)}`, cause)
  }
  const { status, body, headers: sent } = response
  if (status === 204) return undefined
  if (status !== 200 || body === null) throw unreadable(url, `answered ${status}`)
  const type = sent.get('content-type') ?? 'no content type'
  const encoding = sent.get('content-encoding') ?? 'identity'
  const isStream = type.startsWith('text/event-stream')
  if (!isStream || encoding !== 'identity') {
    await body.cancel()
    throw unreadable(
      url,
      isStream
        ? `compresses its answer (${encoding}) without being asked to`
        : `serves ${type} instead of an event stream`,
    )
  }
  return body
    .pipeThrough(new TextDecoderStream())
    .pipeThrough(new EventSourceParserStream({ maxBufferSize: maxMessage }))
}

/** Does not follow redirects to another host, since the user did not name it; it may be in an internal network. */
async function fetchAtHost(url: string, init: RequestInit): Promise<Response> {
  let address = url
  for (let redirects = 0; redirects <= maxRedirects; redirects++) {
    const response = await fetch(address, { ...init, redirect: 'manual' })
    const location = response.headers.get('location')
    if (!redirectCodes.has(response.status) || location === null) return response
    await response.body?.cancel()
    const next = new URL(location, address)
    if (next.host !== new URL(url).host)
      throw unreadable(url, `redirects to ${next.origin}; if you trust it, use ${next.href} instead`)
    address = next.href
  }
  throw unreadable(url, `redirects more than ${maxRedirects} times`)
}

const redirectCodes: ReadonlySet<number> = new Set([301, 302, 303, 307, 308])
const maxRedirects = 5

function tooLong(url: string, cause: Error): LogReadError {
  const what = `${url} sent a message of more than ${maxMessage} characters`
  return new LogReadError('log-too-large', `${cleanLine(what)}.`, { cause })
}

function unreadable(url: string, what: string, cause?: unknown): LogReadError {
  return new LogReadError('log-unreadable', `${cleanLine(`${url} ${what}`)}.`, { cause })
}
