import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import { encodeServerSentMessage, serverSentHeartbeat } from '@tenfold/core/internal'
import { contentPolicy, type PageData, type PageUpdate, renderPageData } from '@tenfold/view'
import { closeServer, isLocalRequest, listenLocally, localAddress } from '../terminal/local-server.ts'

const keepAlive = 15_000
/** Updates kept for pages that lose their connection; a page that missed older ones is loaded again. */
const keptUpdates = 500

export interface ServeOptions {
  /** 0 picks a free port. */
  readonly port: number
  page(): PageData
}

/** Serves a page and its updates to this machine only. Throws TenfoldError `port-in-use`. */
export async function serveView({ port, page }: ServeOptions) {
  const listeners = new Set<ServerResponse>()
  const updates: PageUpdate[] = []
  const server = createServer((request, response) => {
    if (!isLocalRequest(request)) return refuse(response, 403, 'This page is served to this machine only.')
    if (request.method !== 'GET') return refuse(response, 405, 'This page is read-only.')
    const target = request.url ?? '/'
    // A path such as `//[` parses as an invalid host.
    if (!URL.canParse(target, 'http://localhost'))
      return refuse(response, 400, 'This is not a valid address.')
    const { pathname, searchParams } = new URL(target, 'http://localhost')
    if (pathname === '/') return sendPage(response, page())
    if (pathname !== '/events') return refuse(response, 404, 'There is no such page.')
    const known = request.headers['last-event-id'] ?? searchParams.get('after')
    return listen(request, response, Number(known ?? Number.NaN))
  })

  function listen(request: IncomingMessage, response: ServerResponse, known: number): void {
    response.writeHead(200, { ...headers, 'content-type': 'text/event-stream; charset=utf-8' })
    const now = page().revision ?? 0
    const missed = updates.filter(({ revision }) => revision > known)
    // The page is of another server or too old, so no update leads from its state to the present one.
    if (!(known <= now) || missed.length < now - known)
      response.write(encodeServerSentMessage({ event: 'reload', data: '{}' }))
    else for (const update of missed) response.write(encodeUpdate(update))
    response.write(serverSentHeartbeat)
    listeners.add(response)
    request.once('close', () => listeners.delete(response))
  }

  const timer = setInterval(() => {
    for (const response of listeners) response.write(serverSentHeartbeat)
  }, keepAlive)
  timer.unref()
  const taken = await listenLocally(server, port)
  return {
    url: `http://${localAddress}:${taken}/`,
    send(update: PageUpdate): void {
      updates.push(update)
      if (updates.length > keptUpdates) updates.shift()
      const text = encodeUpdate(update)
      for (const response of listeners) response.write(text)
    },
    async close(): Promise<void> {
      clearInterval(timer)
      for (const response of listeners) response.end()
      await closeServer(server)
    },
  }
}

function encodeUpdate(update: PageUpdate): string {
  return encodeServerSentMessage({
    event: 'update',
    id: String(update.revision),
    data: JSON.stringify(update),
  })
}

const headers = {
  'cache-control': 'no-store',
  'cross-origin-resource-policy': 'same-origin',
  'referrer-policy': 'no-referrer',
  'x-content-type-options': 'nosniff',
}

function refuse(response: ServerResponse, status: number, message: string): void {
  response.writeHead(status, { ...headers, 'content-type': 'text/plain; charset=utf-8' }).end(`${message}\n`)
}

function sendPage(response: ServerResponse, data: PageData): void {
  const policy = `${contentPolicy(true)}; frame-ancestors 'none'`
  response.writeHead(200, {
    ...headers,
    'content-type': 'text/html; charset=utf-8',
    'content-security-policy': policy,
  })
  response.end(renderPageData(data))
}
