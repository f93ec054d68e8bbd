import type { FileChange, ToolResultEvent } from '../../session/event.ts'
import { asCount, asList, asNumber, asObject, asText, type JsonObject } from '../../session/json-values.ts'
import { resultOf } from '../gemini-cli/messages.ts'
import { geminiPieces } from '../gemini-cli/user-text.ts'
import type { LogRecord, SessionWriter } from '../reader/reader.ts'
import { diffCounts } from '../shared/diff-counts.ts'
import { byKind, countOf, createWriter, type Outcome, readRecords } from '../shared/writer.ts'

type State = ReturnType<typeof createState>

function createState(out: SessionWriter) {
  return Object.assign(createWriter(out), {
    file: 0,
    /** Turns of the user that are in the conversation after each record of the session. */
    turnsAfter: new Map<string, number>(),
  })
}

export async function readQwenCode(records: AsyncIterable<LogRecord>, out: SessionWriter): Promise<void> {
  const state = createState(out)
  await readRecords(records, state, (record, file) => {
    if (file !== state.file) state.leave()
    state.file = file
    state.time = asText(record.timestamp)
    state.model = asText(record.model)
    beginFile(state, record)
    const isKnown = readKind(state, record.type, record)
    const uuid = asText(record.uuid)
    if (uuid !== undefined && state.agent === 'main') state.turnsAfter.set(uuid, state.turns)
    if (isKnown) return
    const kind = [record.type, record.subtype].flatMap((part) => asText(part) ?? []).join(' ')
    state.other(record, kind === '' ? 'unknown' : kind)
  })
  state.leave()
}

/** Describes the session by its first records; begins a subagent with the first record of its file. */
function beginFile(state: State, record: JsonObject): void {
  const { out } = state
  if (state.file === 0) {
    state.byAgent = record.isSidechain === true
    const id = asText(state.byAgent ? record.agentId : record.sessionId)
    const agentVersion = asText(record.version)
    out.meta({ id, agentVersion, cwd: asText(record.cwd), branch: asText(record.gitBranch) })
    return
  }
  if (state.agent !== 'main') return
  const child = asText(record.agentId) ?? `subagent-${state.file}`
  // The id ends with that of the call.
  const callId = [...state.callIds.keys()].find((id) => child.endsWith(id))
  state.begin(child, { callId, type: asText(record.agentName) })
  state.agent = child
  state.byAgent = true
}

const readKind = byKind<State>({
  user: (state, record) => readParts(state, record, readPrompt),
  assistant: (state, record) => readParts(state, record, readAnswer),
  tool_result: (state, record) => readParts(state, record, readResults),
  system: (state, record) => readSystem(state, record.subtype, record),
})

function readParts(
  state: State,
  record: JsonObject,
  read: (state: State, record: JsonObject, parts: readonly unknown[]) => void,
): boolean {
  const parts = asObject(record.message)?.parts
  if (!Array.isArray(parts)) return false
  read(state, record, parts)
  state.out.absorb('empty message')
  return true
}

const readSystem = byKind<State>({
  ui_telemetry: 'usage and calls, as other records report them',
  'attribution_snapshot file_history_snapshot': "state of the harness's files",
  'session_model parent_session turn_result': 'session metadata',
  custom_title({ out }, record) {
    const { customTitle, title } = payloadOf(record)
    out.meta({ title: asText(customTitle) ?? asText(title) })
    out.absorb('session metadata')
  },
  slash_command(state, record) {
    const { phase, rawCommand } = payloadOf(record)
    if (phase !== 'invocation' || asText(rawCommand) === undefined) state.out.absorb('end of a command')
    else state.write({ type: 'user', origin: 'command', text: String(rawCommand) })
  },
  // Takes back what follows the record that a rewind continues; everything if it continues none.
  rewind(state, record) {
    const parent = asText(record.parentUuid)
    const kept = parent === undefined ? 0 : state.turnsAfter.get(parent)
    if (kept === undefined)
      state.out.note('rewind-unknown', 'a rewind names no record of this log: all messages were taken back')
    const taken = state.turns - (kept ?? 0)
    if (taken > 0) state.rewind(taken)
    else state.out.absorb('rewind without effect')
  },
  chat_compression(state, record) {
    const { compressedHistory, info } = payloadOf(record)
    // The first message of the new history is the summary of what it replaces.
    const parts = asList(asObject(asList(compressedHistory)[0])?.parts)
    const text = textsOf(parts).join('\n')
    state.write({ type: 'compaction', text, tokensBefore: asCount(asObject(info)?.originalTokenCount) })
  },
})

function payloadOf(record: JsonObject): JsonObject {
  return asObject(record.systemPayload) ?? {}
}

