import { type FileChange, type ToolKind, toolKinds } from '../../session/event.ts'
import { asList, asNumber, asObject, asText, type JsonObject, parseJson } from '../../session/json-values.ts'
import { knownOutcome, type Outcome } from '../shared/outcome.ts'
import { closeCall, type OpenHandsState, openCall, openHandsKind, write, writeContext } from './state.ts'
import { editorChanges, lineCounts } from './v1-changes.ts'
import { modelOf, readContent, withoutThought, writeReasoning } from './v1-content.ts'

/** Reads text of the agent and the call that follows it; `finish` is its last message. */
export function readActionEvent(state: OpenHandsState, event: JsonObject): boolean {
  const action = asObject(event.action)
  const call = asObject(event.tool_call)
  const name = asText(event.tool_name) ?? asText(call?.name)
  if (name === undefined) return false
  writeReasoning(state, event)
  const words = withoutThought(readContent(event.thought).text, event)
  if (words.trim() !== '') write(state, { type: 'assistant', text: words, ...modelOf(state) })
  const id = asText(event.id)
  const rawId = asText(event.tool_call_id) ?? asText(call?.id)
  const message = name === 'finish' ? asText(action?.message) : undefined
  if (message !== undefined) {
    openCall(state, rawId, id, { kind: 'other', isAnswer: true })
    write(state, { type: 'assistant', phase: 'final', text: message, ...modelOf(state) })
    return true
  }
  const input = inputOf(call, action)
  const kind = openHandsKind(name, input)
  const { callId } = openCall(state, rawId, id, { kind })
  write(state, { type: 'tool_call', callId, name, kind, input, ...modelOf(state) })
  return true
}

/** Arguments as the model wrote them, or otherwise those of the action. */
function inputOf(call: JsonObject | undefined, action: JsonObject | undefined): unknown {
  const text = asText(call?.arguments)
  const parsed = text === undefined ? undefined : asObject(parseJson(text))
  if (parsed !== undefined) {
    const { security_risk: _, ...input } = parsed
    return input
  }
  if (action === undefined) return text ?? null
  return Object.fromEntries(Object.entries(action).filter(([key, value]) => key !== 'kind' && value !== null))
}

/** The result of a call. */
export function readToolResult(state: OpenHandsState, event: JsonObject): boolean {
  const observation = asObject(event.observation)
  if (observation === undefined) return false
  const { text, images, odd } = readContent(observation.content ?? observation.output)
  const metadata = asObject(observation.metadata)
  const code = asNumber(observation.exit_code) ?? asNumber(metadata?.exit_code)
  const exitCode = code === -1 ? undefined : code
  const failed =
    observation.is_error === true || asText(observation.error) !== undefined || (exitCode ?? 0) !== 0
  const parts = [text, asText(observation.error), suffixOf(metadata, code)]
  const folder = asText(metadata?.working_dir)
  state.out.meta({ cwd: folder })
  const shown = parts.filter((part) => part !== undefined && part !== '').join('\n')
  const changes = failed ? [] : editorChanges(observation)
  const bare = shown === '' && images === 0 ? bareText(observation) : shown
  const status = failed ? 'error' : 'ok'
  writeResult(state, event, knownOutcome({ status, text: bare, exitCode, changes, images }))
  for (const raw of odd) write(state, { type: 'other', name: 'content', raw })
  return true
}

/** How a command without an exit code ended. */
function suffixOf(metadata: JsonObject | undefined, code: number | undefined): string | undefined {
  return code === -1 ? asText(metadata?.suffix)?.trim() : undefined
}

/** Text of an observation of a kind that keeps it elsewhere. */
function bareText(observation: JsonObject): string {
  const plain = new Set(['kind', 'is_error', 'content', 'metadata', 'exit_code', 'command'])
  const rest = Object.entries(observation).filter(
    ([key, value]) => !plain.has(key) && typeof value !== 'object' && value !== false && value !== '',
  )
  return rest.map(([key, value]) => `${key}: ${String(value)}`).join('\n')
}

