import { eventIndex } from '../session/event.ts'
import { asCount, asList, asObject, asText, at, fieldsOf, type JsonObject } from '../session/json-values.ts'
import { known } from '../session/known.ts'
import type { Session } from '../session/session.ts'
import { usageFields } from '../session/usage.ts'
import { eventFromJson } from './reader/event-fields.ts'
import type { LogHead, LogRecord, Reader, SessionWriter } from './reader/reader.ts'

/** Reads Tenfold's own session lines, as `sessionToJsonl` writes them. */
export const tenfoldReader: Reader = { name: 'tenfold', marksFailedCommands: true, detect, read }

function detect({ records }: LogHead): number {
  return at(records[0], 'tenfold') === 'session' ? 1 : 0
}

async function read(records: AsyncIterable<LogRecord>, out: SessionWriter): Promise<void> {
  let header: JsonObject | undefined
  for await (const { value } of records) {
    const object = asObject(value)
    if (object?.tenfold === 'session' && header === undefined) {
      header = object
      readHeader(object, out)
    } else readEvent(object, value, out)
  }
  // After the events, so that models keep their order of first use.
  if (header !== undefined) readUsage(header, out)
}

function readHeader(header: JsonObject, out: SessionWriter): void {
  const { id, format, agentVersion, title, cwd, branch, commit } = header
  const texts = Object.entries({ id, format, agentVersion, title, cwd, branch, commit })
  const models = asList(header.models).filter((model) => typeof model === 'string')
  out.meta({ ...Object.fromEntries(texts.map(([key, text]) => [key, asText(text)])), models })
  for (const value of asList(header.agents)) {
    const { callId, id, parent, title, type } = fieldsOf(value)
    const node = { parent: asText(parent), callId: asText(callId), type: asText(type), title: asText(title) }
    if (asText(id) !== undefined) out.agent({ id: String(id), ...node })
  }
  for (const value of asList(header.notes)) {
    const note = asObject(value)
    const at = { file: asText(note?.file), line: asCount(note?.line), count: asCount(note?.count) }
    out.note(asText(note?.code) ?? 'note', asText(note?.message) ?? '', known(at))
  }
  if (header.version === sessionLinesVersion) out.absorb('session metadata')
  else
    out.note(
      'unknown-version',
      `version ${JSON.stringify(header.version)} of Tenfold session lines; expected ${sessionLinesVersion}`,
    )
}

function readEvent(object: JsonObject | undefined, raw: unknown, out: SessionWriter): void {
  const event = object === undefined ? undefined : eventFromJson(object)
  if (object === undefined || event === undefined) {
    out.event({ type: 'other', name: asText(object?.type) ?? 'unknown', raw })
    return
  }
  const source = asObject(object.source)
  const place = { file: asCount(source?.file) ?? 0, line: asCount(source?.line) ?? 0 }
  const turn = asCount(object.turn)
  const written = out.event(event, { ...place, ...(turn !== undefined && { turn }) })
  const { id } = object
  if (typeof id === 'string' && written.id !== id && eventIndex(id) !== -1) {
    out.note('renumbered', `${id} became ${written.id}: events are missing before it`)
  }
}

function readUsage(header: JsonObject, out: SessionWriter): void {
  for (const [index, value] of asList(header.usage).entries()) {
    const entry = asObject(value)
    const counts = usageFields.map((field) => [field, asObject(entry?.usage)?.[field]])
    const model = asText(entry?.model) ?? ''
    out.usage(`${index}`, asText(entry?.agent) ?? 'main', model, Object.fromEntries(counts))
  }
}

const sessionLinesVersion = 1

/**
 * Writes a session as Tenfold's own JSONL, line by line with line ends: first its metadata, then one event a line.
 * `readSession` reads it back to the same events; only their `source` then refers to these lines.
 */
export function* sessionToJsonl(session: Session): Generator<string> {
  const { events, ...metadata } = session
  yield `${JSON.stringify({ tenfold: 'session', version: sessionLinesVersion, ...metadata })}\n`
  for (const event of events) yield `${JSON.stringify(event)}\n`
}
