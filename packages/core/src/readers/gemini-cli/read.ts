import * as json from '../../session/json.ts'
import type { LogRecord, SessionWriter } from '../reader/reader.ts'
import { createGeminiState, readMessage, type GeminiState as State, textsOf } from './messages.ts'
import { contentsOf, isHeader } from './shapes.ts'

export async function readGeminiCli(records: AsyncIterable<LogRecord>, out: SessionWriter): Promise<void> {
  const state = createGeminiState(out)
  for await (const { value, file, line } of records) {
    if (file !== state.file) endFile(state)
    state.file = file
    state.at = { file, line }
    state.time = undefined
    const contents = contentsOf(value)
    for (const content of contents ?? []) {
      const { parts = [], role } = json.fields(content)
      if (role !== 'model' && role !== 'user') state.other(content, 'content')
      else readMessage(state, { type: role === 'model' ? 'gemini' : role, content: parts })
    }
    if (contents === undefined && !readKnown(state, json.fields(value))) state.other(value)
  }
  endFile(state)
}

function readKnown(state: State, record: json.Fields): boolean {
  const target = json.text(record.$rewindTo)
  const update = json.object(record.$set)
  if (target !== undefined) readRewind(state, target)
  else if (update !== undefined) {
    // New values of the header; `messages` replaces the history, as in a compression.
    if (state.agent === 'main') state.out.meta({ title: json.text(update.summary) })
    const messages = json.list(update.messages).map((each) => json.object(each))
    if (Array.isArray(update.messages)) readHistory(state, messages)
    state.out.absorb('session metadata')
  } else if (isHeader(record)) readHeader(state, record)
  else return json.text(record.id) !== undefined && readMessage(state, record)
  return true
}

function readHeader(state: State, header: json.Fields): void {
  const { out } = state
  const id = json.text(header.sessionId)
  if (state.file === 0) {
    state.byAgent = header.kind === 'subagent'
    out.meta({ id, title: json.text(header.summary), cwd: json.text(json.list(header.directories)[0]) })
  } else beginFile(state, id ?? `subagent-${state.file}`)
  out.absorb('session metadata')
  if (header.messages !== undefined && !Array.isArray(header.messages))
    out.note('no-messages', 'the recording has no list of messages')
  for (const value of json.list(header.messages)) {
    const message = json.object(value)
    if (message === undefined || !readMessage(state, message)) state.other(value)
  }
}

function beginFile(state: State, id: string): void {
  const reported = [...state.agents].find((agent) => id === agent || id.endsWith(agent))
  const child = reported ?? id
  if (state.begun.has(child)) return
  state.begun.add(child)
  if (reported === undefined) state.begin(child, { parent: 'main' })
  Object.assign(state, { agent: child, byAgent: true, live: [] })
}

function endFile(state: State): void {
  const { agent } = state
  if (state.agents.has(agent)) Object.assign(state, { agent: 'main', time: undefined })
  else state.leave()
}

/** Reads `{"$rewindTo": id}`: takes back that message and everything after it; all messages if the id is unknown. */
function readRewind(state: State, id: string): void {
  const { out, messages } = state
  const at = state.live.indexOf(id)
  if (at === -1)
    out.note('rewind-unknown', 'a rewind does not name a message of this log: all were taken back')
  const removed = state.live.splice(Math.max(0, at))
  const turns = removed.reduce((sum, name) => sum + (messages.get(name)?.users ?? 0), 0)
  for (const name of removed) messages.delete(name)
  if (state.agent === 'main') state.rewind(turns)
  else out.note('rewind-subagent', 'messages of a subagent were taken back')
}

/** New user messages in place of dropped ones, before the kept ones, are a summary of these. */
function readHistory(state: State, list: readonly (json.Fields | undefined)[]): void {
  const ids = list.map((message) => json.text(message?.id) ?? '')
  const named = new Set(ids)
  const isDropped = state.live.some((id) => !named.has(id))
  // The harness's own first message stays in its place.
  const start = ids.findIndex((id, index) => id === '' || id !== state.live[index])
  const kept = ids.findIndex((id, index) => index >= start && state.messages.has(id))
  const head = kept === -1 ? list.length : kept
  const isSummary = (index: number): boolean =>
    isDropped && index >= start && index < head && !state.messages.has(ids[index] ?? '')
  const summary = list
    .filter((message, index) => isSummary(index) && message?.type === 'user')
    .flatMap((message) => textsOf(message?.content))
  state.time = json.text(list[0]?.timestamp)
  if (summary.length > 0) state.compact(summary.join('\n').trim())
  for (const [index, message] of list.entries()) {
    const id = ids[index] ?? ''
    // The harness writes the model's answer to the summary.
    if (message !== undefined && isSummary(index) && summary.length > 0) {
      if (id !== '') state.messages.set(id, { id, text: '', thoughts: 0, users: 0 })
    } else if (message === undefined || !readMessage(state, message, true)) state.other(message, 'message')
  }
  state.live = ids.filter((id) => state.messages.has(id))
}
