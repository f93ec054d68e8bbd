import { createHash } from 'node:crypto'
import * as json from '../../session/json.ts'
import { known } from '../../session/known.ts'
import { chooseSession } from '../reader/choose-session.ts'
import type { LogHead, LogRecord, Reader, SessionListing, SessionWriter } from '../reader/reader.ts'
import { linesUnlessDocument } from '../shared/framing.ts'
import { createWriter, type Writer } from '../shared/writer.ts'
import { type MessageFamily, messageFamily } from './family.ts'

interface MessageFormat {
  readonly name: MessageFamily
  /** Paths of a conversation's message list; the conversation itself may be such a list. */
  readonly places: readonly string[]
  /** Whether a value is a message or an item, so that a list of them is a conversation. */
  isItem(value: unknown): boolean
  /** Whether a single line is part of a conversation over many lines. @default items and stream records */
  isLine?(value: unknown): boolean
  /** Whether a value is a complete answer, which may also be next to its request. */
  isAnswer?(value: unknown): boolean
  /** Recognizes a record of a recorded stream, if the API has them. */
  isStreamed?(record: unknown): boolean
  listOf?(value: unknown): readonly unknown[] | undefined
  idOf?(conversation: json.Fields): string | undefined
  createLog(writer: Writer): MessageLog
}

interface MessageLog {
  /** Reads an item, an answer, or a record of a stream. */
  read(value: unknown): unknown
  /** Reads the object around the list, before the list: the model, a system prompt. */
  begin?(holder: json.Fields): void
  /** Reads the rest of a conversation, after the list. */
  end?(conversation: json.Fields): void
  /** Called at the end of the log, for an incomplete stream. */
  finish?(): void
}

export function messageReader(format: MessageFormat): Reader {
  const { name, isStreamed } = format
  return {
    name,
    framing: (head) => (isStreamed !== undefined && isSent(head) ? 'text' : linesUnlessDocument(head)),
    detect(head) {
      if (isStreamed !== undefined && isStream(head, isStreamed)) return 0.95
      const guess = messageFamily(head)
      return guess?.family === name ? guess.score : 0
    },
    sessions: (records) => listConversations(records, format),
    read: (records, out) => readMessageLog(records, out, format),
  }
}

function isStream(head: LogHead, isStreamed: (record: unknown) => boolean): boolean {
  const sent = (): unknown[] => head.text.split('\n', 200).flatMap((line) => sentValue(line) ?? [])
  const records = isSent(head) ? sent() : head.records
  const streamed = records.filter(isStreamed).length
  return streamed > 0 && streamed > records.length / 2
}

type ListedConversation = SessionListing & { readonly value: unknown }

const wholeLog = 'log'

/** Reads the requested one of several conversations, or the last one, which includes the others if each request was kept. */
async function readMessageLog(records: AsyncIterable<LogRecord>, out: SessionWriter, format: MessageFormat) {
  const writer = createWriter(out)
  const log = format.createLog(writer)
  const listings: SessionListing[] = []
  let last: ListedConversation | undefined
  let read: { readonly listing: string; readonly own: string | undefined } | undefined
  const readListed = ({ id, value }: ListedConversation): typeof read => ({
    listing: id,
    own: readConversation(writer, log, format, value),
  })
  for await (const record of records) {
    const value = recordValue(record)
    const conversations = conversationsIn(value, listings.length, format)
    if (conversations.length === 0) {
      if (value === undefined) absorbLine(record.text, out)
      else if (isLine(value, format)) log.read(value)
      else writer.other(value, json.object(value) === undefined ? 'no-object' : undefined)
      continue
    }
    for (const conversation of conversations) {
      const { value: _, ...listing } = conversation
      listings.push(listing)
      if (listing.id === out.sessionId && read === undefined) read = readListed(conversation)
      out.absorb('another conversation')
      last = conversation
    }
  }
  // Reports the other sessions, and rejects if the requested one is not among them.
  if (listings.length > 0 || (out.sessionId !== undefined && out.sessionId !== wholeLog))
    chooseSession(listings, out)
  if (read === undefined && last !== undefined) read = readListed(last)
  const id = listings.length > 1 ? read?.listing : read?.own
  if (id !== undefined) out.meta({ id })
  log.finish?.()
}

