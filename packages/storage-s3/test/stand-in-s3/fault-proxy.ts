import { Agent, createServer, request as forward, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { buffer } from 'node:stream/consumers'
import { setTimeout as sleep } from 'node:timers/promises'
import { type Fault, type FaultPlan, faultPlan } from './fault-plan.ts'
import { errorReply } from './message.ts'

/** Faults that a proxy can cause without knowing how the store would answer. */
const proxyFaults = [
  ...([
    'lost-reply',
    'error-500',
    'error-500-after',
    'slow-down',
    'time-out',
    'time-out-after',
    'cut-body',
  ] as const),
] satisfies Fault[]

export interface FaultProxy {
  readonly endpoint: string
  readonly plan: FaultPlan
  close(): Promise<void>
}

interface Answer {
  readonly status: number
  readonly headers: IncomingMessage['headers']
  readonly body: Buffer
}

/**
 * Runs on a free port in front of a real server: forwards each request as it came, host name included, so that
 * signatures hold, and by a seeded plan delays it, cuts it, answers in its place, or drops what the server said.
 */
export async function startFaultProxy(
  target: string,
  options: { readonly seed: number; readonly rate: number; readonly maxDelayMs?: number },
): Promise<FaultProxy> {
  const plan = faultPlan(options.seed, options.rate, proxyFaults)
  const agent = new Agent({ keepAlive: true, maxSockets: 64 })
  const upstream = new URL(target)

  async function ask(incoming: IncomingMessage, body: Buffer): Promise<Answer> {
    const { method, url: path, headers } = incoming
    const answer = await new Promise<IncomingMessage>((resolve, reject) => {
      const asked = forward(
        { host: upstream.hostname, port: upstream.port, agent, method, path, headers },
        resolve,
      )
      asked.on('error', reject)
      asked.end(body)
    })
    return { status: answer.statusCode ?? 502, headers: answer.headers, body: await buffer(answer) }
  }

  async function handle(incoming: IncomingMessage, response: ServerResponse): Promise<void> {
    const body = await buffer(incoming)
    const fault = plan.next({ method: incoming.method ?? '', path: '', query: '', headers: {}, body })
    await sleep(plan.pick((options.maxDelayMs ?? 3) + 1))
    if (fault === 'time-out') return
    if (fault === 'error-500') return answerError(response, 500, 'InternalError')
    if (fault === 'slow-down') return answerError(response, 503, 'SlowDown')
    const answer = await ask(incoming, body)
    if (fault === 'time-out-after') return
    if (fault === 'error-500-after') return answerError(response, 500, 'InternalError')
    if (fault === 'lost-reply') return void response.destroy()
    const { connection: _, 'transfer-encoding': __, ...headers } = answer.headers
    const length = headers['content-length'] ?? String(answer.body.byteLength)
    response.writeHead(answer.status, { ...headers, 'content-length': length })
    if (fault !== 'cut-body' || incoming.method === 'HEAD') return void response.end(answer.body)
    response.write(answer.body.subarray(0, answer.body.byteLength >> 1), () => response.destroy())
  }

  const server = createServer((incoming, response) => {
    // Either the client or the server went away: in both cases this connection is of no more use.
    handle(incoming, response).catch(() => response.destroy())
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  return {
    endpoint: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    plan,
    async close() {
      server.closeAllConnections()
      await new Promise((resolve) => server.close(resolve))
      agent.destroy()
    },
  }
}

function answerError(response: ServerResponse, status: number, code: string): void {
  const { headers, body } = errorReply(status, code, 'Made by the fault proxy.')
  response.writeHead(status, { ...headers, 'content-length': body.byteLength })
  response.end(body)
}
