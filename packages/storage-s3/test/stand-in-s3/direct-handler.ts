import { Readable } from 'node:stream'
import type { S3ClientConfig } from '@aws-sdk/client-s3'
import { type FaultPlan, type Outcome, runFault } from './fault-plan.ts'
import type { Reply, Request } from './message.ts'
import type { S3StandIn } from './s3-stand-in.ts'

interface SdkRequest {
  readonly method: string
  readonly path: string
  readonly query?: Readonly<Record<string, string | readonly string[] | null>>
  readonly headers: Readonly<Record<string, string>>
  readonly body?: unknown
}

/**
 * Lets an SDK client talk to the stand-in without a network, so that thousands of runs take seconds. Each request waits
 * a number of turns that the plan picks, before it takes effect and after, so that writers meet in every order.
 */
export function directHandler(
  standIn: S3StandIn,
  plan?: FaultPlan,
): NonNullable<S3ClientConfig['requestHandler']> {
  const turns = async (most: number): Promise<void> => {
    for (let left = plan?.pick(most + 1) ?? 0; left > 0; left--)
      await new Promise((resolve) => setImmediate(resolve))
  }
  const handler = {
    metadata: { handlerProtocol: 'http/1.1' },
    async handle(sent: SdkRequest) {
      const request = toRequest(sent)
      await turns(4)
      const fault = plan?.next(request)
      const later = (run: () => void): void => void turns(12).then(run)
      const outcome =
        fault === undefined
          ? { reply: standIn.respond(request) }
          : runFault(fault, request, standIn.respond, later)
      await turns(4)
      return { response: toResponse(outcome) }
    },
    destroy() {},
    updateHttpClientConfig() {},
    httpHandlerConfigs: () => ({}),
  }
  // The SDK's type demands its own class of responses, but the SDK reads only the fields.
  return handler as unknown as NonNullable<S3ClientConfig['requestHandler']>
}

function toRequest({ method, path, query = {}, headers, body }: SdkRequest): Request {
  const search = new URLSearchParams()
  for (const [name, value] of Object.entries(query)) search.append(name, String(value ?? ''))
  const bytes =
    body instanceof Uint8Array ? Buffer.from(body) : Buffer.from(typeof body === 'string' ? body : '')
  const lower = Object.fromEntries(
    Object.entries(headers).map(([name, value]) => [name.toLowerCase(), value]),
  )
  return { method, path, query: search.toString(), headers: lower, body: bytes }
}

function toResponse(outcome: Outcome): {
  statusCode: number
  headers: Record<string, string>
  body: Readable
} {
  if (outcome === 'reset') throw Object.assign(new Error('socket hang up'), { code: 'ECONNRESET' })
  if (outcome === 'silence') throw Object.assign(new Error('timed out'), { name: 'TimeoutError' })
  const { reply, cut } = outcome
  const body = cut === true ? cutBody(reply) : Readable.from(reply.body.byteLength > 0 ? [reply.body] : [])
  return { statusCode: reply.status, headers: { ...reply.headers }, body }
}

function cutBody({ body }: Reply): Readable {
  let sent = false
  return new Readable({
    read() {
      if (!sent && body.byteLength > 1) this.push(body.subarray(0, body.byteLength >> 1))
      else this.destroy(Object.assign(new Error('aborted'), { code: 'ECONNRESET' }))
      sent = true
    },
  })
}
