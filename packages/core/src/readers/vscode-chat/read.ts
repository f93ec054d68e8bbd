import * as json from '../../session/json.ts'
import type { EventPlace, LogRecord, SessionWriter } from '../reader/reader.ts'
import { pathOfUri } from '../shared/values.ts'
import { createWriter } from '../shared/writer.ts'
import { readRequest } from './request.ts'

export async function readChat(records: AsyncIterable<LogRecord>, out: SessionWriter): Promise<void> {
  const writer = createWriter(out)
  let chat: json.Fields | undefined
  let cwd: string | undefined
  // The line that last changed each request.
  const lines = new Map<number, EventPlace>()
  let at: EventPlace | undefined
  for await (const { value, file, line } of records) {
    const record = json.object(value)
    if (file > 0) {
      cwd = pathOfUri(record?.folder)
      out.absorb('folder of the workspace')
      continue
    }
    at = { file, line }
    if (record !== undefined && kinds.includes(record.kind)) {
      const before = json.list(chat?.requests).length
      const changed = applyChange(chat ?? {}, record)
      if (changed === undefined) writer.other(record, 'change')
      else {
        chat = changed
        for (const index of placed(record, before, json.list(chat.requests).length)) lines.set(index, at)
        out.absorb('change of the chat')
      }
    } else if (record !== undefined && Array.isArray(record.requests)) {
      chat = record
      out.absorb('chat')
    } else writer.other(value, json.text(record?.kind))
  }
  if (chat === undefined) return
  const agent = json.object(json.objects(chat.requests).at(-1)?.agent)
  out.meta({
    id: json.text(chat.sessionId),
    title: json.text(chat.customTitle),
    agentVersion: json.text(agent?.extensionVersion),
    cwd: cwd ?? pathOfUri(chat.workingDirectory),
  })
  for (const [index, value] of json.list(chat.requests).entries()) {
    const request = json.object(value)
    writer.at = lines.get(index) ?? at
    if (request !== undefined) readRequest(writer, request, index)
  }
}

const kinds: readonly unknown[] = [0, 1, 2, 3]

function placed({ k }: json.Fields, before: number, after: number): readonly number[] {
  const added = Array.from({ length: Math.max(0, after - before) }, (_, index) => before + index)
  const [field, index] = json.list(k)
  return field === 'requests' && typeof index === 'number' ? [...added, index] : added
}

/** Longest list that a change may create by a place beyond its end. */
const maxGap = 1000

/**
 * Applies a line of a chat's log to the chat so far, and returns the chat: `kind` 0 replaces it, 1 sets the value at the
 * path `k`, 2 appends items to a list there, after cutting it at `i` if that is given, and 3 deletes the value. Returns
 * `undefined` if the line does not fit the chat.
 * https://github.com/microsoft/vscode/blob/main/src/vs/workbench/contrib/chat/common/model/objectMutationLog.ts
 */
export function applyChange(chat: json.Fields, { kind, k, v, i }: json.Fields): json.Fields | undefined {
  if (kind === 0) return json.object(v)
  const path = json.list(k)
  let holder: unknown = chat
  // What is missing on the way is made: the line that set it may be damaged.
  for (const [index, place] of path.slice(0, -1).entries()) {
    const slot = slotAt(holder, place)
    holder = slot?.get() ?? (typeof path[index + 1] === 'number' ? [] : {})
    slot?.set(holder)
    if (slot === undefined) return undefined
  }
  const slot = slotAt(holder, path.at(-1))
  if (slot === undefined) return undefined
  if (kind !== 2) slot.set(kind === 1 ? v : undefined)
  else {
    const list = slot.get() ?? []
    if (!Array.isArray(list) || (v !== undefined && !Array.isArray(v))) return undefined
    list.length = Math.min(list.length, json.count(i) ?? list.length)
    for (const item of json.list(v)) list.push(item)
    slot.set(list)
  }
  return chat
}

function slotAt(holder: unknown, place: unknown) {
  const index = json.count(place)
  const fits = Array.isArray(holder)
    ? index !== undefined && index <= holder.length + maxGap
    : json.object(holder) !== undefined && typeof place === 'string' && place !== '__proto__'
  if (!fits) return undefined
  const values = holder as Record<string, unknown>
  const key = String(place)
  return {
    get: () => (Object.hasOwn(values, key) ? values[key] : undefined),
    set: (value: unknown) => Object.assign(values, { [key]: value }),
  }
}
