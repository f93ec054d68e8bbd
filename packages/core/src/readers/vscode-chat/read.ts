import { asList, asObject, asText, type JsonObject, objectsIn } from '../../session/json-values.ts'
import type { EventPlace, LogRecord, SessionWriter } from '../reader/reader.ts'
import { pathOfUri } from '../shared/path-of-uri.ts'
import { createWriter } from '../shared/writer.ts'
import { applyChange, isChange } from './apply-change.ts'
import { readRequest } from './request.ts'

export async function readChat(records: AsyncIterable<LogRecord>, out: SessionWriter): Promise<void> {
  const writer = createWriter(out)
  let chat: JsonObject | undefined
  let cwd: string | undefined
  // The line that last changed each request.
  const lines = new Map<number, EventPlace>()
  let at: EventPlace | undefined
  for await (const { value, file, line } of records) {
    const record = asObject(value)
    if (file > 0) {
      cwd = pathOfUri(record?.folder)
      out.absorb('folder of the workspace')
      continue
    }
    at = { file, line }
    if (record !== undefined && isChange(record)) {
      const before = asList(chat?.requests).length
      const changed = applyChange(chat ?? {}, record)
      if (changed === undefined) writer.other(record, 'change')
      else {
        chat = changed
        for (const index of placed(record, before, asList(chat.requests).length)) lines.set(index, at)
        out.absorb('change of the chat')
      }
    } else if (record !== undefined && Array.isArray(record.requests)) {
      chat = record
      out.absorb('chat')
    } else writer.other(value, asText(record?.kind))
  }
  if (chat === undefined) return
  const agent = asObject(objectsIn(chat.requests).at(-1)?.agent)
  out.meta({
    id: asText(chat.sessionId),
    title: asText(chat.customTitle),
    agentVersion: asText(agent?.extensionVersion),
    cwd: cwd ?? pathOfUri(chat.workingDirectory),
  })
  for (const [index, value] of asList(chat.requests).entries()) {
    const request = asObject(value)
    writer.at = lines.get(index) ?? at
    if (request !== undefined) readRequest(writer, request, index)
  }
}

/** The requests that a change added or concerns. */
function placed({ k }: JsonObject, before: number, after: number): readonly number[] {
  const added = Array.from({ length: Math.max(0, after - before) }, (_, index) => before + index)
  const [field, index] = asList(k)
  return field === 'requests' && typeof index === 'number' ? [...added, index] : added
}