function isLine(value: unknown, { isItem, isLine, isStreamed }: MessageFormat): boolean {
  return isLine?.(value) ?? (isItem(value) || isStreamed?.(value) === true)
}

function openConversation(value: unknown, { isItem, listOf, places }: MessageFormat) {
  const own = listOf?.(value) ?? (Array.isArray(value) && value.some(isItem) ? value : undefined)
  if (own !== undefined) return { list: own, holder: json.fields(value) }
  for (const place of places.map((path) => path.split('.'))) {
    const list = json.list(value, ...place)
    if (list.some(isItem)) return { list, holder: json.fields(value, ...place.slice(0, -1)) }
  }
  return undefined
}

function readConversation(writer: Writer, log: MessageLog, format: MessageFormat, value: unknown) {
  const { list = [], holder = {} } = openConversation(value, format) ?? {}
  const conversation = json.fields(value)
  const { response, title } = conversation
  writer.out.meta({ title: json.text(title) })
  log.begin?.(holder)
  for (const item of list) log.read(item)
  const answer = json.object(response, 'body') ?? json.object(response)
  if (answer !== undefined && format.isAnswer?.(answer)) log.read(answer)
  else if (answer !== undefined && format.isAnswer !== undefined) writer.other(response, 'response')
  log.end?.(conversation)
  writer.out.absorb('no messages')
  return format.idOf?.(conversation) ?? idOf(conversation)
}

function absorbLine(text: string, out: SessionWriter): void {
  if (/^(?:(?:event|id|retry):|:|data: ?\[DONE\])/.test(text)) out.absorb('envelope of a stream')
  else if (text.trim() !== '') out.note('bad-line', 'a line that is not a server-sent event')
}

async function listConversations(records: AsyncIterable<LogRecord>, format: MessageFormat) {
  const listings: SessionListing[] = []
  let hasLines = false
  for await (const record of records) {
    const value = recordValue(record)
    const conversations = conversationsIn(value, listings.length, format)
    for (const { value: _, ...listing } of conversations) listings.push(listing)
    hasLines ||= conversations.length === 0 && isLine(value, format)
  }
  return listings.length === 0 && hasLines ? [{ id: wholeLog }] : listings
}

function conversationsIn(value: unknown, before: number, format: MessageFormat): ListedConversation[] {
  const isConversation = (each: unknown): boolean =>
    (Array.isArray(each) || !isLine(each, format)) && openConversation(each, format) !== undefined
  if (isConversation(value)) return [{ ...listingOf(value, before + 1), value }]
  const list = json.list(value)
  if (!list.every(isConversation)) return []
  const ids = new Set<string>()
  return list.map((item, index) => {
    const listing = listingOf(item, before + index + 1)
    const id = ids.has(listing.id) ? `${listing.id}-${index + 1}` : listing.id
    ids.add(id)
    return { ...listing, id, value: item }
  })
}

function listingOf(value: unknown, number: number): SessionListing {
  // Distinguishes conversations without ids in different logs.
  const digest = () => createHash('sha256').update(JSON.stringify(value)).digest('hex').slice(0, 8)
  const id = idOf(json.fields(value)) ?? `${number}-${digest()}`
  return { id, ...known({ title: json.text(value, 'title') }) }
}

function idOf({ chatId, conversation_id, custom_id, id, session_id, task_id, trial }: json.Fields) {
  const [task, run] = [task_id, trial].map(idText)
  const attempt = run === undefined ? task : task && `${task}-${run}`
  return [conversation_id, session_id, custom_id, attempt, id, chatId].map(idText).find(Boolean)
}

function idText(value: unknown): string | undefined {
  return typeof value === 'number' && Number.isSafeInteger(value) ? String(value) : json.text(value)
}

const sentLine = /^(?:event|data|id|retry):|^:/

// Parsed by hand, because `eventsource-parser` does not report the line of an event.
/** Whether a log holds a raw stream (https://html.spec.whatwg.org/multipage/server-sent-events.html). */
function isSent({ records, document, text }: LogHead): boolean {
  return document === undefined && records.length === 0 && sentLine.test(text.trimStart())
}

function recordValue({ value, text }: LogRecord): unknown {
  return value === undefined ? sentValue(text) : value
}

function sentValue(line: string): unknown {
  return line.startsWith('data:') ? json.parse(line.slice('data:'.length)) : undefined
}
