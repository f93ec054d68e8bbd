import { appendTo } from '../../session/append-to.ts'
import type { SourcePosition } from '../../session/event.ts'
import * as json from '../../session/json.ts'
import { known } from '../../session/known.ts'
import { parseShallow } from '../log/parse-line.ts'
import { chooseSession } from '../reader/choose-session.ts'
import type { LogRecord, LogRow, SessionListing, SessionWriter } from '../reader/reader.ts'
import { byKind } from '../shared/by-kind.ts'
import { asRow, columnText } from '../shared/framing.ts'
import { stopIn } from '../shared/outcome.ts'
import { usageIn } from '../shared/usage.ts'
import { numberIn, outputText, sortedBy, timeOfEpoch } from '../shared/values.ts'
import { createWriter, type Outcome, type Writer } from '../shared/writer.ts'
import { isGooseMessage, isGooseSession } from './shapes.ts'

/** `hidden`: messages before a compaction are hidden from the agent. The other two describe the current message. */
type State = Writer & { hidden: boolean; isUser: boolean; isShown: boolean }

export async function readGoose(records: AsyncIterable<LogRecord>, out: SessionWriter): Promise<void> {
  const state: State = Object.assign(createWriter(out), { hidden: false, isUser: false, isShown: true })
  const infos: LogRow['row'][] = []
  const rows: GooseRow[] = []
  let isStore = false
  for await (const { value, file, line } of records) {
    state.at = { file, line }
    state.time = undefined
    const row = asRow(value)
    isStore ||= row !== undefined
    if (row === undefined) readRecord(state, value)
    else if (row.table === 'sessions') infos.push(row.row)
    else rows.push({ row: row.row, at: state.at })
    if (row !== undefined)
      out.absorb(row.table === 'sessions' ? 'session metadata' : 'message, read with its session')
  }
  if (isStore) readStore(state, infos, rows)
}

export async function listGooseSessions(records: AsyncIterable<LogRecord>): Promise<SessionListing[]> {
  const infos: LogRow['row'][] = []
  for await (const { value } of records) {
    const row = asRow(value)
    const record = json.object(value)
    if (row?.table === 'sessions') infos.push(row.row)
    else if (record !== undefined && isGooseSession(record)) infos.push(record)
  }
  return rootsOf(joinSessions(infos)).map(({ info: _, messages: _messages, ...listing }) => listing)
}

function readStore(state: State, infos: readonly json.Fields[], rows: readonly GooseRow[]): void {
  const { out } = state
  const sessions = joinSessions(infos, rows)
  const session = chooseSession(rootsOf(sessions), out, sessions)
  if (session === undefined) return
  describeSession(state, session.info)
  for (const entry of session.messages) {
    state.at = entry.at
    state.time = undefined
    const { content_json, created_timestamp: created, metadata_json, role } = entry.row
    const [content, metadata] = [content_json, metadata_json].map((value) => parseShallow(columnText(value)))
    if (content === undefined) state.other(entry.row, 'unreadable message')
    else readMessage(state, { role, created, content, metadata })
  }
}

function readRecord(state: State, value: unknown): void {
  const { out } = state
  const record = json.fields(value)
  const { type, error } = record
  const message = json.fields(record.message)
  if (isGooseSession(record)) readSession(state, record)
  // Old messages have no time.
  else if (isSpoken(record) && Array.isArray(record.content)) readMessage(state, record)
  // Lines of `goose run --output-format stream-json`.
  else if (type === 'message' && isGooseMessage(message)) readMessage(state, message)
  else if (type === 'error' && json.text(error) !== undefined)
    state.context('harness', 'error', String(error))
  else if (type === 'complete' || type === 'notification') out.absorb('progress')
  else if (Array.isArray(record.tools)) out.absorb('definitions of the tools')
  else state.other(value)
}

function isSpoken({ role }: json.Fields): boolean {
  return role === 'user' || role === 'assistant'
}

function readSession(state: State, record: json.Fields): void {
  const { out } = state
  const { conversation } = record
  out.absorb('session metadata')
  if (out.sessionId !== undefined) chooseSession(joinSessions([record]), out)
  describeSession(state, record)
  const messages = Array.isArray(conversation) ? conversation : json.at(conversation, 'messages')
  if (conversation !== undefined && !Array.isArray(messages))
    out.note('no-messages', 'the export has no list of messages')
  for (const value of json.list(messages)) {
    if (isSpoken(json.fields(value))) readMessage(state, json.fields(value))
    else state.other(value, 'message')
  }
}

