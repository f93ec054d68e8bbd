/** A message of an event stream as a client sees it. */
export interface Message {
  readonly event: string
  readonly data: string
  /** The last id so far, including earlier messages. */
  readonly lastEventId: string
}

/**
 * Reads event streams by https://html.spec.whatwg.org/multipage/server-sent-events.html#event-stream-interpretation.
 */
export function eventStreamParser(onMessage: (message: Message) => void): (chunk: string) => void {
  let rest = ''
  let event = ''
  let data: string[] = []
  let lastEventId = ''
  return (chunk) => {
    rest += chunk
    // A line end may be split: one CR at the end may become CR LF.
    const lines = rest.split(/\r\n|\n|\r(?!$)/)
    rest = lines.pop() ?? ''
    for (const line of lines) {
      if (line === '') {
        if (data.length > 0) onMessage({ event: event || 'message', data: data.join('\n'), lastEventId })
        event = ''
        data = []
        continue
      }
      const colon = line.indexOf(':')
      if (colon === 0) continue
      const field = colon === -1 ? line : line.slice(0, colon)
      const value = colon === -1 ? '' : line.slice(colon + 1).replace(/^ /, '')
      if (field === 'event') event = value
      else if (field === 'data') data.push(value)
      else if (field === 'id' && !value.includes('\0')) lastEventId = value
    }
  }
}

/** All messages of a whole stream. */
export function parseEventStream(text: string): Message[] {
  const messages: Message[] = []
  eventStreamParser((message) => messages.push(message))(text)
  return messages
}
