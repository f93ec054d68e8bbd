import { type FileChange, toolKinds } from '../../session/event.ts'
import {
  asList,
  asNumber,
  asObject,
  asText,
  type JsonObject,
  objectsIn,
  parseJson,
  textsIn,
} from '../../session/json-values.ts'
import { changedLines, type DiffCounts } from '../shared/diff-counts.ts'
import { byKind, type Outcome } from '../shared/writer.ts'
import {
  closeCall,
  openCall,
  openHandsKind,
  readStats,
  readTime,
  type OpenHandsState as State,
} from './state.ts'

/** Reads one event of V1. Returns `false` if its kind, or its form, is not known. */
export function readV1Event(state: State, event: JsonObject): boolean {
  readTime(state, event.timestamp)
  return readKind(state, event.kind, event)
}

const readKind = byKind<State>({
  SystemPromptEvent(state, event) {
    const prompt = readContent(event.system_prompt).text
    const dynamic = readContent(event.dynamic_context).text
    if (prompt === '' && dynamic === '') return false
    state.contextOnce('system', 'system prompt', prompt)
    state.contextOnce('system', 'context of the session', dynamic)
  },
  MessageEvent: readMessage,
  ActionEvent: readAction,
  ObservationEvent: readObservation,
  // A call that failed before it ran: of a missing tool, or with wrong arguments.
  AgentErrorEvent(state, event) {
    const text = asText(event.error)
    if (text === undefined) return false
    writeResult(state, event, { status: 'error', text })
  },
  // A call that the user, or a hook, refused.
  UserRejectObservation: (state, event) =>
    writeResult(state, event, { status: 'denied', text: asText(event.rejection_reason) ?? '' }),
  ACPToolCallEvent: readPlainCall,
  Condensation: (state, { summary }) => void state.write({ type: 'compaction', text: asText(summary) ?? '' }),
  CondensationSummaryEvent: (state, { summary }) => state.contextOnce('harness', 'summary', asText(summary)),
  ConversationStateUpdateEvent(state, { key, value }) {
    if (key === 'stats') readStats(state, value)
    else if (key === 'full_state') readConversationState(state, asObject(value) ?? {})
    state.out.absorb(key === 'stats' ? 'usage' : 'state of the conversation')
  },
  'ConversationErrorEvent ServerErrorEvent': (state, { code, detail }) =>
    void state.contextOnce('harness', 'error', textsIn([code, detail]).join(': ')),
  HookExecutionEvent(state, event) {
    const { additional_context, error, hook_event_type, reason, stderr, stdout } = event
    const text = textsIn([stdout, stderr, error, reason, additional_context]).join('\n')
    state.contextOnce('hook', asText(hook_event_type) ?? 'hook', text)
  },
  'PauseEvent InterruptEvent': 'state of the agent',
  CondensationRequest: 'compaction begins',
  'TokenEvent StreamingDeltaEvent LLMCompletionLogEvent': 'stream of a response',
})

/** Reads a message with what skills and hooks added. */
function readMessage(state: State, event: JsonObject): boolean {
  const message = asObject(event.llm_message)
  if (message === undefined) return false
  const { text, images, odd } = readContent(message.content)
  const source = asText(event.source) ?? asText(message.role)
  writeReasoning(state, message)
  if (source === 'agent' || message.role === 'assistant') {
    const words = withoutThought(text, message)
    if (words.trim() !== '' || images > 0) state.write({ type: 'assistant', text: words, model: state.model })
  } else if (source === 'user' && message.role !== 'system') {
    // The SDK put the history of a conversation that its agent had lost at the beginning.
    const [history = ''] = resumed.exec(text) ?? []
    state.contextOnce('harness', 'history', history)
    state.ask(history === '' ? text : text.slice(history.length).trim(), { images })
  } else state.contextOnce('harness', source ?? 'message', text)
  const skills = asList(event.activated_skills ?? event.activated_microagents)
    .filter((skill) => typeof skill === 'string')
    .join(', ')
  const extended = readContent(event.extended_content).text
  state.contextOnce('attachment', skills === '' ? 'extended content' : `skill ${skills}`, extended)
  for (const raw of odd) state.other(raw, 'content')
  return true
}

const resumed = /^\s*<<RESUMED CONVERSATION>>(?:[\s\S]*\n--- End of prior session ---|[\s\S]*)/

/** `base_state.json`: the settings and sums of a conversation. */
export function readConversationState(state: State, value: JsonObject): void {
  const model = asText(asObject(asObject(value.agent)?.llm)?.model)
  const cwd = asText(asObject(value.workspace)?.working_dir)
  state.model ??= model
  state.out.meta({ id: asText(value.id), cwd, title: asText(value.title), models: [model] })
  readStats(state, value.stats)
  state.out.absorb('state of the conversation')
}

/** Text and images of a list of content parts, of one part or of plain text; parts of an unknown kind are `odd`. */
function readContent(content: unknown) {
  const texts: string[] = []
  const odd: unknown[] = []
  let images = 0
  for (const part of Array.isArray(content) ? content : [content ?? '']) {
    const object = asObject(part)
    if (typeof part === 'string') texts.push(part)
    else if (typeof object?.text === 'string') texts.push(object.text)
    else if (object?.type === 'image' || object?.image_urls !== undefined)
      images += Math.max(1, asList(object?.image_urls).length)
    else if (object?.type !== 'cache_control') odd.push(part)
  }
  return { text: texts.join('\n'), images, odd }
}

function writeReasoning(state: State, { reasoning_content, thinking_blocks }: JsonObject): void {
  const blocks = textsIn(asList(thinking_blocks).map((block) => asObject(block)?.thinking))
  state.think(asText(reasoning_content) ?? blocks.join('\n'))
}

