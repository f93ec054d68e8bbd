import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { buffer } from 'node:stream/consumers'
import { type FaultPlan, type Outcome, runFault } from './fault-plan.ts'
import type { Reply, Request } from './message.ts'
import type { S3StandIn } from './s3-stand-in.ts'

export interface StandInServer {
  readonly endpoint: string
  close(): Promise<void>
}

/** Serves the stand-in on a free port of 127.0.0.1. `answer` may answer in its place. */
export async function serveStandIn(
  standIn: S3StandIn,
  options: { readonly plan?: FaultPlan; readonly answer?: (request: Request) => Reply | undefined } = {},
): Promise<StandInServer> {
  const waiting = new Set<NodeJS.Timeout>()
  const later = (run: () => void): void => {
    const timer = setTimeout(() => {
      waiting.delete(timer)
      run()
    }, 300)
    waiting.add(timer)
  }
  const server = createServer((incoming, response) => {
    buffer(incoming).then(
      (body) => {
        const request = toRequest(incoming, body)
        const given = options.answer?.(request)
        const fault = given === undefined ? options.plan?.next(request) : undefined
        if (fault !== undefined) send(response, request, runFault(fault, request, standIn.respond, later))
        else send(response, request, { reply: given ?? standIn.respond(request) })
      },
      // The client went away while it was sending.
      () => incoming.destroy(),
    )
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  return {
    endpoint: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    async close() {
      for (const timer of waiting) clearTimeout(timer)
      server.closeAllConnections()
      await new Promise((resolve) => server.close(resolve))
    },
  }
}

function toRequest(incoming: IncomingMessage, body: Buffer): Request {
  const [path = '/', query = ''] = (incoming.url ?? '/').split('?', 2)
  const headers = Object.fromEntries(
    Object.entries(incoming.headers).map(([name, value]) => [
      name,
      Array.isArray(value) ? value.join(',') : value,
    ]),
  )
  return { method: incoming.method ?? '', path, query, headers, body }
}

function send(response: ServerResponse, request: Request, outcome: Outcome): void {
  if (outcome === 'silence') return
  if (outcome === 'reset') {
    response.destroy()
    return
  }
  const { reply, cut } = outcome
  const length = reply.headers['content-length'] ?? String(reply.body.byteLength)
  response.writeHead(reply.status, { ...reply.headers, 'content-length': length })
  if (cut !== true || request.method === 'HEAD') response.end(reply.body)
  else response.write(reply.body.subarray(0, reply.body.byteLength >> 1), () => response.destroy())
}
