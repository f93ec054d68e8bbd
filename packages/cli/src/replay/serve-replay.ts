import { createServer } from 'node:http'
import { cleanLine, createEventLog, serveEvents } from '@tenfold/core'
import type { CommandContext } from '../terminal/command-context.ts'
import { failureOf } from '../terminal/failure.ts'
import { untilAborted } from '../terminal/interrupt.ts'
import { closeServer, isLocalRequest, listenLocally, localAddress } from '../terminal/local-server.ts'
import { formatNumberOf } from '../terminal/numbers.ts'
import type { Replay } from './timeline-lines.ts'

const path = '/events'

/** Serves a replay as server-sent events to this machine only, until Ctrl-C. Throws TenfoldError `port-in-use`. */
export async function serveReplay(
  { session, events }: Replay,
  port: number,
  { terminal, signal }: CommandContext,
): Promise<void> {
  const log = createEventLog()
  for (const event of events) log.add(event)
  log.end()
  const handle = serveEvents(log, { signal })
  const server = createServer((request, response) => {
    const refuse = (status: number, text: string): void => {
      response.writeHead(status, { 'content-type': 'text/plain; charset=utf-8' }).end(`${text}\n`)
    }
    if (!isLocalRequest(request)) refuse(403, `This server answers only to ${localAddress} and localhost.`)
    else if (request.url?.split('?', 1)[0] !== path) refuse(404, `The events are at ${path}.`)
    else handle(request, response).catch((error: unknown) => terminal.fail(failureOf(error).message))
  })
  const taken = await listenLocally(server, port)
  terminal.print(
    `Serving ${formatNumberOf(events.length, 'replayed event')} of session ${cleanLine(session.id)} at http://${localAddress}:${taken}${path} (press Ctrl-C to stop)`,
  )
  await untilAborted(signal)
  await closeServer(server)
}
