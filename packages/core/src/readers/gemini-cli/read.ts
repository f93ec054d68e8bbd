import { asList, asObject, asText, type JsonObject } from '../../session/json-values.ts'
import type { LogRecord, SessionWriter } from '../reader/reader.ts'
import { contentsOf, isHeader } from './detect.ts'
import { readMessage } from './messages.ts'
import { createGeminiState, type GeminiState, write } from './state.ts'
import { readRewind, readUpdate } from './updates.ts'

export async function readGeminiCli(records: AsyncIterable<LogRecord>, out: SessionWriter): Promise<void> {
  const state = createGeminiState(out)
  for await (const { value, file, line } of records) {
    if (file !== state.at.file) endFile(state)
    state.at = { file, line }
    readRecord(state, value)
  }
  endFile(state)
}

function readRecord(state: GeminiState, value: unknown): void {
  const contents = contentsOf(value)
  if (contents !== undefined) {
    for (const content of contents) readContent(state, content)
    return
  }
  const record = asObject(value)
  state.time = undefined
  if (record !== undefined && readKnown(state, record)) return
  write(state, { type: 'other', name: asText(record?.type) ?? 'unknown', raw: value })
}

function readKnown(state: GeminiState, record: JsonObject): boolean {
  const target = asText(record.$rewindTo)
  const update = asObject(record.$set)
  if (target !== undefined) readRewind(state, target)
  else if (update !== undefined) readUpdate(state, update)
  else if (isHeader(record)) readHeader(state, record)
  else if (asText(record.id) !== undefined) return readMessage(state, record)
  else return false
  return true
}

function readHeader(state: GeminiState, header: JsonObject): void {
  const { out } = state
  const id = asText(header.sessionId)
  const isChild = header.kind === 'subagent'
  if (state.at.file === 0) {
    state.byAgent = isChild
    const cwd = asText(asList(header.directories)[0])
    out.meta({ id, title: asText(header.summary), cwd })
  } else beginFile(state, id ?? `subagent-${state.at.file}`)
  out.absorb('session metadata')
  if (header.messages === undefined) return
  if (!Array.isArray(header.messages)) out.note('no-messages', 'the recording holds no list of messages')
  for (const value of asList(header.messages)) {
    const message = asObject(value)
    if (message === undefined || !readMessage(state, message))
      write(state, { type: 'other', name: asText(message?.type) ?? 'message', raw: value })
  }
}

/** Begins the file of a subagent: its id is the one that its call reported, or ends with it. */
function beginFile(state: GeminiState, id: string): void {
  const reported = [...state.agents.keys()].find((agent) => id === agent || id.endsWith(agent))
  const child = reported ?? id
  if (state.begun.has(child)) return
  state.begun.add(child)
  if (reported === undefined) {
    state.out.agent({ id: child, parent: 'main' })
    write(state, { type: 'subagent_start', child })
  }
  state.agent = child
  state.byAgent = true
  state.live = []
}

function endFile(state: GeminiState): void {
  const { agent, agents } = state
  if (agent === 'main') return
  state.agent = 'main'
  state.time = undefined
  if (!agents.has(agent)) write(state, { type: 'subagent_end', child: agent })
}

/** Reads a content of the Gemini API, whose parts include the calls and results. */
function readContent(state: GeminiState, value: unknown): void {
  const content = asObject(value)
  const type = content?.role === 'model' ? 'gemini' : content?.role === 'user' ? 'user' : undefined
  if (content === undefined || type === undefined)
    write(state, { type: 'other', name: 'content', raw: value })
  else readMessage(state, { type, content: content.parts ?? [] })
}
