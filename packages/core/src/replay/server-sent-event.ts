import type { TaskEvent } from './task-event.ts'

/** One message of an event stream. */
export interface ServerSentMessage {
  readonly event?: string
  /** What `Last-Event-ID` gives back later. Anything but visible ASCII is percent-encoded; left out where that is too long. */
  readonly id?: string
  readonly data: string
}

/** Longer ids would not fit into the request header that gives them back. */
const maxIdLength = 1000

/**
 * A message as the text of an event stream, however many lines its data has; line ends in it become `\n`
 * (https://html.spec.whatwg.org/multipage/server-sent-events.html). An event name is cut at its first line end.
 */
export function encodeServerSentMessage({ event, id, data }: ServerSentMessage): string {
  const wireId = id === undefined ? undefined : encodeEventId(id)
  const name = event?.split(/[\r\n]/, 1)[0] ?? ''
  const lines = data.split(/\r\n|\r|\n/).map((line) => `data: ${line}\n`)
  return `${wireId === undefined ? '' : `id: ${wireId}\n`}${name === '' ? '' : `event: ${name}\n`}${lines.join('')}\n`
}

/** A task event as a message of an event stream: named by its type, its data the event as JSON, with `replayed` where it is. */
export function encodeServerSentEvent(event: TaskEvent): string {
  return encodeServerSentMessage({ event: event.type, id: event.id, data: JSON.stringify(event) })
}

/** A comment, which clients ignore: keeps a connection alive that would else be silent. */
export const serverSentHeartbeat = ': heartbeat\n\n'

/** An id as it stands in a stream, or `undefined` where it cannot: a client then names the event before it. */
function encodeEventId(id: string): string | undefined {
  if (id === '' || !id.isWellFormed()) return undefined
  const encoded = /^[!-$&-~]+$/.test(id) ? id : encodeURIComponent(id)
  return encoded.length > maxIdLength ? undefined : encoded
}

/** The id that a `Last-Event-ID` header names; `undefined` where it names none. */
export function decodeEventId(header: string | undefined): string | undefined {
  if (header === undefined || header === '') return undefined
  try {
    return decodeURIComponent(header)
  } catch (error) {
    // Not made here, so it is no known id either.
    if (error instanceof URIError) return header
    throw error
  }
}
