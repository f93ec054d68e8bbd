import type { SourcePosition } from '../../session/event.ts'
import { asList, asObject, asText, type JsonObject, objectsIn } from '../../session/json-values.ts'
import type { LogRecord, SessionWriter } from '../reader/reader.ts'
import { pathOfUri } from '../shared/path-of-uri.ts'
import { applyChange } from './apply-change.ts'
import { isChange } from './detect.ts'
import { createChatState, readRequest } from './requests.ts'

export async function readChat(records: AsyncIterable<LogRecord>, out: SessionWriter): Promise<void> {
  let chat: JsonObject | undefined
  let cwd: string | undefined
  // The line that last changed each request.
  const lines = new Map<number, SourcePosition>()
  let at: SourcePosition = { file: 0, line: 1 }
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
      if (changed === undefined) out.event({ type: 'other', name: 'change', raw: record })
      else {
        chat = changed
        place(record, before, asList(chat.requests).length, at, lines)
        out.absorb('change of the chat')
      }
    } else if (record !== undefined && Array.isArray(record.requests)) {
      chat = record
      out.absorb('chat')
    } else out.event({ type: 'other', name: asText(record?.kind) ?? 'unknown', raw: value })
  }
  if (chat === undefined) return
  describe(chat, cwd, out)
  const state = createChatState(out)
  for (const [index, value] of asList(chat.requests).entries()) {
    const request = asObject(value)
    if (request !== undefined) readRequest(state, request, lines.get(index) ?? at)
  }
}

/** Remembers the line of a change for the requests that it added or concerns. */
function place(
  { k }: JsonObject,
  before: number,
  after: number,
  at: SourcePosition,
  lines: Map<number, SourcePosition>,
): void {
  for (let index = before; index < after; index++) lines.set(index, at)
  const [field, index] = Array.isArray(k) ? k : []
  if (field === 'requests' && typeof index === 'number') lines.set(index, at)
}

function describe(chat: JsonObject, cwd: string | undefined, out: SessionWriter): void {
  const agent = asObject(objectsIn(chat.requests).at(-1)?.agent)
  out.meta({
    id: asText(chat.sessionId),
    title: asText(chat.customTitle),
    agentVersion: asText(agent?.extensionVersion),
    cwd: cwd ?? pathOfUri(chat.workingDirectory),
  })
}
