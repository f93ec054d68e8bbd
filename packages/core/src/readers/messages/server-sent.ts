import { parseJson } from '../../session/json-values.ts'
import type { Framing, LogHead, LogRecord } from '../reader/reader.ts'

const sentLine = /^(?:event|data|id|retry):|^:/

/**
 * Whether a log holds the lines of a stream as they were sent.
 * https://html.spec.whatwg.org/multipage/server-sent-events.html
 */
function isSent({ records, document, text }: LogHead): boolean {
  return document === undefined && records.length === 0 && sentLine.test(text.trimStart())
}

/** The framing of a log of messages: a document, lines of JSON, or the text of server-sent events. */
export function messageFraming(head: LogHead): Framing {
  if (head.document !== undefined) return 'document'
  return isSent(head) ? 'text' : 'lines'
}

/** The first records of a log, including those of server-sent events. */
export function firstRecords(head: LogHead): readonly unknown[] {
  if (!isSent(head)) return head.records
  return head.text.split('\n', 200).flatMap((line) => sentValue(line) ?? [])
}

/** The value of a record; `undefined` if it is a line of server-sent events without data. */
export function recordValue({ value, text }: LogRecord): unknown {
  return value === undefined ? sentValue(text) : value
}

function sentValue(line: string): unknown {
  return line.startsWith('data:') ? parseJson(line.slice('data:'.length)) : undefined
}
