/**
 * A piece of a reply, written at once. `head` comes before the answer, `delta` is a part of it, `end` closes it, and
 * `close` marks the reply as complete.
 */
export interface Frame {
  readonly text: string
  readonly part: 'head' | 'delta' | 'end' | 'close'
  /** Number of characters of the answer in it. */
  readonly chars?: number
  /** Wait before it is sent. */
  readonly delayMs?: number
}

export interface Reply {
  readonly status: number
  readonly headers: Readonly<Record<string, string>>
  readonly frames: readonly Frame[]
  /** What happens to the connection after the last frame. @default 'end' */
  readonly after?: 'end' | 'destroy' | 'hang'
}

/** A reply with a JSON body. */
export function jsonReply(status: number, body: unknown, headers: Record<string, string> = {}): Reply {
  return textReply(status, JSON.stringify(body), { 'content-type': 'application/json', ...headers })
}

/** A reply with any body. */
export function textReply(status: number, text: string, headers: Record<string, string>): Reply {
  return { status, headers, frames: [{ text, part: 'close' }] }
}

/** One event of a stream of server-sent events; only its data if it has no name. */
export function sseEvent(data: unknown, name?: string): string {
  return `${name === undefined ? '' : `event: ${name}\n`}data: ${JSON.stringify(data)}\n\n`
}

/** Cuts a text into about five pieces, never inside a surrogate pair. */
export function pieces(text: string): string[] {
  const size = Math.max(12, Math.ceil(text.length / 5))
  const out: string[] = []
  for (let start = 0; start < text.length; ) {
    let end = Math.min(text.length, start + size)
    if (end < text.length && /[\uD800-\uDBFF]/.test(text[end - 1] ?? '')) end += 1
    out.push(text.slice(start, end))
    start = end
  }
  return out
}