const notices = /^(?:systemNotification|conversationCompacted|contextLengthExceeded|summarizationRequested)$/

function readMessage(state: State, message: json.Fields): void {
  const metadata = json.fields(message.metadata)
  const { content } = message
  const contents = typeof content === 'string' ? [{ type: 'text', text: content }] : content
  const spoken = json.list(contents).some((value) => !notices.test(json.text(value, 'type') ?? ''))
  if (metadata.agentVisible === false && spoken) state.hidden = true
  state.time = timeOfEpoch(message.created)
  state.isUser = message.role === 'user'
  state.isShown = metadata.userVisible !== false
  const texts: string[] = []
  let images = 0
  for (const value of json.list(contents)) {
    const part = json.object(value)
    const kind = part && kindOf(part)
    if (kind === 'image') images++
    else if (state.isUser && kind === 'text' && typeof part?.text === 'string') texts.push(part.text)
    else if (part === undefined || !readPart(state, kind, part)) state.other(value, kind ?? 'content')
  }
  readWords(state, texts.join('\n'), images)
  if (contents !== undefined && !Array.isArray(contents)) state.other(contents, 'content')
}

/** Contents of 2024 have no `type`. */
function kindOf(part: json.Fields): string | undefined {
  if ('tool_result' in part && !part.type) return 'toolResponse'
  if ('tool_name' in part && !part.type) return 'toolRequest'
  return json.text(part.type) ?? (typeof part.text === 'string' ? 'text' : undefined)
}

function readWords(state: State, text: string, images: number): void {
  if (text.trim() === '' && images === 0) state.out.absorb('empty message')
  else if (!state.isUser) state.context('attachment', 'image', text, images)
  else if (!state.isShown && state.hidden) {
    // The summary replaces the hidden messages.
    state.hidden = false
    state.compact(text)
  } else if (!state.isShown || /^\s*<(?:info-msg|system-reminder)>/.test(text))
    state.context('harness', 'hidden prompt', text, images)
  else state.ask(text, { images })
}

const readPart = byKind<State>({
  text(state, { text }) {
    if (typeof text !== 'string') return false
    // Text that was not shown to the user is the harness's, such as the text after a summary.
    return void (state.isShown ? state.say(text) : state.context('harness', 'hidden answer', text))
  },
  'thinking reasoning': (state, { thinking, text }) => void state.think(json.text(thinking) ?? text),
  redactedThinking: 'encrypted reasoning',
  // `toolCall` is `{status, value: {name, arguments}}`, or an error if the model's call was invalid.
  'toolRequest frontendToolRequest'(state, part) {
    const { id } = part
    const given = json.object(part.toolCall)
    const value = json.object(given?.value) ?? (given?.name === undefined ? undefined : given)
    const name = json.text(value?.name) ?? json.text(part.tool_name) ?? 'unknown'
    state.call({ id, name, input: value === undefined ? part.arguments : value.arguments })
    if (given?.status === 'error') state.result(state.take(id), { failed: true, text: errorOf(given) })
  },
  toolResponse(state, part) {
    const result = 'toolResult' in part ? part.toolResult : part.tool_result
    state.result(state.take(part.id), outcomeOf(result), part.id)
  },
  toolConfirmationRequest: 'request for a permission',
  'systemNotification conversationCompacted contextLengthExceeded summarizationRequested'(state, part, kind) {
    const name = json.text(part.notificationType) ?? kind
    if (name === 'thinkingMessage') state.out.absorb('progress')
    else state.context('harness', name, part.msg)
  },
})

function errorOf({ error }: json.Fields): string {
  return json.text(error) ?? JSON.stringify(error ?? null)
}

