import { eventIndex } from '../../session/event.ts'
import { asCount, asList, asObject, asText, type JsonObject } from '../../session/json-values.ts'
import { known } from '../../session/known.ts'
import type { LogHead, LogRecord, Reader, SessionWriter } from '../reader/reader.ts'
import { eventFromJson } from './event.ts'
import { sessionLinesVersion } from './write-session.ts'

/** Reads Tenfold's own session lines, as `sessionToJsonl` writes them. */
export const tenfoldReader: Reader = { name: 'tenfold', marksFailedCommands: true, detect, read }

function detect({ records }: LogHead): number {
  return asObject(records[0])?.tenfold === 'session' ? 1 : 0
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
  const models = asList(header.models).filter((model) => typeof model === 'string')
  const texts = { id, format, agentVersion, title, cwd, branch, commit }
  out.meta({
    ...known(Object.fromEntries(Object.entries(texts).map(([key, text]) => [key, asText(text)]))),
    models,
  })
  for (const value of asList(header.agents)) {
    const agent = asObject(value)
    const id = asText(agent?.id)
    if (agent === undefined || id === undefined) continue
    const fields = [agent.parent, agent.callId, agent.type, agent.title].map(asText)
    out.agent({
      id,
      ...known({
        parent: fields[0],
        callId: fields[1],
        type: fields[2],
        title: fields[3],
      }),
    })
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
    const usage = asObject(entry?.usage) ?? {}
    const { inputTokens, outputTokens, cacheReadTokens, cacheWriteTokens, reasoningTokens } = usage
    const counts = { inputTokens, outputTokens, cacheReadTokens, cacheWriteTokens, reasoningTokens }
    const numbers = Object.fromEntries(Object.entries(counts).map(([key, count]) => [key, asCount(count)]))
    out.usage(`${index}`, asText(entry?.agent) ?? 'main', asText(entry?.model) ?? '', known(numbers))
  }
}
