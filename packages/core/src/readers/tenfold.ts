import { eventIndex } from '../session/event.ts'
import * as json from '../session/json.ts'
import { known } from '../session/known.ts'
import type { Session } from '../session/session.ts'
import { eventFromJson } from './reader/event-fields.ts'
import type { LogHead, LogRecord, Reader, SessionWriter } from './reader/reader.ts'
import { usageIn } from './shared/usage.ts'

/** Reads Tenfold's own session lines, as written by `sessionToJsonl`. */
export const tenfoldReader: Reader = { name: 'tenfold', marksFailedCommands: true, detect, read }

function detect({ records }: LogHead): number {
  return json.at(records[0], 'tenfold') === 'session' ? 1 : 0
}

async function read(records: AsyncIterable<LogRecord>, out: SessionWriter): Promise<void> {
  let header: json.Fields | undefined
  for await (const { value } of records) {
    const object = json.object(value)
    if (object?.tenfold === 'session' && header === undefined) {
      header = object
      readHeader(object, out)
    } else readEvent(object, value, out)
  }
  // After the events, so that models keep their order of first use.
  for (const [index, value] of json.list(header?.usage).entries()) {
    const { agent, model, usage } = json.fields(value)
    out.usage(`${index}`, json.text(agent) ?? 'main', json.text(model) ?? '', usageIn(usage, 'tenfold'))
  }
}

function readHeader(header: json.Fields, out: SessionWriter): void {
  const { id, format, agentVersion, title, cwd, branch, commit } = header
  const texts = Object.entries({ id, format, agentVersion, title, cwd, branch, commit })
  const models = json.list(header.models).filter((model) => typeof model === 'string')
  out.meta({ ...Object.fromEntries(texts.map(([key, text]) => [key, json.text(text)])), models })
  for (const value of json.list(header.agents)) {
    const { callId, id, parent, title, type } = json.fields(value)
    const about = { type: json.text(type), title: json.text(title) }
    const node = { id: json.text(id) ?? '', parent: json.text(parent), callId: json.text(callId), ...about }
    if (node.id !== '') out.agent(node)
  }
  for (const value of json.list(header.notes)) {
    const { code, count, file, line, message } = json.fields(value)
    const at = known({ file: json.text(file), line: json.count(line), count: json.count(count) })
    out.note(json.text(code) ?? 'note', json.text(message) ?? '', at)
  }
  const version = JSON.stringify(header.version)
  const unknown = `version ${version} of Tenfold session lines; expected ${sessionLinesVersion}`
  if (header.version === sessionLinesVersion) out.absorb('session metadata')
  else out.note('unknown-version', unknown)
}

function readEvent(object: json.Fields | undefined, raw: unknown, out: SessionWriter): void {
  const event = object === undefined ? undefined : eventFromJson(object)
  if (object === undefined || event === undefined) {
    out.event({ type: 'other', name: json.text(object?.type) ?? 'unknown', raw })
    return
  }
  const { id, source } = object
  const place = { file: json.count(source, 'file') ?? 0, line: json.count(source, 'line') ?? 0 }
  const written = out.event(event, { ...place, ...known({ turn: json.count(object.turn) }) })
  if (typeof id === 'string' && written.id !== id && eventIndex(id) !== -1)
    out.note('renumbered', `${id} became ${written.id}: events are missing before it`)
}

const sessionLinesVersion = 1

/**
 * Yields a session as Tenfold's own JSONL, with line ends: first its metadata, then one event per line. `readSession`
 * reads it back to the same events, except that their `source` refers to these lines.
 */
export function* sessionToJsonl(session: Session): Generator<string> {
  const { events, ...metadata } = session
  yield `${JSON.stringify({ tenfold: 'session', version: sessionLinesVersion, ...metadata })}\n`
  for (const event of events) yield `${JSON.stringify(event)}\n`
}