/** Reads text under the user's name: typed, typed while the agent worked, or written by a program. */
function readPrompt(state: State, record: JsonObject, parts: readonly unknown[]): void {
  const images = parts.filter((part) => asObject(asObject(part)?.inlineData) !== undefined).length
  const text = asText(payloadOf(record).displayText) ?? textsOf(parts).join('\n')
  for (const part of parts) keepUnknown(state, part, ['text', 'inlineData', 'fileData'])
  if (text.trim() === '' && images === 0) return
  const source = asText(record.provenance) ?? 'real_user'
  if (state.byAgent) state.ask(text, { images })
  else if (source !== 'real_user') state.context('notification', source, text, images)
  else if (record.subtype === 'mid_turn_user_message') state.ask(text, { origin: 'queued', images })
  else state.askPieces(geminiPieces(text, undefined), images)
}

/** Reads an answer of the model: thoughts, text, calls, and its usage. */
function readAnswer(state: State, record: JsonObject, parts: readonly unknown[]): void {
  countUsage(state, record)
  for (const value of parts) {
    const part = asObject(value)
    const text = asText(part?.text)
    const call = asObject(part?.functionCall)
    if (text !== undefined && part?.thought === true) state.think(text)
    else if (text !== undefined) state.say(text)
    else if (call !== undefined) state.call({ id: call.id, name: asText(call.name) ?? '', input: call.args })
    else keepUnknown(state, value, ['text', 'thoughtSignature'])
  }
}

/** Counts tokens: `promptTokenCount` includes the cache, the total shows whether the output has the thoughts. */
function countUsage(state: State, { usageMetadata, uuid }: JsonObject): void {
  const usage = asObject(usageMetadata)
  const { promptTokenCount: input, candidatesTokenCount: output, thoughtsTokenCount: thoughts } = usage ?? {}
  if (asCount(input) === undefined && asCount(output) === undefined) return
  const isApart = usage?.totalTokenCount === countOf(0, input, output, thoughts)
  state.usage(`${state.agent} ${asText(uuid) ?? ''}`, {
    inputTokens: input,
    outputTokens: isApart ? countOf(output, thoughts) : output,
    cacheReadTokens: usage?.cachedContentTokenCount,
    reasoningTokens: thoughts,
  })
}

function readResults(state: State, record: JsonObject, parts: readonly unknown[]): void {
  const reported = asObject(record.toolCallResult)
  for (const value of parts) {
    const part = asObject(value)
    const response = asObject(part?.functionResponse)
    const id = asText(response?.id) ?? reported?.callId
    if (part === undefined || response === undefined) keepUnknown(state, value, ['inlineData'])
    else state.result(state.take(id), outcomeOf(part, response, reported), id)
  }
}

/** The outcome in a `functionResponse` part; `reported` is the `toolCallResult` next to the message. */
function outcomeOf(part: JsonObject, response: JsonObject, reported: JsonObject | undefined): Outcome {
  const { text, images, failed } = resultOf([part])
  const shown = asObject(reported?.resultDisplay)
  const isShell = shown?.type === 'shell_result' || response.name === 'run_shell_command'
  const printed = isShell ? /^Exit Code: (-?\d{1,10})$/m.exec(text.slice(-2000))?.[1] : undefined
  const exitCode = asNumber(shown?.exitCode) ?? (printed === undefined ? undefined : Number(printed))
  const status = statusOf(reported, failed || (exitCode ?? 0) !== 0 || asText(shown?.signal) !== undefined)
  const changes = status === 'ok' && shown !== undefined ? changesOf(shown) : []
  return { status, text, exitCode, changes, images }
}

/** A search that finds nothing ends with 1 and is reported as a success. */
function statusOf(reported: JsonObject | undefined, failed: boolean): ToolResultEvent['status'] {
  if (/denied|declined|rejected/.test(asText(reported?.errorType) ?? '')) return 'denied'
  if (reported?.status === 'cancelled') return 'cancelled'
  if (reported?.status === 'success') return 'ok'
  return reported?.status === 'error' || failed ? 'error' : 'ok'
}

function changesOf({ fileDiff, fileName, filePath, originalContent }: JsonObject): FileChange[] {
  const path = asText(filePath) ?? asText(fileName)
  if (path === undefined || typeof fileDiff !== 'string') return []
  const action = originalContent === null || originalContent === '' ? 'created' : 'modified'
  return [{ path, action, ...diffCounts(fileDiff) }]
}

function textsOf(parts: readonly unknown[]): string[] {
  return parts.flatMap((part) => asText(asObject(part)?.text) ?? [])
}

function keepUnknown(state: State, value: unknown, fields: readonly string[]): void {
  const part = asObject(value)
  if (part === undefined || !fields.some((field) => field in part)) state.other(value, 'message part')
}
