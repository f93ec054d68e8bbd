import { percentDecoded } from '../session/percent-decoded.ts'
import type { TaskEvent } from './task-event.ts'

/** One message of an event stream. */
export interface ServerSentMessage {
  readonly event?: string
  /** The value that `Last-Event-ID` returns later, percent-encoded except for visible ASCII; omitted if too long. */
  readonly id?: string
  readonly data: string
}

/** Longer ids would not fit into the request header that returns them. */
const maxIdLength = 1000

/**
 * Encodes a message as the text of an event stream, no matter how many lines its data has; line ends in it become `\n`
 * (https://html.spec.whatwg.org/multipage/server-sent-events.html). An event name is cut at its first line end.
 */
export function encodeServerSentMessage({ event, id, data }: ServerSentMessage): string {
  const wireId = id === undefined ? undefined : encodeEventId(id)
  const name = event?.split(/[\r\n]/, 1)[0] ?? ''
  const lines = data.split(/\r\n|\r|\n/).map((line) => `data: ${line}\n`)
  return `${wireId === undefined ? '' : `id: ${wireId}\n`}${name === '' ? '' : `event: ${name}\n`}${lines.join('')}\n`
}

/** Encodes a task event as a message of an event stream, named by its type; the data is the event as JSON. */
export function encodeServerSentEvent(event: TaskEvent): string {
  return encodeServerSentMessage({ event: event.type, id: event.id, data: JSON.stringify(event) })
}

/** A comment, which clients ignore. Keeps alive a connection that would otherwise be silent. */
export const serverSentHeartbeat = ': heartbeat\n\n'

/**
 * An id in the form that a stream can hold, or `undefined` if there is none: a client then names the event before it.
 */
function encodeEventId(id: string): string | undefined {
  if (id === '' || !id.isWellFormed()) return undefined
  const encoded = /^[!-$&-~]+$/.test(id) ? id : encodeURIComponent(id)
  return encoded.length > maxIdLength ? undefined : encoded
}

/** The id in a `Last-Event-ID` header, or `undefined` if there is none. */
export function decodeEventId(header: string | undefined): string | undefined {
  if (header === undefined || header === '') return undefined
  // What is not encoded here is not a known id either.
  return percentDecoded(header) ?? header
}
