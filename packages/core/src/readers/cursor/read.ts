import type { EventDraft } from '../../session/event.ts'
import { asCount, asList, asObject, asText, type JsonObject } from '../../session/json-values.ts'
import { known } from '../../session/known.ts'
import type { TokenUsage } from '../../session/usage.ts'
import { unpackedName } from '../log/packed-name.ts'
import { chooseSession } from '../reader/choose-session.ts'
import type { LogRecord, LogRow, SessionWriter } from '../reader/reader.ts'
import { asRow } from '../shared/log-row.ts'
import { readChatStore } from './cli/chat-store.ts'
import type { DatabaseReading } from './database-reading.ts'
import { isTranscriptLine, isTurn, turnsOf } from './detect.ts'
import { readEditor } from './editor/read-editor.ts'
import { type CursorState, createCursorState, noteMissingResults, write } from './state.ts'
import { readTextTranscript } from './text.ts'
import { readTranscriptLine } from './transcript.ts'
import { turnEvents } from './turns/conversation-events.ts'

export async function readCursor(records: AsyncIterable<LogRecord>, out: SessionWriter): Promise<void> {
  const state = createCursorState(out)
  const text = readTextTranscript(state)
  let database: DatabaseReading | undefined
  // A transcript is named after its session.
  const id = /^[\da-f]{8}-[\da-f-]{20,40}(?=\.)/.exec(out.files[0] ?? '')?.[0]
  if (id !== undefined) out.meta({ id })
  for await (const record of records) {
    const { file, line, value } = record
    if (file !== state.at.file) {
      text.finish()
      endFile(state)
      beginFile(state, out.files[file] ?? '', file)
    }
    state.at = { file, line }
    const row = asRow(value)
    if (row !== undefined) {
      database ??= isChatRow(row) ? readChatStore(state) : readEditor(state)
      database.row(row, state.at)
    } else if (value === undefined) text.line(record.text, state.at)
    else readValue(state, record)
  }
  text.finish()
  if (database !== undefined) database.finish()
  // Other logs of Cursor hold one session.
  else if (out.sessionId !== undefined) chooseSession([], out)
  endFile(state)
  noteMissingResults(state)
}

function isChatRow({ table }: LogRow): boolean {
  return table === 'meta' || table === 'blobs'
}

function readValue(state: CursorState, { value }: LogRecord): void {
  const { out } = state
  const record = asObject(value)
  const turns = turnsOf(value)
  if (turns !== undefined) {
    if (record !== undefined) readRun(state, record)
    for (const turn of turns) readTurn(state, turn)
  } else if (isTurn(value)) readTurn(state, value)
  else if (record !== undefined && isTranscriptLine(record)) readTranscriptLine(state, record)
  else if (record?.type === 'turn_ended') {
    const text = asText(record.error) ?? asText(asObject(record.error)?.message)
    if (text !== undefined) write(state, { type: 'context', origin: 'harness', name: 'turn_ended', text })
    out.absorb('end of a turn')
  } else
    write(state, {
      type: 'other',
      name: asText(record?.type) ?? asText(record?.role) ?? 'unknown',
      raw: value,
    })
}

function readTurn(state: CursorState, turn: unknown): void {
  const { out } = state
  state.turns++
  const drafts = turnEvents(turn, state.turns, (code, message) => out.note(code, message))
  const calls = new Map<string, EventDraft>()
  for (const draft of drafts) {
    if (draft.type === 'tool_call') calls.set(draft.callId, draft)
    if (draft.type === 'subagent_start') describeAgent(state, draft, calls.get(draft.callId ?? ''))
    // The kind of the turn shows what ran under the user's name.
    write(state, draft)
  }
  if (drafts.length === 0) out.absorb('empty turn')
}

function describeAgent(
  { out }: CursorState,
  { agent, child, callId }: Extract<EventDraft, { child: string }>,
  call: EventDraft | undefined,
): void {
  const args = call?.type === 'tool_call' ? asObject(call.input) : undefined
  const named = asObject(args?.subagentType)
  const type = asText(args?.subagentType) ?? asText(named?.name) ?? asText(named?.kind)
  const title = asText(args?.description)
  out.agent({ id: child, parent: agent ?? 'main', callId, type, title })
}

/** Reads what a run with written-out turns holds beyond its turns. */
function readRun(state: CursorState, run: JsonObject): void {
  const { out } = state
  const model = asText(run.model) ?? asText(asObject(run.model)?.id)
  const branch =
    asText(asObject(asList(asObject(run.git)?.branches)[0])?.branch) ??
    asText(asList(asObject(run.git)?.branches)[0])
  const id = asText(run.agentId) ?? asText(run.id) ?? asText(run.runId)
  out.meta({ id, branch, cwd: asText(run.cwd), ...(model !== undefined && { models: [model] }) })
  const usage = asObject(run.usage)
  if (usage === undefined) return
  const counts = known<TokenUsage>({
    inputTokens: asCount(usage.inputTokens),
    outputTokens: asCount(usage.outputTokens),
    cacheReadTokens: asCount(usage.cacheReadTokens),
    cacheWriteTokens: asCount(usage.cacheWriteTokens),
    reasoningTokens: asCount(usage.reasoningTokens),
  })
  out.usage('run', 'main', model ?? 'unknown', counts)
}

function beginFile(state: CursorState, name: string, file: number): void {
  const child = unpackedName(name).replace(/\.[a-z]+$/, '') || `subagent-${file}`
  state.at = { file, line: 1 }
  state.out.agent({ id: child, parent: 'main' })
  write(state, { type: 'subagent_start', child })
  state.agent = child
}

function endFile(state: CursorState): void {
  const { agent } = state
  if (agent === 'main') return
  state.agent = 'main'
  write(state, { type: 'subagent_end', child: agent })
}
