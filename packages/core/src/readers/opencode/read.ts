import type { SourcePosition } from '../../session/event.ts'
import { asList, asObject, asText, type JsonObject } from '../../session/json-values.ts'
import { known } from '../../session/known.ts'
import { chooseSession } from '../reader/choose-session.ts'
import type { LogRecord, SessionListing, SessionWriter } from '../reader/reader.ts'
import { timeOfMillis } from '../shared/epoch-time.ts'
import { asRow } from '../shared/log-row.ts'
import {
  type Collection,
  createCollection,
  type OpenCodeMessage,
  type OpenCodeSession,
  sessionOf,
} from './collection.ts'
import { kindOf } from './detect.ts'
import { openCodeUsage } from './messages.ts'
import { writePart } from './parts.ts'
import { type Reading, startReading, write } from './reading.ts'
import { collectRow } from './rows.ts'
import { writeChild, writeMain } from './write-session.ts'

export async function readOpenCode(records: AsyncIterable<LogRecord>, out: SessionWriter): Promise<void> {
  const reading = startReading(out)
  const collection = createCollection()
  let began = false
  let collected = false
  for await (const record of records) {
    const { value, file, line } = record
    reading.at = { file, line }
    const kind = kindOf(value)
    const fields = asObject(value) ?? {}
    const row = asRow(value)
    if (row !== undefined) {
      collectRow(row, reading.at, collection, out)
      collected = true
    } else if (kind === 'export') began = readExport(reading, fields, began)
    else if (kind === 'session' || kind === 'message' || kind === 'part') {
      collectFile(kind, fields, reading.at, collection, out)
      collected = true
    } else if (kind === 'line') readLine(reading, fields)
    else readOther(reading, record)
  }
  if (collected) writeCollected(reading, collection)
}

export async function listOpenCodeSessions(
  records: AsyncIterable<LogRecord>,
): Promise<readonly SessionListing[]> {
  const collection = createCollection()
  const exported: OpenCodeSession[] = []
  for await (const { value, file, line } of records) {
    const at = { file, line }
    const record = asObject(value)
    const row = asRow(value)
    if (row?.table === 'session') collection.session(row.row, at)
    else if (record !== undefined && kindOf(record) === 'session') collection.session(record, at)
    else if (record !== undefined && kindOf(record) === 'export') exported.push(exportOf(record, at))
  }
  const all = [...collection.sessions(), ...exported]
  return rootsOf(all).map(listing)
}

function listing({ id, info, title, startedAt, endedAt }: OpenCodeSession): SessionListing {
  const cwd = asText(info.directory)
  return {
    id,
    ...known({ title, startedAt, endedAt, cwd }),
  }
}

/** Sessions that were not started by another available one. */
function rootsOf(sessions: readonly OpenCodeSession[]): readonly OpenCodeSession[] {
  const ids = new Set(sessions.map(({ id }) => id))
  return sessions.filter(({ parent }) => parent === undefined || !ids.has(parent))
}

/** Writes a session: the one asked for, which may be a child, or otherwise a root. */
function writeCollected(reading: Reading, collection: Collection): void {
  const { out } = reading
  const sessions = collection.sessions()
  const roots = rootsOf(sessions)
  const asked = out.sessionId !== undefined && !roots.some(({ id }) => id === out.sessionId)
  const main = chooseSession(asked || roots.length === 0 ? sessions : roots, out)
  if (main !== undefined) writeMain(reading, main, sessions)
  else out.note('no-sessions', 'the log holds no session')
}

function collectFile(
  kind: 'session' | 'message' | 'part',
  fields: JsonObject,
  at: SourcePosition,
  into: Collection,
  out: SessionWriter,
): void {
  const session = asText(fields.sessionID) ?? ''
  const id = asText(fields.id) ?? `${at.file}:${at.line}`
  if (kind === 'session') into.session(fields, at)
  else if (kind === 'message') into.message(id, session, asObject(fields.time)?.created, () => fields, at)
  else into.part(id, asText(fields.messageID) ?? '', session, () => fields, at)
  out.absorb(kind === 'session' ? 'session metadata' : `${kind}, read with its session`)
}

/** Reads an export: the first one is the log; further ones are the child sessions next to it. */
function readExport(reading: Reading, record: JsonObject, began: boolean): boolean {
  const { out } = reading
  const session = exportOf(record, reading.at)
  out.absorb('session without messages')
  if (!Array.isArray(record.messages) && !Array.isArray(record.parts))
    out.note('no-messages', 'the export holds no list of messages')
  if (!began) {
    if (out.sessionId !== undefined) chooseSession([session], out)
    writeMain(reading, session, [])
  } else if (session.id === '' || reading.written.has(session.id))
    out.note('other-session', 'another session')
  else writeChild(reading, session)
  return true
}

/** `{info, messages}`, or one message alone: `{info, parts}`. */
function exportOf(record: JsonObject, at: SourcePosition): OpenCodeSession {
  const info = asObject(record.info) ?? {}
  if (Array.isArray(record.messages)) {
    return sessionOf(
      info,
      at,
      asList(record.messages).map((value, index) => messageOf(value, index, at)),
    )
  }
  const id = asText(info.sessionID) ?? asText(info.id) ?? ''
  const message = info.role === undefined ? { ...info, role: 'assistant' } : info
  return sessionOf({ id }, at, [messageOf({ info: message, parts: record.parts }, 0, at)])
}

function messageOf(value: unknown, index: number, at: SourcePosition): OpenCodeMessage {
  const record = asObject(value)
  const info = record === undefined || !('info' in record) ? value : record.info
  const parts = asList(record?.parts).map((part, place) => ({ id: String(place), at, load: () => part }))
  return { id: asText(asObject(info)?.id) ?? `message-${index + 1}`, at, created: 0, parts, load: () => info }
}

/** A line of `opencode run --format json`, which reports neither the prompt nor the model. */
function readLine(reading: Reading, record: JsonObject): void {
  const { out } = reading
  const part = asObject(record.part)
  const time = timeOfMillis(record.timestamp)
  out.meta({ id: asText(record.sessionID) ?? '' })
  if (part === undefined) {
    const error = asObject(record.error)
    const text =
      asText(asObject(error?.data)?.message) ?? asText(error?.message) ?? asText(record.error) ?? 'error'
    write(reading, { type: 'context', origin: 'harness', name: asText(error?.name) ?? 'error', text }, time)
    return
  }
  const usage = record.type === 'step_finish' ? openCodeUsage(asObject(part.tokens)) : undefined
  if (usage !== undefined) {
    const key = asText(part.id) ?? `${reading.at.file}:${reading.at.line}`
    out.usage(key, 'main', 'unknown', usage)
  }
  writePart(reading, part, time === undefined ? {} : { time })
}

/** Reads a value that is in none of the stores. The calls that wrote the older folder's task list already report it. */
function readOther(reading: Reading, { value, file }: LogRecord): void {
  if (file > 0 && Array.isArray(value)) reading.out.absorb('task list, in the calls that wrote it')
  else write(reading, { type: 'other', name: 'unknown', raw: value })
}
