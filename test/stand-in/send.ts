import type { ServerResponse } from 'node:http'
import { setTimeout as sleep } from 'node:timers/promises'
import type { Reply } from './reply.ts'

/** Writes a reply, frame by frame. Ends early if the client is gone; leaves the socket open after `hang`. */
export async function send(response: ServerResponse, reply: Reply): Promise<void> {
  const { status, headers, frames, after = 'end' } = reply
  const [only] = frames
  if (frames.length === 1 && only !== undefined && after === 'end' && only.delayMs === undefined) {
    response.writeHead(status, headers).end(only.text)
    return
  }
  response.writeHead(status, headers)
  response.flushHeaders()
  for (const frame of frames) {
    // Each frame is its own chunk on the wire.
    await sleep(frame.delayMs ?? 0, undefined, { ref: false })
    if (response.destroyed) return
    if (frame.text !== '') await new Promise<void>((resolve) => response.write(frame.text, () => resolve()))
  }
  if (after === 'end') response.end()
  if (after === 'destroy') {
    // Lets what was written arrive first.
    await sleep(10)
    response.destroy()
  }
}
