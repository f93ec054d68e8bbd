import type { SourcePosition } from '../../session/event.ts'
import * as json from '../../session/json.ts'
import { known } from '../../session/known.ts'
import { textOf } from '../../session/plain-value.ts'
import { readModelMessage } from '../ai-sdk/model-message.ts'
import { unpackedName } from '../log/log-file.ts'
import { parseShallow } from '../log/parse-line.ts'
import { chooseSession } from '../reader/choose-session.ts'
import type { LogRecord, LogRow, SessionListing, SessionWriter } from '../reader/reader.ts'
import { asRow } from '../shared/framing.ts'
import { contentParts, messageTime, timeOfMillis } from '../shared/values.ts'
import { createWriter, type Writer } from '../shared/writer.ts'
import { collectComposers, type DatabaseReading, readEditor, rootsOf } from './editor.ts'
import { isTranscriptLine, turnsOf } from './shapes.ts'
import { readTextTranscript, readTranscriptLine, writeUserText } from './transcript.ts'
import { readTurn } from './turn-events.ts'

export async function readCursor(records: AsyncIterable<LogRecord>, out: SessionWriter): Promise<void> {
  const writer = createWriter(out)
  const text = readTextTranscript(writer)
  let database: DatabaseReading | undefined
  let current = 0
  let turns = 0
  // A transcript is named after its session.
  out.meta({ id: /^[\da-f]{8}-[\da-f-]{20,40}(?=\.)/.exec(out.files[0] ?? '')?.[0] })
  for await (const { file, line, value, text: words } of records) {
    if (file !== current) {
      text.finish()
      writer.leave()
      const child = unpackedName(out.files[file] ?? '').replace(/\.[a-z]+$/, '') || `subagent-${file}`
      writer.at = { file, line: 1 }
      writer.begin(child, { parent: 'main' })
      writer.agent = child
    }
    current = file
    writer.at = { file, line }
    const row = asRow(value)
    if (row !== undefined) {
      const isChat = row.table === 'meta' || row.table === 'blobs'
      database ??= isChat ? readChatStore(writer) : readEditor(writer)
      database.row(row, writer.at)
    } else if (value === undefined) text.line(words, { file, line })
    else turns = readValue(writer, value, turns)
  }
  text.finish()
  if (database !== undefined) database.finish()
  // Other logs of Cursor hold one session.
  else if (out.sessionId !== undefined) chooseSession([], out)
  writer.leave()
  const calls = writer.callIds.size
  if (calls > 0 && turns === 0 && writer.results === 0)
    out.note('results-not-told', `the transcript holds no results of its ${calls} tool calls`)
}

export async function listCursorSessions(records: AsyncIterable<LogRecord>) {
  const store = collectComposers()
  for await (const { value, file, line } of records) {
    const row = asRow(value)
    const chat = row?.table === 'meta' ? chatListing(chatMeta(row) ?? {}) : undefined
    if (chat !== undefined) return [chat]
    // Messages come last.
    if (row?.table === 'blobs' || json.text(row?.row.key)?.startsWith('bubbleId:') === true) break
    if (row !== undefined) store.add(row, { file, line })
  }
  return rootsOf([...store.composers().values()]).map(({ id, title, startedAt, endedAt, cwd, revision }) =>
    known<SessionListing>({ id, title, startedAt, endedAt, cwd, revision }),
  )
}

function readValue(writer: Writer, value: unknown, before: number): number {
  const record = json.object(value)
  const turns = turnsOf(value) ?? []
  if (turns.length > 0) {
    if (record !== undefined && turns[0] !== value) readRun(writer, record)
    for (const [index, turn] of turns.entries()) readTurn(writer, turn, before + index + 1)
  } else if (record !== undefined && isTranscriptLine(record)) readTranscriptLine(writer, record)
  else if (record?.type === 'turn_ended') {
    const error = json.text(record.error) ?? json.text(record.error, 'message')
    writer.context('harness', 'turn_ended', error)
    writer.out.absorb('end of a turn')
  } else writer.other(value)
  return before + turns.length
}

function readRun({ out, usage }: Writer, run: json.Fields): void {
  const model = json.text(run.model) ?? json.text(run.model, 'id')
  const [branch] = json.list(run.git, 'branches')
  const [id] = json.texts([run.agentId, run.id, run.runId])
  const place = { branch: json.text(branch, 'branch') ?? json.text(branch), cwd: json.text(run.cwd) }
  out.meta({ id, ...place, models: [model] })
  usage('run', json.fields(run.usage), model)
}

