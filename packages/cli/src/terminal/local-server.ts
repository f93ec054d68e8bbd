import type { IncomingMessage, Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { TenfoldError } from '@tenfold/core'

export const localAddress = '127.0.0.1'

/** Listens on 127.0.0.1 and returns the port; 0 picks a free one. Throws TenfoldError `port-in-use`. */
export async function listenLocally(server: Server, port: number): Promise<number> {
  await new Promise<void>((done, fail) => {
    const message = `Port ${port} is in use; choose another one, or 0 for any free port.`
    server.once('error', (cause: NodeJS.ErrnoException) =>
      fail(cause.code === 'EADDRINUSE' ? new TenfoldError('port-in-use', message, { cause }) : cause),
    )
    server.listen(port, localAddress, done)
  })
  return (server.address() as AddressInfo).port
}

export async function closeServer(server: Server): Promise<void> {
  const closed = new Promise((done) => server.close(done))
  server.closeAllConnections()
  await closed
}

/** False for a page of another site whose name points to this machine (DNS rebinding). */
export function isLocalRequest({ headers }: IncomingMessage): boolean {
  return /^(?:127\.0\.0\.1|localhost)(?::\d+)?$/i.test(headers.host ?? '')
}
