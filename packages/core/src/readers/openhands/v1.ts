import { toolKinds } from '../../session/event.ts'
import * as json from '../../session/json.ts'
import { byKind } from '../shared/by-kind.ts'
import { fileChange } from '../shared/diff-counts.ts'
import type { Change, Outcome } from '../shared/writer.ts'
import { callOf, readStats, readTime, type OpenHandsState as State, writeCall } from './state.ts'

export function readV1Event(state: State, event: json.Fields): boolean {
  readTime(state, event.timestamp)
  return readKind(state, event.kind, event)
}

const readKind = byKind<State>({
  SystemPromptEvent(state, event) {
    const [prompt, dynamic] = [readContent(event.system_prompt).text, readContent(event.dynamic_context).text]
    if (prompt === '' && dynamic === '') return false
    state.contextOnce('system', 'system prompt', prompt)
    state.contextOnce('system', 'context of the session', dynamic)
  },
  MessageEvent(state, event) {
    const message = json.object(event.llm_message)
    if (message === undefined) return false
    const { text, images, odd } = readContent(message.content)
    const source = json.text(event.source) ?? json.text(message.role)
    writeReasoning(state, message)
    if (source === 'agent' || message.role === 'assistant') {
      const words = withoutThought(text, message)
      if (words.trim() !== '' || images > 0)
        state.write({ type: 'assistant', text: words, model: state.model })
    } else if (source === 'user' && message.role !== 'system') {
      const [history = ''] = resumed.exec(text) ?? []
      state.contextOnce('harness', 'history', history)
      state.ask(history === '' ? text : text.slice(history.length).trim(), { images })
    } else state.contextOnce('harness', source ?? 'message', text)
    const names = json.texts(json.list(event.activated_skills ?? event.activated_microagents)).join(', ')
    const extended = readContent(event.extended_content).text
    state.contextOnce('attachment', names === '' ? 'extended content' : `skill ${names}`, extended)
    for (const raw of odd) state.other(raw, 'content')
  },
  ActionEvent(state, event) {
    const action = json.object(event.action)
    const call = json.fields(event.tool_call)
    const name = json.text(event.tool_name) ?? json.text(call.name)
    if (name === undefined) return false
    writeReasoning(state, event)
    state.say(withoutThought(readContent(event.thought).text, event))
    const actionId = json.text(event.id)
    const id = json.text(event.tool_call_id) ?? json.text(call.id)
    const message = name === 'finish' ? json.text(action?.message) : undefined
    if (message !== undefined) {
      writeCall(state, { id, name, input: null, shownAs: 'answer' }, actionId)
      state.say(message, { phase: 'final' })
      return true
    }
    // Arguments as the model wrote them, otherwise those of the action.
    const text = json.text(call.arguments)
    const parsed = json.object(json.parse(text ?? ''))
    const given = Object.entries(parsed ?? action ?? {}).filter(([key, value]) =>
      parsed === undefined ? key !== 'kind' && value !== null : key !== 'security_risk',
    )
    const input = (parsed ?? action) === undefined ? (text ?? null) : Object.fromEntries(given)
    writeCall(state, { id, name, input }, actionId)
  },
  ObservationEvent(state, event) {
    const observation = json.object(event.observation)
    if (observation === undefined) return false
    const { content, error, exit_code, is_error, output } = observation
    const { text, images, odd } = readContent(content ?? output)
    const metadata = json.fields(observation.metadata)
    const code = json.number(exit_code) ?? json.number(metadata.exit_code)
    state.out.meta({ cwd: json.text(metadata.working_dir) })
    // States how a command without an exit code ended.
    const suffix = code === -1 ? json.text(metadata.suffix)?.trim() : undefined
    const shown = json.texts([text, error, suffix]).join('\n')
    endCall(state, event, {
      failed: is_error === true || json.text(error) !== undefined,
      text: shown === '' && images === 0 ? bareText(observation) : shown,
      exitCode: code === -1 ? undefined : code,
      changes: editorChanges(observation),
      images,
    })
    for (const raw of odd) state.other(raw, 'content')
  },
  // A call that failed before it ran: an unknown tool, or wrong arguments.
  AgentErrorEvent(state, event) {
    const text = json.text(event.error)
    if (text === undefined) return false
    endCall(state, event, { failed: true, text })
  },
  // A call that the user or a hook refused.
  UserRejectObservation: (state, event) =>
    endCall(state, event, { status: 'denied', text: json.text(event.rejection_reason) ?? '' }),
  ACPToolCallEvent(state, event) {
    const { is_error, raw_input, status, tool_kind } = event
    const id = json.text(event.tool_call_id)
    if (id === undefined) return false
    if (!state.callIds.has(id)) {
      const kind = toolKinds.find((known) => known === tool_kind) ?? 'other'
      const name = json.text(event.title) ?? json.text(tool_kind) ?? 'tool'
      writeCall(state, { id, name, input: raw_input ?? null, kind }, undefined)
    }
    const failed = status === 'failed' || is_error === true
    if (status === 'completed' || status === 'failed')
      endCall(state, event, { failed, ...plainOutput(event) })
    else state.out.absorb('progress of a tool')
  },
  Condensation: (state, { summary }) => state.compact(summary),
  ConversationStateUpdateEvent(state, { key, value }) {
    if (key === 'stats') readStats(state, value)
    else if (key === 'full_state') readConversationState(state, json.fields(value))
    state.out.absorb(key === 'stats' ? 'usage' : 'state of the conversation')
  },
  'ConversationErrorEvent ServerErrorEvent': (state, { code, detail }) =>
    void state.contextOnce('harness', 'error', json.texts([code, detail]).join(': ')),
  'PauseEvent InterruptEvent': 'state of the agent',
  CondensationRequest: 'compaction begins',
  'TokenEvent StreamingDeltaEvent LLMCompletionLogEvent': 'stream of a response',
})

