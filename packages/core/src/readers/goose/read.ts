import { asList, asObject, asText, type JsonObject } from '../../session/json-values.ts'
import { known } from '../../session/known.ts'
import { chooseSession } from '../reader/choose-session.ts'
import type { LogRecord, LogRow, SessionListing, SessionWriter } from '../reader/reader.ts'
import { asRow } from '../shared/log-row.ts'
import { isGooseMessage, isGooseSession } from './detect.ts'
import { readMessage } from './messages.ts'
import { describeSession, type GooseRow, type GooseSession, joinSessions, messageOfRow } from './sessions.ts'
import { createGooseState, type GooseState, write } from './state.ts'

export async function readGoose(records: AsyncIterable<LogRecord>, out: SessionWriter): Promise<void> {
  const state = createGooseState(out)
  const infos: LogRow['row'][] = []
  const rows: GooseRow[] = []
  let isStore = false
  for await (const { value, file, line } of records) {
    state.at = { file, line }
    const record = asObject(value)
    const row = asRow(value)
    if (row === undefined) readRecord(state, value, record)
    else {
      isStore = true
      if (row.table === 'sessions') infos.push(row.row)
      else rows.push({ row: row.row, at: state.at })
      out.absorb(row.table === 'sessions' ? 'session metadata' : 'message, read with its session')
    }
  }
  if (isStore) readStore(state, joinSessions(infos, rows))
}

export async function listGooseSessions(
  records: AsyncIterable<LogRecord>,
): Promise<readonly SessionListing[]> {
  const infos: LogRow['row'][] = []
  for await (const { value } of records) {
    const record = asObject(value)
    const row = asRow(value)
    if (row?.table === 'sessions') infos.push(row.row)
    else if (record !== undefined && isGooseSession(record)) infos.push(record)
  }
  return rootsOf(joinSessions(infos, [])).map(listing)
}

function listing({ id, title, startedAt, endedAt }: GooseSession): SessionListing {
  return {
    id,
    ...known({ title, startedAt, endedAt }),
  }
}

/** Sessions that are not subagents'; those are read only if asked for. */
function rootsOf(sessions: readonly GooseSession[]): readonly GooseSession[] {
  const roots = sessions.filter(
    ({ info }) => !/^(?:sub_?agent|hidden)$/i.test(asText(info.session_type) ?? ''),
  )
  return roots.length > 0 ? roots : sessions
}

function readStore(state: GooseState, sessions: readonly GooseSession[]): void {
  const { out } = state
  const roots = rootsOf(sessions)
  const asked = out.sessionId !== undefined && !roots.some(({ id }) => id === out.sessionId)
  const session = chooseSession(asked ? sessions : roots, out)
  if (session === undefined) return
  describeSession(state, session.info, out)
  if (session.messages.length === 0) out.note('no-messages', 'the session holds no message')
  for (const entry of session.messages) {
    state.at = entry.at
    state.time = undefined
    const message = messageOfRow(entry)
    if (message === undefined) write(state, { type: 'other', name: 'unreadable message', raw: entry.row })
    else readMessage(state, message)
  }
}

function readRecord(state: GooseState, value: unknown, record: JsonObject | undefined): void {
  const { out } = state
  state.time = undefined
  if (record !== undefined && isGooseSession(record)) readSessionRecord(state, record)
  else if (record !== undefined && isGooseMessage(record)) readMessage(state, record)
  else if (record !== undefined && isOldMessage(record)) readMessage(state, record)
  else if (record !== undefined && readStreamed(state, record)) return
  else if (Array.isArray(record?.tools)) out.absorb('definitions of the tools')
  else
    write(state, {
      type: 'other',
      name: asText(record?.type) ?? asText(record?.role) ?? 'unknown',
      raw: value,
    })
}

/** Whether a value is a message without a time. */
function isOldMessage({ role, content }: JsonObject): boolean {
  return (role === 'user' || role === 'assistant') && Array.isArray(content)
}

function readSessionRecord(state: GooseState, record: JsonObject): void {
  const { out } = state
  out.absorb('session metadata')
  if (out.sessionId !== undefined) chooseSession(joinSessions([record], []), out)
  describeSession(state, record, out)
  const { conversation } = record
  if (conversation === undefined) return
  const messages = Array.isArray(conversation) ? conversation : asObject(conversation)?.messages
  if (!Array.isArray(messages)) out.note('no-messages', 'the export holds no list of messages')
  for (const value of asList(messages)) {
    const message = asObject(value)
    if (message !== undefined && (message.role === 'user' || message.role === 'assistant'))
      readMessage(state, message)
    else write(state, { type: 'other', name: 'message', raw: value })
  }
}

/** A line of `goose run --output-format stream-json`. */
function readStreamed(state: GooseState, record: JsonObject): boolean {
  const message = asObject(record.message)
  if (record.type === 'message' && message !== undefined && isGooseMessage(message))
    readMessage(state, message)
  else if (record.type === 'error' && asText(record.error) !== undefined) {
    write(state, { type: 'context', origin: 'harness', name: 'error', text: asText(record.error) ?? '' })
  } else if (record.type === 'complete' || record.type === 'notification') state.out.absorb('progress')
  else return false
  return true
}