function chatMeta({ row }: LogRow): json.Fields | undefined {
  const text = textOf(row.value)
  const isHex = /^(?:[\da-f]{2})+$/i.test(text.slice(0, 1000))
  return json.object(parseShallow(isHex ? Buffer.from(text, 'hex').toString('utf8') : text))
}

function chatListing(meta: json.Fields): SessionListing | undefined {
  const id = json.text(meta.agentId)
  if (id === undefined) return undefined
  return known<SessionListing>({
    id,
    // The placeholder until the model set a name.
    title: meta.name === 'New Agent' ? undefined : json.text(meta.name),
    startedAt: timeOfMillis(Number(meta.createdAt)),
    cwd: json.text(meta.workspacePath),
    revision: json.text(meta.latestRootBlobId),
  })
}

type StoredMessage = { readonly message: json.Fields; readonly at: SourcePosition }

function readChatStore(plain: Writer): DatabaseReading {
  const writer = Object.assign(plain, { approvals: new Map<string, string>() })
  const { out } = writer
  const messages = new Map<string, StoredMessage>()
  const lists = new Map<string, Uint8Array>()
  let meta: json.Fields = {}
  return {
    row(row: LogRow, at: SourcePosition): void {
      if (row.table === 'meta') {
        meta = chatMeta(row) ?? meta
        out.absorb('session metadata')
        return
      }
      const id = textOf(row.row.id)
      const data = row.row.data instanceof Uint8Array ? row.row.data : Buffer.from(textOf(row.row.data))
      const text = data[0] === openBrace ? Buffer.from(data).toString('utf8') : ''
      const message = json.object(parseShallow(text))
      if (message === undefined) lists.set(id, data)
      else messages.set(id, { message, at })
      out.absorb(message === undefined ? 'state of the chat' : 'message, read with its session')
    },
    finish(): void {
      if (messages.size === 0) return
      const listing = chatListing(meta)
      const chat = chooseSession(listing === undefined ? [] : [listing], out)
      const listed = bytesInField(lists.get(json.text(meta.latestRootBlobId) ?? '') ?? new Uint8Array(), 1)
      const inOrder = listed.flatMap((id) => messages.get(Buffer.from(id).toString('hex')) ?? [])
      if (inOrder.length === 0) out.note('unordered', 'the order of the messages is lost')
      const chosen = inOrder.length === 0 ? [...messages.values()] : inOrder
      const left = messages.size - new Set(chosen).size
      if (left > 0)
        out.note('left-messages', `${left} messages are no longer part of the conversation and were not read`)
      const start = chosen.slice(0, 5).map(({ message }) => textOf(message.content).replaceAll('\\n', '\n'))
      const cwd = chat?.cwd ?? /^Workspace Path: (.{1,1000})$/m.exec(start.join('\n'))?.[1]?.trim()
      out.meta({ id: chat?.id, title: chat?.title, cwd, models: [json.text(meta.lastUsedModel)] })
      for (const { message, at } of chosen) {
        const { content, providerOptions, role } = message
        const { texts, images } = contentParts(content)
        writer.at = at
        writer.time = messageTime(message)
        writer.model = json.text(providerOptions, 'cursor', 'modelName')
        if (role === 'user') writeUserText(writer, texts.join('\n'), images)
        else if (role === 'system') writer.context('system', 'system prompt', texts.join('\n'))
        else if (!readModelMessage(writer, message)) writer.other(message)
      }
    },
  }
}

const openBrace = 0x7b

/**
 * Returns the values of a bytes field in a Protocol Buffers message, in order; none if the message is damaged.
 * https://protobuf.dev/programming-guides/encoding
 */
export function bytesInField(message: Uint8Array, field: number): Uint8Array[] {
  const found: Uint8Array[] = []
  let at = 0

  function varint(): number {
    let value = 0
    for (let scale = 1; at < message.length && scale < 2 ** 53; scale *= 128) {
      const byte = message[at++] ?? 0
      value += (byte & 0x7f) * scale
      if (byte < 0x80) return value
    }
    return Number.NaN
  }

  while (at < message.length) {
    const tag = varint()
    const wireType = tag % 8
    if (wireType === 0) varint()
    else if (wireType === 1) at += 8
    else if (wireType === 5) at += 4
    else if (wireType === 2) {
      const length = varint()
      // Also true for NaN.
      if (!(at + length <= message.length)) return []
      if (Math.floor(tag / 8) === field) found.push(message.subarray(at, at + length))
      at += length
    } else return []
  }
  return found
}
