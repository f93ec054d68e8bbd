import type { IncomingMessage, ServerResponse } from 'node:http'
import { encodeServerSentMessage, serverSentHeartbeat } from '@tenfold/core/internal'
import { sleep } from '@tenfold/core/internal/locks'
import {
  contentPolicy,
  type PageData,
  type PageEvent,
  type PageSession,
  type PageUpdate,
  renderPageData,
} from '@tenfold/view'
import { refuse, serveLocally } from '../terminal/local-server.ts'

const keepAlive = 15_000

/** Serves the page on a port of this machine. Port 0 picks a free one. */
export async function serveView(port: number, page: () => PageData) {
  const listeners = new Set<ServerResponse>()
  const server = await serveLocally(port, (request, response) => {
    const target = request.url ?? '/'
    if (request.method !== 'GET') return refuse(response, 405, 'This page is read-only.', headers)
    // A path such as `//[` parses as an invalid host.
    if (!URL.canParse(target, 'http://localhost'))
      return refuse(response, 400, 'This is not a valid address.', headers)
    const { pathname, searchParams } = new URL(target, 'http://localhost')
    if (pathname === '/') return sendPage(response, page())
    if (pathname !== '/events') return refuse(response, 404, 'There is no such page.', headers)
    const known = request.headers['last-event-id'] ?? searchParams.get('after')
    return listen(request, response, Number(known ?? Number.NaN))
  })

  function listen(request: IncomingMessage, response: ServerResponse, known: number): void {
    response.writeHead(200, { ...headers, 'content-type': 'text/event-stream; charset=utf-8' })
    // Otherwise the page came from another server, or missed updates while its connection was lost.
    const isCurrent = known === page().revision
    response.write(isCurrent ? serverSentHeartbeat : encodeServerSentMessage({ event: 'reload', data: '{}' }))
    listeners.add(response)
    request.once('close', () => listeners.delete(response))
  }

  const timer = setInterval(() => {
    for (const response of listeners) response.write(serverSentHeartbeat)
  }, keepAlive)
  timer.unref()
  return {
    url: `${server.url}/`,
    send(update: PageUpdate): void {
      const data = JSON.stringify(update)
      const text = encodeServerSentMessage({ event: 'update', id: String(update.revision), data })
      for (const response of listeners) response.write(text)
    },
    async close(): Promise<void> {
      clearInterval(timer)
      for (const response of listeners) response.end()
      await server.close()
    },
  }
}

const headers = {
  'cache-control': 'no-store',
  'cross-origin-resource-policy': 'same-origin',
  'referrer-policy': 'no-referrer',
  'x-content-type-options': 'nosniff',
}

async function sendPage(response: ServerResponse, data: PageData): Promise<void> {
  const html = await renderPageData(data)
  const policy = `${contentPolicy(true)}; frame-ancestors 'none'`
  response.writeHead(200, {
    ...headers,
    'content-type': 'text/html; charset=utf-8',
    'content-security-policy': policy,
  })
  response.end(html)
}

const lookEvery = 400
/** Pause between two readings of a log, as a multiple of the time that a reading took. */
const rest = 4

interface FollowOptions {
  state(): Promise<string>
  read(): Promise<Pick<Followed, 'session' | 'events'>>
  onUpdate(now: Followed, update: PageUpdate): void
  /** Called when reading failed. The next change may fix it, since a log may be written while it is read. */
  onFault(error: unknown): void
  readonly signal: AbortSignal
}

/** The current content. Revisions begin at the server's start time, so that pages of an earlier server are detected. */
export interface Followed {
  readonly session: PageSession
  readonly events: readonly PageEvent[]
  readonly revision: number
}

/** Reads the log from its beginning each time, because a later line can change the meaning of an earlier one. */
export async function followLog(first: Followed, options: FollowOptions): Promise<void> {
  const { read, onUpdate, onFault, signal } = options
  let texts = first.events.map((event) => JSON.stringify(event))
  let head = JSON.stringify(first.session)
  let { revision } = first
  let seen = ''
  while (!signal.aborted) {
    const started = performance.now()
    try {
      const state = await options.state()
      if (state !== seen) {
        const { session, events } = await read()
        seen = state
        const known = texts
        texts = events.map((event) => JSON.stringify(event))
        const changed = events.flatMap((event, index): [number, PageEvent][] =>
          texts[index] === known[index] ? [] : [[index, event]],
        )
        const nextHead = JSON.stringify(session)
        if (changed.length > 0 || texts.length !== known.length || nextHead !== head) {
          head = nextHead
          revision += 1
          onUpdate({ session, events, revision }, { revision, session, events: changed, count: texts.length })
        }
      }
    } catch (error) {
      if (signal.aborted) return
      onFault(error)
    }
    const took = performance.now() - started
    // Rejects only when the signal aborts, which the loop checks.
    await sleep(Math.max(lookEvery, took * rest), signal).catch(() => undefined)
  }
}
