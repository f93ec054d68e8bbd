import type { EventDraft } from '../../session/event.ts'
import { asList, asObject, asText, type JsonObject } from '../../session/json-values.ts'
import { known } from '../../session/known.ts'
import { unpackedName } from '../log/log-file.ts'
import { chooseSession } from '../reader/choose-session.ts'
import type { LogRecord, SessionListing, SessionWriter } from '../reader/reader.ts'
import { asRow } from '../shared/framing.ts'
import { chatListing, chatMeta, readChatStore } from './cli/chat-store.ts'
import { isTranscriptLine, isTurn, turnsOf } from './detect.ts'
import { collectComposers, rootsOf } from './editor/composers.ts'
import { readEditor } from './editor/read-editor.ts'
import { type CursorState, createCursorState, type DatabaseReading } from './rows.ts'
import { readTextTranscript, readTranscriptLine } from './transcript.ts'
import { turnEvents } from './turn-events.ts'

export async function readCursor(records: AsyncIterable<LogRecord>, out: SessionWriter): Promise<void> {
  const state = createCursorState(out)
  const text = readTextTranscript(state)
  let database: DatabaseReading | undefined
  // A transcript is named after its session.
  const id = /^[\da-f]{8}-[\da-f-]{20,40}(?=\.)/.exec(out.files[0] ?? '')?.[0]
  out.meta({ id })
  const turns = { read: 0 }
  for await (const record of records) {
    const { file, line, value } = record
    if (file !== state.at.file) {
      text.finish()
      state.leave()
      beginFile(state, out.files[file] ?? '', file)
    }
    state.at = { file, line }
    const row = asRow(value)
    if (row !== undefined) {
      database ??= row.table === 'meta' || row.table === 'blobs' ? readChatStore(state) : readEditor(state)
      database.row(row, state.at)
    } else if (value === undefined) text.line(record.text, state.at)
    else readValue(state, value, turns)
  }
  text.finish()
  if (database !== undefined) database.finish()
  // Other logs of Cursor hold one session.
  else if (out.sessionId !== undefined) chooseSession([], out)
  state.leave()
  const calls = state.callIds.size
  if (calls > 0 && !state.results)
    out.note('results-not-told', `the transcript holds no results of its ${calls} tool calls`)
}

/** The sessions in the rows of a database, oldest first; none if the log is no database. */
export async function listCursorSessions(
  records: AsyncIterable<LogRecord>,
): Promise<readonly SessionListing[]> {
  const store = collectComposers()
  for await (const { value, file, line } of records) {
    const row = asRow(value)
    if (row?.table === 'meta') {
      const chat = chatListing(chatMeta(row) ?? {})
      if (chat !== undefined) return [chat]
    }
    // Messages come last.
    if (row?.table === 'blobs' || asText(row?.row.key)?.startsWith('bubbleId:') === true) break
    if (row !== undefined) store.add(row, { file, line })
  }
  return rootsOf([...store.composers().values()]).map(({ id, title, startedAt, endedAt, cwd, revision }) =>
    known<SessionListing>({ id, title, startedAt, endedAt, cwd, revision }),
  )
}

function readValue(state: CursorState, value: unknown, counted: { read: number }): void {
  const record = asObject(value)
  const turns = turnsOf(value) ?? (isTurn(value) ? [value] : undefined)
  if (turns !== undefined) {
    if (record !== undefined && turns[0] !== value) readRun(state, record)
    for (const turn of turns) readTurn(state, turn, ++counted.read)
  } else if (record !== undefined && isTranscriptLine(record)) readTranscriptLine(state, record)
  else if (record?.type === 'turn_ended') {
    state.context(
      'harness',
      'turn_ended',
      asText(record.error) ?? asText(asObject(record.error)?.message) ?? '',
    )
    state.out.absorb('end of a turn')
  } else state.other(value)
}

function readTurn(state: CursorState, turn: unknown, number: number): void {
  const { out } = state
  const drafts = turnEvents(turn, number, (code, message) => out.note(code, message))
  const calls = new Map<string, EventDraft>()
  for (const draft of drafts) {
    if (draft.type === 'tool_call') calls.set(draft.callId, draft)
    if (draft.type === 'subagent_start') describeAgent(state, draft, calls.get(draft.callId ?? ''))
    // The kind of the turn shows what ran under the user's name.
    state.write(draft)
  }
  if (drafts.length === 0) out.absorb('empty turn')
}

function describeAgent(
  { out }: CursorState,
  { agent, child, callId }: Extract<EventDraft, { child: string }>,
  call: EventDraft | undefined,
): void {
  const { description, subagentType } = asObject(call?.type === 'tool_call' ? call.input : undefined) ?? {}
  const named = asObject(subagentType)
  const type = asText(subagentType) ?? asText(named?.name) ?? asText(named?.kind)
  out.agent({ id: child, parent: agent ?? 'main', callId, type, title: asText(description) })
}

/** Reads what a run with written-out turns holds beyond its turns. */
function readRun(state: CursorState, run: JsonObject): void {
  const model = asText(run.model) ?? asText(asObject(run.model)?.id)
  const [branch] = asList(asObject(run.git)?.branches)
  const id = asText(run.agentId) ?? asText(run.id) ?? asText(run.runId)
  state.out.meta({
    id,
    branch: asText(asObject(branch)?.branch) ?? asText(branch),
    cwd: asText(run.cwd),
    models: [model],
  })
  state.usage('run', asObject(run.usage) ?? {}, model)
}

function beginFile(state: CursorState, name: string, file: number): void {
  const child = unpackedName(name).replace(/\.[a-z]+$/, '') || `subagent-${file}`
  state.at = { file, line: 1 }
  state.begin(child, { parent: 'main' })
  state.agent = child
}
