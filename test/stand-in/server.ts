import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { setTimeout as sleep } from 'node:timers/promises'
import { broken } from './break-reply.ts'
import type { Provider, StandInCall } from './call.ts'
import { jsonOf } from './call.ts'
import { callModel } from './model-call.ts'
import { formParts } from './openai/openai-files.ts'
import { errorOf, errorReply, invalid } from './provider-error.ts'
import { textReply } from './reply.ts'
import { type Route, routeOf } from './routes.ts'
import { isScenario, type Scenario, scenarioOfHeader, toScenario } from './scenarios.ts'
import { send } from './send.ts'
import type { StandInRequest, State } from './state.ts'
import { isError } from './wire.ts'

type Recorded = { -readonly [K in keyof StandInRequest]: StandInRequest[K] }

/** What the server needs to handle each request. */
export interface Script {
  readonly keys: readonly string[] | undefined
  /** The scenario of a request; `scripted` requests take it from the queue. */
  next(request: StandInRequest, scripted: boolean): Scenario | undefined
  always(): Scenario | undefined
  /** Waits until no hold stops the request. */
  held(request: StandInRequest, isCall: boolean): Promise<void>
  readonly received: string[]
  /** Model calls that are open. */
  opened(change: 1 | -1): void
}

/** Listens on the loopback interface. */
export async function listen(
  state: State,
  routes: readonly Route[],
  script: Script,
): Promise<{ url: string; close: () => Promise<void> }> {
  const server = createServer((incoming, response) => {
    serve(state, routes, script, incoming, response).catch((error: unknown) => {
      // A client that went away while its request came in is not a fault.
      if (incoming.destroyed && !incoming.complete) return
      const text = error instanceof Error ? (error.stack ?? error.message) : String(error)
      if (response.headersSent) response.destroy()
      else
        response
          .writeHead(501, { 'content-type': 'text/plain', 'x-should-retry': 'false' })
          .end(`stand-in: ${text}`)
    })
  })
  // A real service keeps a connection longer than any test takes.
  server.keepAliveTimeout = 60_000
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject)
    server.listen(0, '127.0.0.1', resolve)
  })
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
  return {
    url,
    close: () =>
      new Promise((resolve, reject) => {
        server.close((error) => (error === undefined ? resolve() : reject(error)))
        server.closeAllConnections()
      }),
  }
}

async function serve(
  state: State,
  routes: readonly Route[],
  script: Script,
  incoming: IncomingMessage,
  response: ServerResponse,
): Promise<void> {
  const request = await record(incoming, script.received)
  state.requests.push(request)
  response.on('close', () => {
    request.aborted = !response.writableFinished && !ours
    if (response.headersSent) request.status = response.statusCode
  })
  let ours = false
  const reset = () => {
    ours = true
    incoming.socket.resetAndDestroy()
  }
  const found = routeOf(routes, request)
  if (found === undefined) {
    const provider = providerOf(request)
    return send(
      response,
      errorReply(provider, { status: 404, message: `Not found: ${request.method} ${request.path}` }),
    )
  }
  const { route, id } = found
  const { provider } = route
  const denied = authFault(request, provider, script.keys)
  if (denied) {
    const message = provider === 'anthropic' ? 'invalid x-api-key' : 'Incorrect API key provided: ****.'
    const code = provider === 'openai' ? { code: 'invalid_api_key' } : {}
    return send(response, errorReply(provider, { status: 401, message, ...code }))
  }
  const scripted = 'wire' in route || route.scripted === true
  const laidOut = script.next(request, scripted)
  let call: StandInCall | undefined
  let own: string | object | undefined
  let scenario: Scenario = laidOut ?? (scripted ? script.always() : undefined) ?? { scenario: 'ok' }
  if ('wire' in route) {
    const read =
      typeof request.body === 'object' && request.body !== null
        ? route.wire.read(jsonOf(request.body), request.headers)
        : invalid('The body is not valid JSON')
    if (isError(read)) return send(response, errorReply(provider, read))
    call = read
    const answered = state.answer?.(read)
    if (isScenario(answered)) scenario = laidOut ?? answered
    else own = answered
  }

  let lost: 'none' | 'hang' | 'destroy' = 'none'
  if (call !== undefined) {
    script.opened(1)
    response.on('close', () => script.opened(-1))
  }
  await script.held(request, call !== undefined)
  for (;;) {
    if (scenario.scenario === 'slow') await sleep(scenario.ms, undefined, { ref: false })
    else if (scenario.scenario === 'lost_reply') lost = 'destroy'
    else break
    scenario = toScenario(scenario.next ?? 'ok')
  }
  if (scenario.scenario === 'connection_reset') return reset()
  if (scenario.scenario === 'stall_headers') lost = 'hang'
  if (response.destroyed) return
  const error = errorOf(scenario, provider, call)
  const reply =
    error !== undefined
      ? errorReply(provider, error)
      : 'wire' in route && call !== undefined
        ? callModel(state, route.wire, call, scenario, own, lost !== 'none')
        : 'handle' in route
          ? broken(route.handle(request, id, scenario), scenario, undefined, provider)
          : textReply(500, '', {})
  if (lost === 'hang') return
  if (lost === 'destroy') return reset()
  ours = reply.after === 'destroy'
  return send(response, reply)
}

async function record(incoming: IncomingMessage, received: string[]): Promise<Recorded> {
  const chunks: Buffer[] = []
  for await (const chunk of incoming) chunks.push(chunk as Buffer)
  const text = Buffer.concat(chunks).toString('utf8')
  const url = new URL(incoming.url ?? '/', 'http://127.0.0.1')
  const method = incoming.method ?? 'GET'
  received.push(`${method} ${incoming.url}\n${incoming.rawHeaders.join('\n')}\n\n${text}\n`)
  return {
    method,
    path: url.pathname.replace(/(.)\/$/, '$1'),
    query: Object.fromEntries(url.searchParams),
    headers: incoming.headers,
    body: parsed(text, incoming.headers['content-type'] ?? ''),
    text,
    at: Date.now(),
    status: undefined,
    aborted: false,
  }
}

function parsed(text: string, contentType: string): unknown {
  if (contentType.startsWith('multipart/form-data'))
    return Object.fromEntries(formParts(text, contentType).map((part) => [part.name, part.value]))
  try {
    return text === '' ? undefined : (JSON.parse(text) as unknown)
  } catch {
    // The endpoint answers 400 if it needs a body.
    return undefined
  }
}

function authFault(
  request: StandInRequest,
  provider: Provider,
  keys: readonly string[] | undefined,
): boolean {
  if (provider === 'ollama') return false
  const { authorization, 'x-api-key': plain } = request.headers
  const key = /^Bearer (\S.*)$/i.exec(authorization ?? '')?.[1] ?? (typeof plain === 'string' ? plain : '')
  return key === '' || (keys !== undefined && !keys.includes(key))
}

function providerOf(request: StandInRequest): Provider {
  if (request.path.startsWith('/api/')) return 'ollama'
  return request.headers['anthropic-version'] === undefined ? 'openai' : 'anthropic'
}

/** The scenario that the request itself asks for. */
export function headerScenario(request: StandInRequest): Scenario | undefined {
  const header = request.headers['x-scenario']
  return typeof header === 'string' && header !== '' ? scenarioOfHeader(header) : undefined
}