/** Returns the outcome in a `toolResponse`, `{status, value}`, whose value is a list of contents or contains one. */
function outcomeOf(result: unknown): Outcome {
  const { status, value, ...rest } = json.fields(result)
  if (status === undefined && value === undefined) return contentsOf(result)
  if (status === 'error') return withStatus({ failed: true, text: errorOf(rest) })
  const inner = json.object(value)
  const shown = contentsOf(inner === undefined ? value : (inner.content ?? inner))
  const structured = json.fields(inner?.structuredContent)
  const printed = /\b(?:exit code|exit status|exited with code|exited with status):? (-?\d{1,10})\s*$/i
  const exitCode =
    json.number(structured.exit_code ?? structured.exitCode) ?? numberIn(shown.text.slice(-200), printed)
  return withStatus({ ...shown, exitCode, failed: inner?.isError === true || (exitCode ?? 0) !== 0 })
}

function withStatus(outcome: Outcome): Outcome {
  if (stopIn(outcome.text) === 'denied') return { ...outcome, status: 'denied' }
  const isCancelled =
    outcome.failed === true && /interrupted|cancelled|canceled/i.test(outcome.text.slice(0, 300))
  return isCancelled ? { ...outcome, status: 'cancelled' } : outcome
}

/** The same text is often there twice, for the model and for the user: the one for the model counts. */
function contentsOf(contents: unknown): { text: string; images: number } {
  if (typeof contents === 'string') return { text: contents, images: 0 }
  const list = Array.isArray(contents) || contents == null ? json.list(contents) : [contents]
  const forModel = list.filter((item) => {
    const audience = json.list(item, 'annotations', 'audience')
    return audience.length === 0 || audience.includes('assistant')
  })
  const shown = forModel.length > 0 ? forModel : list
  return outputText(shown.map((item) => json.text(item, 'resource', 'text') ?? item))
}

type GooseRow = { readonly row: LogRow['row']; readonly at: SourcePosition }

type GooseSession = SessionListing & Readonly<{ info: json.Fields; messages: readonly GooseRow[] }>

function describeSession(state: Writer, info: json.Fields): void {
  const config = json.object(info.model_config) ?? json.parse(json.text(info.model_config_json) ?? '')
  state.model = json.text(config, 'model_name') ?? json.text(info.model) ?? state.model
  state.byAgent = info.session_type === 'sub_agent' || info.session_type === 'subAgent'
  const cwd = json.text(info.working_dir)
  state.out.meta({ id: json.text(info.id), title: titleOf(info), cwd, models: [state.model] })
  state.usage('session', usageIn(info, 'goose'))
}

/** Returns sessions that are not subagents'. Those of subagents are read only on request. */
function rootsOf(sessions: readonly GooseSession[]): readonly GooseSession[] {
  const hidden = /^(?:sub_?agent|hidden)$/i
  const roots = sessions.filter(({ info }) => !hidden.test(json.text(info.session_type) ?? ''))
  return roots.length > 0 ? roots : sessions
}

function titleOf(info: json.Fields): string | undefined {
  const titles = json.texts([info.name, info.description])
  return titles.find((title) => !/^(?:CLI Session|New [Ss]ession\b.*)$/.test(title))
}

function joinSessions(infos: readonly json.Fields[], rows: readonly GooseRow[] = []): GooseSession[] {
  // Rows are rewritten, in order, when a conversation is compacted.
  const order = ({ row }: GooseRow): number => json.number(row.id) ?? json.number(row.created_timestamp) ?? 0
  const bySession = new Map<string, GooseRow[]>()
  for (const entry of [...rows].sort((a, b) => order(a) - order(b)))
    appendTo(bySession, json.text(entry.row.session_id) ?? '', entry)
  const ids = new Set(infos.map((info) => json.text(info.id) ?? ''))
  const lost = [...bySession.keys()].filter((id) => !ids.has(id)).map((id) => ({ id }))
  const sessions = [...lost, ...infos].map((info: json.Fields): GooseSession => {
    const id = json.text(info.id) ?? ''
    const times = { startedAt: timeOfRow(info.created_at), endedAt: timeOfRow(info.updated_at) }
    return { id, info, messages: bySession.get(id) ?? [], ...known({ title: titleOf(info), ...times }) }
  })
  return sortedBy(sessions, ({ startedAt = '' }) => startedAt)
}

/** Times by SQLite are in UTC without a mark. */
function timeOfRow(value: unknown): string | undefined {
  const text = json.text(value) ?? ''
  const isNaive = /^\d{4}-\d\d-\d\d \d\d:\d\d:\d\d(?:\.\d+)?$/.test(text)
  return json.time(isNaive ? `${text.replace(' ', 'T')}Z` : text)
}
