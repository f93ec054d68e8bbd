import * as json from '../../session/json.ts'
import { geminiPieces, resultOf, textsOf } from '../gemini-cli/messages.ts'
import type { LogRecord, SessionWriter } from '../reader/reader.ts'
import { byKind, readRecords } from '../shared/by-kind.ts'
import { diffCounts } from '../shared/diff-counts.ts'
import { countOf } from '../shared/usage.ts'
import { numberIn } from '../shared/values.ts'
import { type Change, createWriter, type Outcome, type Writer } from '../shared/writer.ts'

/** `turnsAfter` is the number of the user's turns in the conversation after each record. */
type State = Writer & { file: number; readonly turnsAfter: Map<string, number> }

export async function readQwenCode(records: AsyncIterable<LogRecord>, out: SessionWriter): Promise<void> {
  const turnsAfter = new Map<string, number>()
  const state: State = Object.assign(createWriter(out), { file: 0, turnsAfter })
  await readRecords(records, state, (record, file) => {
    if (file !== state.file) state.leave()
    state.file = file
    state.time = json.text(record.timestamp)
    state.model = json.text(record.model)
    beginFile(state, record)
    const isKnown = readKind(state, record.type, record)
    const uuid = json.text(record.uuid)
    if (uuid !== undefined && state.agent === 'main') state.turnsAfter.set(uuid, state.turns)
    if (!isKnown) state.other(record, json.texts([record.type, record.subtype]).join(' ') || 'unknown')
  })
  state.leave()
}

function beginFile(state: State, record: json.Fields): void {
  if (state.file === 0) {
    state.byAgent = record.isSidechain === true
    const id = json.text(state.byAgent ? record.agentId : record.sessionId)
    const agentVersion = json.text(record.version)
    state.out.meta({ id, agentVersion, cwd: json.text(record.cwd), branch: json.text(record.gitBranch) })
    return
  }
  if (state.agent !== 'main') return
  const child = json.text(record.agentId) ?? `subagent-${state.file}`
  // The id ends with that of the call.
  const callId = [...state.callIds.keys()].find((id) => child.endsWith(id))
  state.begin(child, { callId, type: json.text(record.agentName) })
  state.agent = child
  state.byAgent = true
}

const readKind = byKind<State>({
  'user assistant tool_result'(state, record, kind) {
    const parts = json.at(record.message, 'parts')
    if (!Array.isArray(parts)) return false
    const read = kind === 'user' ? readPrompt : kind === 'assistant' ? readAnswer : readResults
    read(state, record, parts)
    state.out.absorb('empty message')
  },
  system: (state, record) => readSystem(state, record.subtype, record),
})

const readSystem = byKind<State>({
  ui_telemetry: 'usage and calls, as other records report them',
  'attribution_snapshot file_history_snapshot': "state of the harness's files",
  'session_model parent_session turn_result': 'session metadata',
  custom_title: ({ meta }, { systemPayload }) =>
    meta({ title: json.text(systemPayload, 'customTitle') ?? json.text(systemPayload, 'title') }),
  slash_command(state, { systemPayload }) {
    const text = json.text(systemPayload, 'rawCommand')
    if (json.at(systemPayload, 'phase') !== 'invocation' || text === undefined)
      state.out.absorb('end of a command')
    else state.write({ type: 'user', origin: 'command', text })
  },
  // Takes back everything after the record that a rewind continues; all if it continues none.
  rewind(state, record) {
    const parent = json.text(record.parentUuid)
    const kept = parent === undefined ? 0 : state.turnsAfter.get(parent)
    if (kept === undefined)
      state.out.note('rewind-unknown', 'a rewind names no record of this log: all messages were taken back')
    const taken = state.turns - (kept ?? 0)
    if (taken > 0) state.rewind(taken)
    else state.out.absorb('rewind without effect')
  },
  chat_compression(state, { systemPayload }) {
    const { compressedHistory, info } = json.fields(systemPayload)
    // The first message of the new history is the summary of the replaced one.
    const text = textsOf(json.list(json.list(compressedHistory)[0], 'parts')).join('\n')
    state.compact(text, { tokensBefore: json.at(info, 'originalTokenCount') })
  },
})

