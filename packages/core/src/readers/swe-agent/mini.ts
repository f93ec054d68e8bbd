import { asCount, asList, asObject, asText, type JsonObject, parseJson } from '../../session/json-values.ts'
import { known } from '../../session/known.ts'
import type { SessionWriter } from '../reader/reader.ts'
import { timeOfSeconds } from '../shared/epoch-time.ts'
import { contentText } from './content.ts'
import { readMiniAnswer } from './mini-answers.ts'
import { createMiniState, type MiniState, write } from './mini-state.ts'

/** Reads `{info, messages, trajectory_format}`, or the bare list of messages of older versions. */
export function readMini(out: SessionWriter, value: unknown): void {
  const document = asObject(value)
  const messages = asList(document === undefined ? value : document.messages)
  const state = createMiniState(out)
  const info = asObject(document?.info)
  describe(state, info)
  for (const message of messages) readMessage(state, message)
  state.time = undefined
  readEnd(state, info)
  for (const [name, raw] of Object.entries(document ?? {}))
    if (!['info', 'messages', 'trajectory_format'].includes(name)) out.event({ type: 'other', name, raw })
  if (messages.length === 0) out.note('no-records', 'the document holds no messages')
}

function describe(state: MiniState, info: JsonObject | undefined): void {
  const config = asObject(info?.config)
  const model = asText(asObject(config?.model)?.model_name)
  state.model = model
  state.out.meta({
    agentVersion: asText(info?.mini_version),
    cwd: asText(asObject(config?.environment)?.cwd),
    ...(model !== undefined && { models: [model] }),
  })
}

function readMessage(state: MiniState, value: unknown): void {
  const message = asObject(value)
  const role = asText(message?.role)
  const extra = asObject(message?.extra)
  state.time = timeOfSeconds(extra?.timestamp)
  if (message === undefined || role === undefined)
    write(state, { type: 'other', name: 'message', raw: value })
  else if (role === 'system') {
    const { text } = contentText(message.content)
    if (text.trim() !== '') write(state, { type: 'context', origin: 'system', name: 'system prompt', text })
  } else if (role === 'assistant') readResponse(state, message, extra)
  else if (role === 'exit') readExit(state, message)
  else if (role === 'user' || role === 'tool') readMiniAnswer(state, message)
  else write(state, { type: 'other', name: `message ${role}`, raw: value })
}

/** Reads a text with one command in a code block, or with tool calls. */
function readResponse(state: MiniState, message: JsonObject, extra: JsonObject | undefined): void {
  const response = asObject(extra?.response)
  countResponse(state, response)
  const reported = asObject(asObject(asList(response?.choices)[0])?.message)
  const thoughts = asText(message.reasoning_content) ?? asText(reported?.reasoning_content)
  if (thoughts !== undefined && thoughts.trim() !== '') write(state, { type: 'reasoning', text: thoughts })
  const { text } = contentText(message.content)
  const shown = state.model === undefined ? {} : { model: state.model }
  state.responses++
  const calls = toolCalls(message, extra)
  const block = calls.length > 0 ? undefined : commandBlock(text)
  const words = block === undefined ? text.trim() : block.words
  if (words !== '') write(state, { type: 'assistant', text: words, ...shown })
  state.open.length = 0
  for (const call of block === undefined
    ? calls
    : [{ id: undefined, name: 'bash', input: { command: block.command } }]) {
    const callId = state.nameCall(call.id, `step-${state.responses}`)
    state.open.push({ callId, command: asText(asObject(call.input)?.command) ?? '' })
    const { name, input } = call
    write(state, { type: 'tool_call', callId, name, kind: 'execute', input, ...shown })
  }
}

interface MiniCall {
  readonly id: string | undefined
  readonly name: string
  readonly input: unknown
}

function toolCalls(message: JsonObject, extra: JsonObject | undefined): MiniCall[] {
  const calls = asList(message.tool_calls).flatMap((value): MiniCall[] => {
    const call = asObject(value)
    const details = asObject(call?.function)
    const name = asText(details?.name)
    const text = asText(details?.arguments)
    if (name === undefined) return []
    return [{ id: asText(call?.id), name, input: text === undefined ? null : (parseJson(text) ?? text) }]
  })
  if (calls.length > 0) return calls
  return asList(extra?.actions).flatMap((value): MiniCall[] => {
    const action = asObject(value)
    const command = asText(action?.command)
    // An action of a code block has no id: the block itself identifies it.
    const id = asText(action?.tool_call_id)
    return command === undefined || id === undefined ? [] : [{ id, name: 'bash', input: { command } }]
  })
}

/** The only command of a response: with none or more than one, nothing is run. */
function commandBlock(text: string): { words: string; command: string } | undefined {
  const fence = /```(?:mswea_bash_command|bash|sh)[ \t]*\r?\n([\s\S]*?)\r?\n[ \t]*```/g
  const blocks = [...text.matchAll(fence)]
  const [block] = blocks
  if (blocks.length !== 1 || block === undefined) return undefined
  const words = `${text.slice(0, block.index).trim()}\n${text.slice(block.index + block[0].length).trim()}`
  return { words: words.trim(), command: block[1] ?? '' }
}

function countResponse(state: MiniState, response: JsonObject | undefined): void {
  const usage = asObject(response?.usage)
  if (usage === undefined) return
  const model = asText(response?.model) ?? state.model ?? 'unknown'
  const cached =
    asCount(asObject(usage.prompt_tokens_details)?.cached_tokens) ?? asCount(usage.cache_read_input_tokens)
  const inputTokens = asCount(usage.prompt_tokens) ?? asCount(usage.input_tokens)
  const outputTokens = asCount(usage.completion_tokens) ?? asCount(usage.output_tokens)
  const reasoning = asCount(asObject(usage.completion_tokens_details)?.reasoning_tokens)
  state.out.usage(asText(response?.id) ?? `response-${state.responses}`, 'main', model, {
    ...known({ inputTokens, outputTokens }),
    ...(cached !== undefined && { cacheReadTokens: cached }),
    ...(reasoning !== undefined && { reasoningTokens: reasoning }),
  })
}

function readExit(state: MiniState, message: JsonObject): void {
  const { text } = contentText(message.content)
  const status = asText(asObject(message.extra)?.exit_status) ?? 'exit'
  state.exited = true
  if (text.trim() !== '' && !state.written.has(text.trim())) {
    state.written.add(text.trim())
    write(state, { type: 'context', origin: 'output', name: status, text })
  } else if (status !== 'Submitted' && status !== 'exit')
    write(state, { type: 'context', origin: 'harness', name: 'exit status', text: status })
}

function readEnd(state: MiniState, info: JsonObject | undefined): void {
  const submission = asText(info?.submission)
  const status = asText(info?.exit_status)
  if (submission !== undefined && submission.trim() !== '' && !state.written.has(submission.trim()))
    write(state, { type: 'context', origin: 'output', name: 'submission', text: submission })
  if (status !== undefined && status !== 'Submitted' && !state.exited)
    write(state, { type: 'context', origin: 'harness', name: 'exit status', text: status })
}
