import type { IncomingMessage, ServerResponse } from 'node:http'
import type { AbortableOptions } from '../session/abortable-options.ts'
import type { EventLog } from './event-log.ts'
import {
  decodeEventId,
  encodeServerSentEvent,
  encodeServerSentMessage,
  serverSentHeartbeat,
} from './server-sent-event.ts'

/** Options of {@link serveEvents}. */
export interface ServeEventsOptions {
  /** Milliseconds between the comments that keep a silent connection alive. @default 15000 */
  readonly heartbeatMs?: number | undefined
  /** Milliseconds that a client waits before it connects again. @default the client's own choice */
  readonly retryMs?: number | undefined
  /** Ends all connections. */
  readonly signal?: AbortSignal | undefined
}

/**
 * Creates a `node:http` handler that serves a log as server-sent events: those after the request's `Last-Event-ID`, or
 * all, then each event as it is added. A message `note` (`code`, `message`) reports events that are sent again or are
 * missing, `end` that no more will come; a client that reconnects after that gets 204, which stops it. Sends no header
 * for other origins. Waits for slow clients; the promise fulfils when everything is sent or the client is gone.
 */
export function serveEvents(
  log: EventLog,
  { heartbeatMs = 15_000, retryMs, signal }: ServeEventsOptions = {},
): (request: IncomingMessage, response: ServerResponse) => Promise<void> {
  return async (request, response) => {
    if (request.method !== 'GET' && request.method !== 'HEAD') {
      response.writeHead(405, { allow: 'GET, HEAD' }).end()
      return
    }
    const after = decodeEventId(headerOf(request))
    if (log.ended && after !== undefined && log.has(after) && isLast(log, after)) {
      response.writeHead(204).end()
      return
    }
    response.writeHead(200, {
      'content-type': 'text/event-stream',
      'cache-control': 'no-store',
      'x-content-type-options': 'nosniff',
      // Proxies such as nginx would otherwise hold the stream back.
      'x-accel-buffering': 'no',
    })
    if (request.method === 'HEAD') {
      response.end()
      return
    }
    response.flushHeaders()
    await sendEvents(log, response, {
      heartbeatMs,
      after,
      retryMs,
      signal,
    })
  }
}

function isLast(log: EventLog, id: string): boolean {
  const { events, note } = log.since(id)
  return events.length === 0 && note === undefined
}

function headerOf(request: IncomingMessage): string | undefined {
  const header = request.headers['last-event-id']
  return Array.isArray(header) ? header[0] : header
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
  // A client that goes away during a write is not an error; 'close' follows.
  response.on('error', stop)
  signal?.addEventListener('abort', stop, { once: true })
  if (signal?.aborted === true || response.destroyed) stop()
  const heartbeat = setInterval(() => {
    if (!response.writableNeedDrain) response.write(serverSentHeartbeat)
  }, heartbeatMs)
  try {
    if (retryMs !== undefined) response.write(`retry: ${Math.max(0, Math.round(retryMs))}\n\n`)
    for await (const { events, note } of log.follow({
      signal: over.signal,
      after,
    })) {
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
    // Data that a stuck client has not received would keep the connection open.
    if (over.signal.aborted && response.writableNeedDrain) response.destroy()
    else response.end()
  }
}

/** Writes, and waits while the client does not keep up. */
async function send(response: ServerResponse, text: string, over: AbortSignal): Promise<void> {
  if (response.write(text) || over.aborted) return
  await new Promise<void>((done) => {
    const go = (): void => {
      response.off('drain', go)
      over.removeEventListener('abort', go)
      done()
    }
    response.once('drain', go)
    over.addEventListener('abort', go, { once: true })
  })
}
