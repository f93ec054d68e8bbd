import type { EventDraft } from '../../session/event.ts'
import { asObject, asText, type JsonObject } from '../../session/json-values.ts'
import { known } from '../../session/known.ts'
import type { LogRecord, SessionWriter } from '../reader/reader.ts'
import { readAnswer, readPrompt, readResults } from './messages.ts'
import { createQwenState, type QwenState, write } from './state.ts'
import { readSystem } from './system-records.ts'

/** Reads the records of a session and of its subagents. */
export async function readQwenCode(records: AsyncIterable<LogRecord>, out: SessionWriter): Promise<void> {
  const state = createQwenState(out)
  for await (const record of records) readRecord(state, record)
  endFile(state)
}

function readRecord(state: QwenState, { value, file }: LogRecord): void {
  const record = asObject(value)
  if (file !== state.file) endFile(state)
  state.file = file
  state.time = asText(record?.timestamp)
  if (record !== undefined) {
    beginFile(state, record)
    const isKnown = readKnown(state, record)
    const uuid = asText(record.uuid)
    if (uuid !== undefined && state.agent === 'main') state.turnsAfter.set(uuid, state.turns)
    if (isKnown) return
  }
  const name = [record?.type, record?.subtype].flatMap((part) => asText(part) ?? []).join(' ')
  write(state, { type: 'other', name: name === '' ? 'unknown' : name, raw: value })
}

/** Returns `false` if the kind of record, or its form, is not known. */
function readKnown(state: QwenState, record: JsonObject): boolean {
  const message = asObject(record.message)
  if (record.type === 'system') return readSystem(state, record)
  if (message === undefined || !Array.isArray(message.parts)) return false
  if (record.type === 'user') readPrompt(state, record, message.parts)
  else if (record.type === 'assistant') readAnswer(state, record, message.parts)
  else if (record.type === 'tool_result') readResults(state, record, message.parts)
  else return false
  state.out.absorb('empty message')
  return true
}

/** Describes the session by its first records; begins a subagent with the first record of its file. */
function beginFile(state: QwenState, record: JsonObject): void {
  const { out } = state
  const isChild = record.isSidechain === true
  if (state.file === 0) {
    state.byAgent = isChild
    const id = asText(isChild ? record.agentId : record.sessionId)
    const agentVersion = asText(record.version)
    out.meta({ id, agentVersion, cwd: asText(record.cwd), branch: asText(record.gitBranch) })
    return
  }
  if (state.agent !== 'main') return
  const child = asText(record.agentId) ?? `subagent-${state.file}`
  // The id ends with that of the call.
  const callId = [...state.calls].find(([id]) => id !== '' && child.endsWith(id))?.[1]
  out.agent({ id: child, parent: 'main', callId, type: asText(record.agentName) })
  write(state, known<EventDraft>({ type: 'subagent_start', child, callId }))
  state.agent = child
  state.byAgent = true
}

function endFile(state: QwenState): void {
  const child = state.agent
  if (child === 'main') return
  state.agent = 'main'
  state.time = undefined
  write(state, { type: 'subagent_end', child })
}
