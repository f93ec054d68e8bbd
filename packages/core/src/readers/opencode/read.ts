import { appendTo } from '../../session/append-to.ts'
import type { SourcePosition } from '../../session/event.ts'
import * as json from '../../session/json.ts'
import { known } from '../../session/known.ts'
import { chooseSession } from '../reader/choose-session.ts'
import type { LogRecord, SessionListing, SessionWriter } from '../reader/reader.ts'
import { asRow } from '../shared/framing.ts'
import { isUnused, usageIn } from '../shared/usage.ts'
import { timeOfMillis } from '../shared/values.ts'
import {
  type Collection,
  collectRow,
  createCollection,
  type OpenCodeMessage,
  type OpenCodeSession,
  sessionOf,
} from './collection.ts'
import { type Reading, startReading, writeError, writeMessage, writePart } from './messages.ts'
import { kindOf } from './shapes.ts'

export async function readOpenCode(records: AsyncIterable<LogRecord>, out: SessionWriter): Promise<void> {
  const reading = startReading(out)
  const collection = createCollection()
  let began = false
  let collected = false
  for await (const { value, file, line } of records) {
    reading.at = { file, line }
    reading.time = undefined
    const kind = kindOf(value)
    const fields = json.fields(value)
    const row = asRow(value)
    collected ||= row !== undefined || kind === 'session' || kind === 'message' || kind === 'part'
    if (row !== undefined) collectRow(row, reading.at, collection, out)
    else if (kind === 'export') began = readExport(reading, fields, began)
    else if (kind === 'line') readLine(reading, fields)
    else if (kind !== undefined) {
      collectFile(collection, kind, fields, reading.at)
      out.absorb(kind === 'session' ? 'session metadata' : `${kind}, read with its session`)
    }
    // The calls that wrote the older folder's task list already report it.
    else if (file > 0 && Array.isArray(value)) out.absorb('task list, in the calls that wrote it')
    else reading.other(value, 'unknown')
  }
  if (!collected) return
  const sessions = collection.sessions()
  const roots = rootsOf(sessions)
  const main = chooseSession(roots.length === 0 ? sessions : roots, out, sessions)
  if (main !== undefined) writeMain(reading, main, sessions)
}

export async function listOpenCodeSessions(records: AsyncIterable<LogRecord>): Promise<SessionListing[]> {
  const collection = createCollection()
  const exported: OpenCodeSession[] = []
  for await (const { value, file, line } of records) {
    const at = { file, line }
    const row = asRow(value)
    if (row?.table === 'session') collection.session(row.row, at)
    else if (kindOf(value) === 'session') collection.session(json.fields(value), at)
    else if (kindOf(value) === 'export') exported.push(exportOf(json.fields(value), at))
  }
  return rootsOf([...collection.sessions(), ...exported]).map(({ id, info, title, startedAt, endedAt }) =>
    known<SessionListing>({ id, title, startedAt, endedAt, cwd: json.text(info.directory) }),
  )
}

function rootsOf(sessions: readonly OpenCodeSession[]): readonly OpenCodeSession[] {
  const ids = new Set(sessions.map(({ id }) => id))
  return sessions.filter(({ parent }) => parent === undefined || !ids.has(parent))
}

function collectFile(into: Collection, kind: string, fields: json.Fields, at: SourcePosition): void {
  const session = json.text(fields.sessionID) ?? ''
  const stored = { id: json.text(fields.id) ?? `${at.file}:${at.line}`, at, load: () => fields }
  if (kind === 'session') into.session(fields, at)
  else if (kind === 'message') into.message(stored, session, json.at(fields.time, 'created'))
  else into.part(stored, json.text(fields.messageID) ?? '', session)
}

/** Reads an export: the first one is the log; others are the child sessions next to it. */
function readExport(reading: Reading, record: json.Fields, began: boolean): boolean {
  const { out } = reading
  const session = exportOf(record, reading.at)
  out.absorb('session without messages')
  if (!Array.isArray(record.messages) && !Array.isArray(record.parts))
    out.note('no-messages', 'the export has no list of messages')
  if (!began) {
    if (out.sessionId !== undefined) chooseSession([session], out)
    writeMain(reading, session, [])
  } else if (session.id === '' || reading.written.has(session.id))
    out.note('other-session', 'another session')
  else writeChild(reading, session)
  return true
}

