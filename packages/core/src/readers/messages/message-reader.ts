import { createHash } from 'node:crypto'
import * as json from '../../session/json.ts'
import { chooseSession } from '../reader/choose-session.ts'
import type { Framing, LogHead, LogRecord, Reader, SessionListing, SessionWriter } from '../reader/reader.ts'
import { linesUnlessDocument } from '../shared/framing.ts'
import { createWriter, type Writer } from '../shared/writer.ts'
import { type MessageFamily, messageFamily } from './family.ts'

interface MessageFormat {
  readonly name: MessageFamily
  readonly shapes: MessageShapes
  /** Recognises a record of a recorded stream, if the API has them. */
  readonly isStreamed?: (record: unknown) => boolean
  createLog(writer: Writer): MessageLog
}

/** Creates the reader of one API's messages, in any of the layouts in which logs keep them. */
export function messageReader({ name, shapes, isStreamed, createLog }: MessageFormat): Reader {
  return {
    name,
    framing: isStreamed === undefined ? linesUnlessDocument : messageFraming,
    detect: (head) =>
      isStreamed !== undefined && isStream(head, isStreamed) ? 0.95 : familyScore(head, name),
    sessions: (records) => listConversations(records, shapes),
    read: async (records, out) => {
      await readMessageLog(records, out, shapes, createLog(createWriter(out)))
    },
  }
}

function isStream(head: LogHead, isStreamed: (record: unknown) => boolean): boolean {
  const records = firstRecords(head)
  const streamed = records.filter(isStreamed)
  return streamed.length > 0 && streamed.length > records.length / 2
}

function familyScore(head: LogHead, name: MessageFamily): number {
  const guess = messageFamily(head)
  return guess?.family === name ? guess.score : 0
}

interface ListedConversation extends SessionListing {
  readonly value: unknown
}

export interface MessageShapes {
  /** Whether a line alone is one message, item or stream event of a conversation over many lines. */
  isLine(value: unknown): boolean
  /** Whether a value holds a whole conversation: a list of messages, a request. */
  isConversation(value: unknown): boolean
}

/** The features that distinguish a log of messages from others of its kind. */
export interface MessageLog {
  readLine(value: unknown): void
  readConversation(value: unknown): string | undefined
  /** Called at the end of the log, for a stream that breaks off. */
  finish?(): void
}

/** Name of the one session of a log whose lines are messages or events. */
const wholeLog = 'log'

/**
 * Reads a log in any of its layouts: one conversation, one message per line, or several conversations. Of several,
 * reads the one asked for, or otherwise the last: if a log keeps each request, the last one holds all the others.
 */
async function readMessageLog(
  records: AsyncIterable<LogRecord>,
  out: SessionWriter,
  shapes: MessageShapes,
  log: MessageLog,
): Promise<void> {
  const listings: SessionListing[] = []
  let last: ListedConversation | undefined
  let read: { readonly listing: string; readonly own: string | undefined } | undefined
  for await (const record of records) {
    const value = recordValue(record)
    const conversations = conversationsIn(value, listings.length, shapes)
    if (conversations.length === 0) {
      if (value === undefined) absorbLine(record.text, out)
      else if (shapes.isLine(value)) log.readLine(value)
      else out.event({ type: 'other', name: nameOf(value), raw: value })
      continue
    }
    for (const conversation of conversations) {
      const { value: inner, ...listing } = conversation
      listings.push(listing)
      if (listing.id === out.sessionId && read === undefined)
        read = { listing: listing.id, own: log.readConversation(inner) }
      out.absorb('another conversation')
      last = conversation
    }
  }
  // Reports the other sessions, and rejects if the one asked for is not among them.
  if (listings.length > 0 || (out.sessionId !== undefined && out.sessionId !== wholeLog))
    chooseSession(listings, out)
  if (read === undefined && last !== undefined)
    read = { listing: last.id, own: log.readConversation(last.value) }
  const id = listings.length > 1 ? read?.listing : read?.own
  if (id !== undefined) out.meta({ id })
  log.finish?.()
}

/** Absorbs a line of server-sent events that holds no JSON. */
function absorbLine(text: string, out: SessionWriter): void {
  const isKnown = /^(?:(?:event|id|retry):|:|data: ?\[DONE\])/.test(text)
  if (isKnown) out.absorb('envelope of a stream')
  else if (text.trim() !== '') out.note('bad-line', 'a line that is not a server-sent event')
}

async function listConversations(
  records: AsyncIterable<LogRecord>,
  log: MessageShapes,
): Promise<readonly SessionListing[]> {
  const listings: SessionListing[] = []
  let hasLines = false
  for await (const record of records) {
    const value = recordValue(record)
    const conversations = conversationsIn(value, listings.length, log)
    for (const { value: _, ...listing } of conversations) listings.push(listing)
    hasLines ||= conversations.length === 0 && log.isLine(value)
  }
  return listings.length === 0 && hasLines ? [{ id: wholeLog }] : listings
}

function conversationsIn(value: unknown, before: number, log: MessageShapes): ListedConversation[] {
  if (log.isConversation(value)) return [{ ...listingOf(value, before + 1), value }]
  const list = json.list(value)
  if (list.length === 0 || !list.every((item) => log.isConversation(item))) return []
  const ids = new Set<string>()
  return list.map((item, index) => {
    const listing = listingOf(item, before + index + 1)
    const id = ids.has(listing.id) ? `${listing.id}-${index + 1}` : listing.id
    ids.add(id)
    return { ...listing, id, value: item }
  })
}

function listingOf(value: unknown, number: number): SessionListing {
  const object: json.Fields = json.fields(value)
  const task = idText(object.task_id)
  const trial = idText(object.trial)
  const id =
    idText(object.conversation_id) ??
    idText(object.session_id) ??
    idText(object.custom_id) ??
    (task === undefined || trial === undefined ? task : `${task}-${trial}`) ??
    idText(object.id)
  const title = json.text(object.title)
  return { id: id ?? `${number}-${digestOf(value)}`, ...(title !== undefined && { title }) }
}

/** Distinguishes conversations of different logs that have no id. */
function digestOf(value: unknown): string {
  return createHash('sha256').update(JSON.stringify(value)).digest('hex').slice(0, 8)
}

function idText(value: unknown): string | undefined {
  return typeof value === 'number' && Number.isSafeInteger(value) ? String(value) : json.text(value)
}

function nameOf(value: unknown): string {
  const object = json.object(value)
  return object === undefined ? 'no-object' : (json.text(object.type) ?? json.text(object.role) ?? 'untyped')
}

const sentLine = /^(?:event|data|id|retry):|^:/

/**
 * Whether a log holds the lines of a stream as they were sent.
 * https://html.spec.whatwg.org/multipage/server-sent-events.html
 */
function isSent({ records, document, text }: LogHead): boolean {
  return document === undefined && records.length === 0 && sentLine.test(text.trimStart())
}

function messageFraming(head: LogHead): Framing {
  if (head.document !== undefined) return 'document'
  return isSent(head) ? 'text' : 'lines'
}

function firstRecords(head: LogHead): readonly unknown[] {
  if (!isSent(head)) return head.records
  return head.text.split('\n', 200).flatMap((line) => sentValue(line) ?? [])
}

/** The value of a record; `undefined` if it is a line of server-sent events without data. */
function recordValue({ value, text }: LogRecord): unknown {
  return value === undefined ? sentValue(text) : value
}

function sentValue(line: string): unknown {
  return line.startsWith('data:') ? json.parse(line.slice('data:'.length)) : undefined
}