/** Reads a call that failed before it ran: of a missing tool, or with wrong arguments. */
export function readToolError(state: OpenHandsState, event: JsonObject): boolean {
  const text = asText(event.error)
  if (text === undefined) return false
  writeResult(state, event, { status: 'error', text })
  return true
}

/** Reads a call that the user, or a hook, refused. */
export function readRejection(state: OpenHandsState, event: JsonObject): boolean {
  writeResult(state, event, { status: 'denied', text: asText(event.rejection_reason) ?? '' })
  return true
}

function writeResult(state: OpenHandsState, event: JsonObject, result: Outcome): void {
  const rawId = asText(event.tool_call_id)
  const call = closeCall(state, rawId, asText(event.action_id))
  if (call?.isAnswer === true) {
    if (result.status === 'ok') state.out.absorb('end of the task')
    else if (!writeContext(state, 'harness', 'finish', result.text)) state.out.absorb('end of the task')
    return
  }
  if (call === undefined) state.out.note('result-without-call', 'a tool result without a call before it')
  write(state, { type: 'tool_result', callId: call?.callId ?? rawId ?? 'unknown', ...result })
}

/** Reads a call of an agent behind the Agent Client Protocol, which includes its result; later events replace it. */
export function readPlainCall(state: OpenHandsState, event: JsonObject): boolean {
  const rawId = asText(event.tool_call_id)
  if (rawId === undefined) return false
  const name = asText(event.title) ?? asText(event.tool_kind) ?? 'tool'
  const opened = state.byCallId.get(rawId)?.at(-1)
  if (opened === undefined) {
    const kind = kindOf(asText(event.tool_kind))
    const { callId } = openCall(state, rawId, undefined, { kind })
    write(state, {
      type: 'tool_call',
      callId,
      name,
      kind,
      input: event.raw_input ?? null,
      ...modelOf(state),
    })
  }
  if (event.status !== 'completed' && event.status !== 'failed') {
    state.out.absorb('progress of a tool')
    return true
  }
  const { text, exitCode, changes } = acpOutput(event)
  const failed = event.status === 'failed' || event.is_error === true || (exitCode ?? 0) !== 0
  const status = failed ? 'error' : 'ok'
  writeResult(state, event, knownOutcome({ status, text, exitCode, changes: failed ? [] : changes }))
  return true
}

function kindOf(reported: string | undefined): ToolKind {
  return toolKinds.find((kind) => kind === reported) ?? 'other'
}

/** What a call behind the Agent Client Protocol returned: its own output, or the text and diffs shown for it. */
function acpOutput(event: JsonObject) {
  const output = event.raw_output ?? undefined
  const blocks = asList(event.content)
    .map(asObject)
    .filter((block) => block !== undefined)
  const shown = blocks.flatMap((block) => asText((asObject(block.content) ?? block).text) ?? []).join('\n')
  const fields = asObject(output)
  const printed = asText(output) ?? asText(fields?.output) ?? asText(fields?.formatted_output)
  const rest = output ?? (blocks.length > 0 ? event.content : undefined)
  const changes = blocks.flatMap(changeOf)
  const exitCode = asNumber(fields?.exit_code) ?? asNumber(fields?.exitCode)
  const bare = rest === undefined || (output === undefined && changes.length > 0) ? '' : JSON.stringify(rest)
  return { text: printed ?? (shown === '' ? bare : shown), exitCode, changes }
}

/** `{type: 'diff', path, old_text, new_text}`, or in the names of the protocol. */
function changeOf(block: JsonObject): FileChange[] {
  const path = asText(block.path)
  const after = asText(block.new_text ?? block.newText)
  if (block.type !== 'diff' || path === undefined || after === undefined) return []
  const before = asText(block.old_text ?? block.oldText)
  return [{ path, action: before === undefined ? 'created' : 'modified', ...lineCounts(before, after) }]
}
