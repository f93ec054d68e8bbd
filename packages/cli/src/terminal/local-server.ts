import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { TenfoldError } from '@tenfold/core'

const address = '127.0.0.1'

/**
 * Serves only this machine, and refuses other host names that resolve to it (DNS rebinding). Port 0 picks a free port.
 * Throws TenfoldError `port-in-use`.
 */
export async function serveLocally(
  port: number,
  answer: (request: IncomingMessage, response: ServerResponse) => unknown,
) {
  const server = createServer((request, response) => {
    if (/^(?:127\.0\.0\.1|localhost)(?::\d+)?$/i.test(request.headers.host ?? '')) answer(request, response)
    else refuse(response, 403, `This server answers only to ${address} and localhost.`)
  })
  await new Promise<void>((done, fail) => {
    const message = `Port ${port} is in use; choose another one, or 0 for any free port.`
    server.once('error', (cause: NodeJS.ErrnoException) =>
      fail(cause.code === 'EADDRINUSE' ? new TenfoldError('port-in-use', message, { cause }) : cause),
    )
    server.listen(port, address, done)
  })
  return {
    url: `http://${address}:${(server.address() as AddressInfo).port}`,
    async close(): Promise<void> {
      const closed = new Promise((done) => server.close(done))
      server.closeAllConnections()
      await closed
    },
  }
}

export function refuse(response: ServerResponse, status: number, text: string, headers: object = {}): void {
  response.writeHead(status, { ...headers, 'content-type': 'text/plain; charset=utf-8' }).end(`${text}\n`)
}