function readPrompt(state: State, record: json.Fields, parts: readonly unknown[]): void {
  const images = parts.filter((part) => json.object(part, 'inlineData')).length
  const text = json.text(record.systemPayload, 'displayText') ?? textsOf(parts).join('\n')
  for (const part of parts) keepUnknown(state, part, ['text', 'inlineData', 'fileData'])
  if (text.trim() === '' && images === 0) return
  const source = json.text(record.provenance) ?? 'real_user'
  if (state.byAgent) state.ask(text, { images })
  else if (source !== 'real_user') state.context('notification', source, text, images)
  else if (record.subtype === 'mid_turn_user_message') state.ask(text, { origin: 'queued', images })
  else state.askPieces(geminiPieces(text, undefined), images)
}

function readAnswer(state: State, record: json.Fields, parts: readonly unknown[]): void {
  countUsage(state, record)
  for (const value of parts) {
    const { functionCall, text: given, thought } = json.fields(value)
    const text = json.text(given)
    const call = json.object(functionCall)
    if (text !== undefined && thought === true) state.think(text)
    else if (text !== undefined) state.say(text)
    else if (call !== undefined)
      state.call({ id: call.id, name: json.text(call.name) ?? '', input: call.args })
    else keepUnknown(state, value, ['text', 'thoughtSignature'])
  }
}

/** Counts tokens. `promptTokenCount` includes the cache; the total shows whether the output includes the thoughts. */
function countUsage(state: State, { usageMetadata, uuid }: json.Fields): void {
  const usage = json.fields(usageMetadata)
  const { promptTokenCount: inputTokens, candidatesTokenCount: output, thoughtsTokenCount: thoughts } = usage
  if (json.count(inputTokens) === undefined && json.count(output) === undefined) return
  const isApart = usage.totalTokenCount === countOf(0, inputTokens, output, thoughts)
  const outputTokens = isApart ? countOf(output, thoughts) : output
  const more = { cacheReadTokens: usage.cachedContentTokenCount, reasoningTokens: thoughts }
  state.usage(`${state.agent} ${json.text(uuid) ?? ''}`, { inputTokens, outputTokens, ...more })
}

function readResults(state: State, record: json.Fields, parts: readonly unknown[]): void {
  const reported = json.fields(record.toolCallResult)
  for (const value of parts) {
    const response = json.object(value, 'functionResponse')
    const id = json.text(response?.id) ?? reported.callId
    if (response === undefined) keepUnknown(state, value, ['inlineData'])
    else state.result(state.take(id), outcomeOf(value, response.name, reported), id)
  }
}

/** Returns the outcome in a `functionResponse` part; `reported` is the `toolCallResult` next to the message. */
function outcomeOf(part: unknown, name: unknown, reported: json.Fields): Outcome {
  const { text, images, failed } = resultOf([part])
  const { exitCode: code, signal, type, ...shown } = json.fields(reported.resultDisplay)
  const isShell = type === 'shell_result' || name === 'run_shell_command'
  const printed = isShell ? numberIn(text.slice(-2000), /^Exit Code: (-?\d{1,10})$/m) : undefined
  const exitCode = json.number(code) ?? printed
  const isError = reported.status === 'error' || failed || json.text(signal) !== undefined
  return { text, images, exitCode, failed: isError, status: statusOf(reported), changes: changesOf(shown) }
}

/** A search that finds nothing ends with 1 and is reported as a success. */
function statusOf({ errorType, status }: json.Fields): Outcome['status'] {
  if (/denied|declined|rejected/.test(json.text(errorType) ?? '')) return 'denied'
  return status === 'cancelled' ? status : status === 'success' ? 'ok' : undefined
}

function changesOf({ fileDiff, fileName, filePath, originalContent }: json.Fields): Change[] {
  const path = json.text(filePath) ?? json.text(fileName)
  if (path === undefined || typeof fileDiff !== 'string') return []
  const action = originalContent === null || originalContent === '' ? 'created' : 'modified'
  return [{ path, action, ...diffCounts(fileDiff) }]
}

function keepUnknown(state: State, value: unknown, fields: readonly string[]): void {
  const part = json.object(value)
  if (part === undefined || !fields.some((field) => field in part)) state.other(value, 'message part')
}