/** The SDK inserts the history of a conversation that its agent had lost. */
const resumed = /^\s*<<RESUMED CONVERSATION>>(?:[\s\S]*\n--- End of prior session ---|[\s\S]*)/

export function readConversationState(state: State, value: json.Fields): void {
  const model = json.text(value.agent, 'llm', 'model')
  const cwd = json.text(value.workspace, 'working_dir')
  state.model ??= model
  state.out.meta({ id: json.text(value.id), cwd, title: json.text(value.title), models: [model] })
  readStats(state, value.stats)
  state.out.absorb('state of the conversation')
}

function readContent(content: unknown) {
  const texts: string[] = []
  const odd: unknown[] = []
  let images = 0
  for (const part of Array.isArray(content) ? content : [content ?? '']) {
    const { image_urls, text, type } = json.fields(part)
    if (typeof part === 'string') texts.push(part)
    else if (typeof text === 'string') texts.push(text)
    else if (type === 'image' || image_urls !== undefined) images += Math.max(1, json.list(image_urls).length)
    else if (type !== 'cache_control') odd.push(part)
  }
  return { text: texts.join('\n'), images, odd }
}

function writeReasoning(state: State, { reasoning_content, thinking_blocks }: json.Fields): void {
  const blocks = json.texts(json.list(thinking_blocks).map((block) => json.at(block, 'thinking')))
  state.think(json.text(reasoning_content) ?? blocks.join('\n'))
}

/** Returns text without thoughts at its beginning that `reasoning_content` repeats. */
function withoutThought(text: string, { reasoning_content }: json.Fields): string {
  const [match = '', thought] = /^\s*<think>([\s\S]*?)<\/think>\s*/.exec(text) ?? []
  return thought?.trim() === json.text(reasoning_content)?.trim() ? text.slice(match.length) : text
}

function bareText(observation: json.Fields): string {
  const { kind, is_error, content, metadata, exit_code, command, ...rest } = observation
  const shown = Object.entries(rest).filter(
    ([, value]) => typeof value !== 'object' && value !== false && value !== '',
  )
  return shown.map(([key, value]) => `${key}: ${String(value)}`).join('\n')
}

function editorChanges({ command, new_content, old_content, path, prev_exist }: json.Fields): Change[] {
  const file = json.text(path)
  const after = json.text(new_content)
  const before = json.text(old_content)
  if (command === 'view' || file === undefined || after === undefined) return []
  if (prev_exist === false) return [{ ...fileChange(file, before ?? '', after), action: 'created' }]
  return before === undefined ? [] : [fileChange(file, before, after)]
}

function endCall(state: State, event: json.Fields, result: Outcome): void {
  const id = json.text(event.tool_call_id)
  state.result(callOf(state, id, json.text(event.action_id)), result, id)
}

function plainOutput(event: json.Fields) {
  const output = event.raw_output ?? undefined
  const blocks = json.objects(event.content)
  const shown = json.texts(blocks.map((block) => (json.object(block.content) ?? block).text)).join('\n')
  const fields = json.fields(output)
  const [printed] = json.texts([output, fields.output, fields.formatted_output])
  const rest = output ?? (blocks.length > 0 ? event.content : undefined)
  // `{type: 'diff', path, old_text, new_text}`, or with the names of the protocol.
  const changes = blocks.flatMap((block): Change[] => {
    const path = json.text(block.path)
    const after = json.text(block.new_text ?? block.newText)
    if (block.type !== 'diff' || path === undefined || after === undefined) return []
    return [fileChange(path, json.text(block.old_text ?? block.oldText), after)]
  })
  const exitCode = json.number(fields.exit_code) ?? json.number(fields.exitCode)
  const bare = rest === undefined || (output === undefined && changes.length > 0) ? '' : JSON.stringify(rest)
  return { text: printed ?? (shown === '' ? bare : shown), exitCode, changes }
}
