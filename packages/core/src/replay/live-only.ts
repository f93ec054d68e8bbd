import { isReplayed, type TaskEvent } from './task-event.ts'

/** Wraps a handler that has an effect, such as notifying or storing, so that it is not called for replayed events. */
export function liveOnly<E extends { readonly replayed?: unknown }, R>(
  handler: (event: E) => R,
): (event: E) => R | undefined {
  return (event) => (isReplayed(event) ? undefined : handler(event))
}

/** Returns the session of a live event; `undefined` for a replayed one, whose session is over. */
export function liveSessionId(event: TaskEvent): string | undefined {
  return isReplayed(event) ? undefined : event.session
}

const url = /\bhttps?:\/\/[^\s\u0000-\u001f\u007f-\u009f<>"'`\\{}|^]+/gi
const lastPunctuation = /[.,;:!?*_]$/
const closing = { ')': '(', ']': '[' } as const

/** Returns the distinct http(s) URLs in the text of a live event, without trailing punctuation; none for a replayed one. */
export function liveUrls(event: TaskEvent): readonly string[] {
  if (isReplayed(event)) return []
  const found = [...event.text.matchAll(url)].map(([match]) => trimmed(match))
  return [...new Set(found)].filter((text) => URL.canParse(text))
}

function trimmed(text: string): string {
  const open = { '(': count(text, '('), '[': count(text, '[') }
  const closed = { ')': count(text, ')'), ']': count(text, ']') }
  let end = text.length
  for (; end > 0; end--) {
    const last = text[end - 1] ?? ''
    if (last === ')' || last === ']') {
      if (closed[last] <= open[closing[last]]) break
      closed[last]--
    } else if (!lastPunctuation.test(last)) break
  }
  return text.slice(0, end)
}

function count(text: string, char: string): number {
  return text.split(char).length - 1
}
