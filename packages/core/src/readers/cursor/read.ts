import type { EventDraft } from '../../session/event.ts'
import * as json from '../../session/json.ts'
import { known } from '../../session/known.ts'
import { unpackedName } from '../log/log-file.ts'
import { chooseSession } from '../reader/choose-session.ts'
import type { LogRecord, SessionListing, SessionWriter } from '../reader/reader.ts'
import { asRow } from '../shared/framing.ts'
import { createWriter, type Writer } from '../shared/writer.ts'
import { chatListing, chatMeta, readChatStore } from './chat-store.ts'
import { collectComposers, rootsOf } from './composers.ts'
import { readEditor } from './editor.ts'
import { type DatabaseReading, isTranscriptLine, turnsOf } from './shapes.ts'
import { readTextTranscript, readTranscriptLine } from './transcript.ts'
import { turnEvents } from './turn-events.ts'

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
  if (calls > 0 && writer.results === 0)
    out.note('results-not-told', `the transcript holds no results of its ${calls} tool calls`)
}

export async function listCursorSessions(
  records: AsyncIterable<LogRecord>,
): Promise<readonly SessionListing[]> {
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

function readTurn(writer: Writer, turn: unknown, number: number): void {
  const { out } = writer
  const drafts = turnEvents(turn, number, (code, message) => out.note(code, message))
  const calls = new Map<string, EventDraft & { type: 'tool_call' }>()
  for (const draft of drafts) {
    if (draft.type === 'tool_call') calls.set(draft.callId, draft)
    if (draft.type === 'subagent_start') {
      const { agent: parent = 'main', callId = '', child: id } = draft
      const { description, subagentType: type } = json.fields(calls.get(callId)?.input)
      const kind = json.text(type) ?? json.text(type, 'name') ?? json.text(type, 'kind')
      out.agent({ id, parent, callId, type: kind, title: json.text(description) })
    }
    // The kind of the turn shows what ran under the user's name.
    writer.write(draft)
  }
  if (drafts.length === 0) out.absorb('empty turn')
}

function readRun({ out, usage }: Writer, run: json.Fields): void {
  const model = json.text(run.model) ?? json.text(run.model, 'id')
  const [branch] = json.list(run.git, 'branches')
  const [id] = json.texts([run.agentId, run.id, run.runId])
  const place = { branch: json.text(branch, 'branch') ?? json.text(branch), cwd: json.text(run.cwd) }
  out.meta({ id, ...place, models: [model] })
  usage('run', json.fields(run.usage), model)
}
