import { once } from 'node:events'
import type { IncomingMessage, ServerResponse } from 'node:http'
import type { AbortableOptions } from '../session/abortable-options.ts'
import { percentDecoded } from '../session/percent-decoded.ts'
import type { EventLog } from './event-log.ts'
import type { TaskEvent } from './task-event.ts'

/** Options of {@link serveEvents}. */
export interface ServeEventsOptions {
  /** Milliseconds between comments that keep an idle connection open. @default 15000 */
  readonly heartbeatMs?: number | undefined
  /** Milliseconds that a client waits before it reconnects. @default the client's own choice */
  readonly retryMs?: number | undefined
  /** Ends all connections. */
  readonly signal?: AbortSignal | undefined
}

/**
 * Creates a `node:http` handler that serves a log as server-sent events: those after the request's `Last-Event-ID`, or
 * all, then each new one. A message `note` (`code`, `message`) reports repeated or missing events, `end` that no more
 * will come; a client that reconnects after that gets 204, which stops it. Sends no header for other origins. Waits for
 * slow clients; the promise resolves when everything is sent or the client is gone.
 */
export function serveEvents(
  log: EventLog,
  { heartbeatMs = 15_000, retryMs, signal }: ServeEventsOptions = {},
): (request: IncomingMessage, response: ServerResponse) => Promise<void> {
  return async (request, response) => {
    if (request.method !== 'GET' && request.method !== 'HEAD')
      return void response.writeHead(405, { allow: 'GET, HEAD' }).end()
    const after = decodeEventId([request.headers['last-event-id']].flat()[0])
    if (log.ended && after !== undefined && log.has(after) && isLast(log, after))
      return void response.writeHead(204).end()
    response.writeHead(200, {
      'content-type': 'text/event-stream',
      'cache-control': 'no-store',
      'x-content-type-options': 'nosniff',
      // Proxies such as nginx would otherwise buffer the stream.
      'x-accel-buffering': 'no',
    })
    if (request.method === 'HEAD') return void response.end()
    response.flushHeaders()
    await sendEvents(log, response, { heartbeatMs, after, retryMs, signal })
  }
}

function isLast(log: EventLog, id: string): boolean {
  const { events, note } = log.since(id)
  return events.length === 0 && note === undefined
}

interface Sending extends AbortableOptions {
  readonly after?: string | undefined
  readonly heartbeatMs: number
  readonly retryMs?: number | undefined
}

async function sendEvents(log: EventLog, response: ServerResponse, sending: Sending): Promise<void> {
  const { after, heartbeatMs, retryMs, signal } = sending
  const over = new AbortController()
  const stop = (): void => over.abort()
  response.once('close', stop)
  // A client that disconnects during a write is not an error; 'close' follows.
  response.on('error', stop)
  signal?.addEventListener('abort', stop, { once: true })
  if (signal?.aborted === true || response.destroyed) stop()
  const heartbeat = setInterval(() => {
    if (!response.writableNeedDrain) response.write(serverSentHeartbeat)
  }, heartbeatMs)
  try {
    if (retryMs !== undefined) response.write(`retry: ${Math.max(0, Math.round(retryMs))}\n\n`)
    for await (const { events, note } of log.follow({ signal: over.signal, after })) {
      if (note !== undefined) {
        const text = encodeServerSentMessage({ event: 'note', data: JSON.stringify(note) })
        await send(response, text, over.signal)
      }
      for (const event of events) {
        if (over.signal.aborted) return
        await send(response, encodeServerSentEvent(event), over.signal)
      }
    }
    if (!over.signal.aborted) response.write(encodeServerSentMessage({ event: 'end', data: '{}' }))
  } finally {
    clearInterval(heartbeat)
    signal?.removeEventListener('abort', stop)
    // Unsent data of a stuck client would keep the connection open.
    if (over.signal.aborted && response.writableNeedDrain) response.destroy()
    else response.end()
  }
}

/** Writes, and waits for a slow client. */
async function send(response: ServerResponse, text: string, over: AbortSignal): Promise<void> {
  if (!response.write(text)) await once(response, 'drain', { signal: over }).catch(() => undefined)
}

export interface ServerSentMessage {
  readonly event?: string
  /** Value of the later `Last-Event-ID`, percent-encoded except for visible ASCII; omitted if too long. */
  readonly id?: string
  readonly data: string
}

/** Longer ids would not fit into the request header that returns them. */
const maxIdLength = 1000

/**
 * Encodes a message as the text of an event stream. Line ends in the data become `\n`
 * (https://html.spec.whatwg.org/multipage/server-sent-events.html). An event name is cut at its first line end.
 */
export function encodeServerSentMessage({ event, id, data }: ServerSentMessage): string {
  const wireId = id === undefined ? undefined : encodeEventId(id)
  const name = event?.split(/[\r\n]/, 1)[0] ?? ''
  const lines = data.split(/\r\n|\r|\n/).map((line) => `data: ${line}\n`)
  return `${wireId === undefined ? '' : `id: ${wireId}\n`}${name === '' ? '' : `event: ${name}\n`}${lines.join('')}\n`
}

/** Encodes a task event as a message of an event stream, named by its type, with the event as JSON. */
export function encodeServerSentEvent(event: TaskEvent): string {
  return encodeServerSentMessage({ event: event.type, id: event.id, data: JSON.stringify(event) })
}

export const serverSentHeartbeat = ': heartbeat\n\n'

/** Encodes an id for a stream; `undefined` if that is not possible, so that a client resumes after the previous event. */
function encodeEventId(id: string): string | undefined {
  if (id === '' || !id.isWellFormed()) return undefined
  const encoded = /^[!-$&-~]+$/.test(id) ? id : encodeURIComponent(id)
  return encoded.length > maxIdLength ? undefined : encoded
}

export function decodeEventId(header: string | undefined): string | undefined {
  if (header === undefined || header === '') return undefined
  // A header that cannot be decoded is not a known id either.
  return percentDecoded(header) ?? header
}