/** Text without the thoughts at its beginning that `reasoning_content` repeats. */
function withoutThought(text: string, holder: JsonObject): string {
  const match = /^\s*<think>([\s\S]*?)<\/think>\s*/.exec(text)
  const repeated = match !== null && match[1]?.trim() === asText(holder.reasoning_content)?.trim()
  return repeated ? text.slice(match[0].length) : text
}

/** Reads text of the agent and the call that follows it; `finish` is its last message. */
function readAction(state: State, event: JsonObject): boolean {
  const action = asObject(event.action)
  const call = asObject(event.tool_call)
  const name = asText(event.tool_name) ?? asText(call?.name)
  if (name === undefined) return false
  writeReasoning(state, event)
  state.say(withoutThought(readContent(event.thought).text, event))
  const id = asText(event.id)
  const rawId = asText(event.tool_call_id) ?? asText(call?.id)
  const message = name === 'finish' ? asText(action?.message) : undefined
  if (message !== undefined) {
    openCall(state, rawId, id, { kind: 'other', shownAs: 'answer' })
    state.say(message, { phase: 'final' })
  } else writeCall(state, rawId, id, name, inputOf(call, action))
  return true
}

function writeCall(
  state: State,
  rawId: string | undefined,
  action: string | undefined,
  name: string,
  input: unknown,
  kind = openHandsKind(name, input),
): void {
  const { callId } = openCall(state, rawId, action, { kind })
  state.write({ type: 'tool_call', callId, name, kind, input, model: state.model })
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

function readObservation(state: State, event: JsonObject): boolean {
  const observation = asObject(event.observation)
  if (observation === undefined) return false
  const { content, error, exit_code, is_error, output } = observation
  const { text, images, odd } = readContent(content ?? output)
  const metadata = asObject(observation.metadata)
  const code = asNumber(exit_code) ?? asNumber(metadata?.exit_code)
  const exitCode = code === -1 ? undefined : code
  const failed = is_error === true || asText(error) !== undefined || (exitCode ?? 0) !== 0
  state.out.meta({ cwd: asText(metadata?.working_dir) })
  // How a command without an exit code ended.
  const suffix = code === -1 ? asText(metadata?.suffix)?.trim() : undefined
  const shown = textsIn([text, error, suffix]).join('\n')
  writeResult(state, event, {
    status: failed ? 'error' : 'ok',
    text: shown === '' && images === 0 ? bareText(observation) : shown,
    exitCode,
    changes: failed ? [] : editorChanges(observation),
    images,
  })
  for (const raw of odd) state.other(raw, 'content')
  return true
}

/** Text of an observation of a kind that keeps it elsewhere. */
function bareText(observation: JsonObject): string {
  const rest = Object.entries(observation).filter(
    ([key, value]) =>
      !/^(?:kind|is_error|content|metadata|exit_code|command)$/.test(key) &&
      typeof value !== 'object' &&
      value !== false &&
      value !== '',
  )
  return rest.map(([key, value]) => `${key}: ${String(value)}`).join('\n')
}

/** What the file editor changed, by the contents before and after that it reports. */
function editorChanges({ command, new_content, old_content, path, prev_exist }: JsonObject): FileChange[] {
  const file = asText(path)
  const after = asText(new_content)
  const before = asText(old_content)
  const isNew = prev_exist === false
  if (command === 'view' || file === undefined || after === undefined) return []
  if (!isNew && before === undefined) return []
  return [{ path: file, action: isNew ? 'created' : 'modified', ...lineCounts(before, after) }]
}

/** Lines added and removed; the end of the last line begins no further one. */
function lineCounts(before: string | undefined, after: string): DiffCounts {
  return changedLines((before ?? '').replace(/\n$/, ''), after.replace(/\n$/, ''))
}

function writeResult(state: State, event: JsonObject, result: Outcome): void {
  const rawId = asText(event.tool_call_id)
  const call = closeCall(state, rawId, asText(event.action_id))
  if (call?.shownAs === 'answer' && result.status === 'ok') state.out.absorb('end of the task')
  else if (call?.shownAs === 'answer') state.contextOnce('harness', 'finish', result.text)
  else if (call === undefined) state.result(undefined, result, rawId)
  else state.write({ type: 'tool_result', callId: call.callId, ...result })
}

/** Reads a call of an agent behind the Agent Client Protocol, which includes its result; later events replace it. */
function readPlainCall(state: State, event: JsonObject): boolean {
  const { is_error, raw_input, status, tool_kind } = event
  const rawId = asText(event.tool_call_id)
  if (rawId === undefined) return false
  if (!state.byCallId.has(rawId)) {
    const kind = toolKinds.find((known) => known === tool_kind) ?? 'other'
    writeCall(
      state,
      rawId,
      undefined,
      asText(event.title) ?? asText(tool_kind) ?? 'tool',
      raw_input ?? null,
      kind,
    )
  }
  if (status !== 'completed' && status !== 'failed') {
    state.out.absorb('progress of a tool')
    return true
  }
  const { text, exitCode, changes } = acpOutput(event)
  const failed = status === 'failed' || is_error === true || (exitCode ?? 0) !== 0
  writeResult(state, event, {
    status: failed ? 'error' : 'ok',
    text,
    exitCode,
    changes: failed ? [] : changes,
  })
  return true
}

/** What a call behind the Agent Client Protocol returned: its own output, or the text and diffs shown for it. */
function acpOutput(event: JsonObject) {
  const output = event.raw_output ?? undefined
  const blocks = objectsIn(event.content)
  const shown = textsIn(blocks.map((block) => (asObject(block.content) ?? block).text)).join('\n')
  const fields = asObject(output)
  const [printed] = textsIn([output, fields?.output, fields?.formatted_output])
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