function exportOf(record: json.Fields, at: SourcePosition): OpenCodeSession {
  const info = json.fields(record.info)
  const { messages, parts } = record
  const read = (value: unknown, index: number): OpenCodeMessage => messageOf(value, index, at)
  if (Array.isArray(messages)) return sessionOf(info, at, messages.map(read))
  const id = json.text(info.sessionID) ?? json.text(info.id) ?? ''
  const message = info.role === undefined ? { ...info, role: 'assistant' } : info
  return sessionOf({ id }, at, [read({ info: message, parts }, 0)])
}

function messageOf(value: unknown, index: number, at: SourcePosition): OpenCodeMessage {
  const record = json.object(value)
  const info = record === undefined || !('info' in record) ? value : record.info
  const parts = json.list(record?.parts).map((part, place) => ({ id: String(place), at, load: () => part }))
  return { id: json.text(info, 'id') ?? `message-${index + 1}`, at, created: 0, parts, load: () => info }
}

/** Reads a line of `opencode run --format json`, which reports neither the prompt nor the model. */
function readLine(reading: Reading, record: json.Fields): void {
  const { at, out } = reading
  const part = json.object(record.part)
  reading.time = timeOfMillis(record.timestamp)
  out.meta({ id: json.text(record.sessionID) ?? '' })
  const usage = usageIn(record.type === 'step_finish' ? part?.tokens : undefined, 'opencode')
  if (!isUnused(usage)) out.usage(json.text(part?.id) ?? `${at.file}:${at.line}`, 'main', 'unknown', usage)
  if (part === undefined) writeError(reading, record.error)
  else writePart(reading, part)
}

/** Maximum levels of nested subagents to read; deeper ones become a note. */
const deepest = 50

function writeMain(reading: Reading, main: OpenCodeSession, sessions: readonly OpenCodeSession[]): void {
  const { children, out, written } = reading
  const { id, info, parent, title } = main
  written.add(id)
  const byId = new Map(sessions.map((session) => [session.id, session]))
  reading.writeChild = (wanted) => {
    const child = byId.get(wanted)
    if (child !== undefined && !written.has(wanted)) writeChild(reading, child)
  }
  for (const session of sessions)
    if (session.parent !== undefined && session.id !== '') appendTo(children, session.parent, session)
  const agentVersion = json.text(info.version)
  out.meta({ id: id === '' ? undefined : id, agentVersion, title, cwd: json.text(info.directory) })
  writeMessages(reading, main, parent !== undefined)
  writeUnlinked(reading, id)
}

function writeUnlinked(reading: Reading, parent: string): void {
  for (const child of reading.children.get(parent) ?? []) {
    if (reading.written.has(child.id)) continue
    Object.assign(reading, { at: child.at, time: child.startedAt })
    reading.write({ type: 'subagent_start', child: child.id })
    writeChild(reading, child)
    reading.time = child.endedAt
    reading.end(child.id)
  }
}

function writeChild(reading: Reading, child: OpenCodeSession): void {
  const { out, written } = reading
  const { agent, at, byAgent, undone } = reading
  written.add(child.id)
  const tooDeep = 'a subagent is nested too deep; read its session alone'
  if (reading.depth >= deepest) {
    out.note('deep-subagents', tooDeep)
    return
  }
  const { agent: parent = agent, callId } = reading.tasks.get(child.id) ?? {}
  out.agent({ id: child.id, parent, callId, type: json.text(child.info.agent), title: child.title })
  reading.agent = child.id
  reading.depth++
  writeMessages(reading, child, true)
  writeUnlinked(reading, child.id)
  reading.depth--
  Object.assign(reading, { agent, at, byAgent, undone })
}

function writeMessages(reading: Reading, session: OpenCodeSession, byAgent: boolean): void {
  const from = json.text(session.info.revert, 'messageID')
  let before: number | undefined
  reading.byAgent = byAgent
  for (const message of session.messages) {
    if (from !== undefined && message.id === from) {
      reading.undone = true
      before = reading.turns
    }
    writeMessage(reading, message)
  }
  if (from === undefined) return
  if (before === undefined)
    reading.out.note('revert-unknown', 'the log has a revert to a message that it does not hold')
  else if (reading.agent === 'main') {
    reading.undone = false
    reading.time = undefined
    reading.rewind(reading.turns - before)
  }
}
