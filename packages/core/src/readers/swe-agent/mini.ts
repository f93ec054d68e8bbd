import {
  asCount,
  asList,
  asNumber,
  asObject,
  asText,
  type JsonObject,
  parseJson,
} from '../../session/json-values.ts'
import { chatUsage } from '../openai-chat/messages.ts'
import type { SessionWriter } from '../reader/reader.ts'
import { timeOfSeconds } from '../shared/time.ts'
import { byKind, createWriter, type Outcome } from '../shared/writer.ts'
import { contentText, splitTask } from './content.ts'

type State = ReturnType<typeof createState>

function createState(out: SessionWriter) {
  return Object.assign(createWriter(out), { responses: 0, exited: false })
}

/** Reads `{info, messages, trajectory_format}`, or the bare list of messages of older versions. */
export function readMini(out: SessionWriter, value: unknown): void {
  const document = asObject(value)
  const messages = asList(document === undefined ? value : document.messages)
  const state = createState(out)
  const info = asObject(document?.info)
  const config = asObject(info?.config)
  state.model = asText(asObject(config?.model)?.model_name)
  const cwd = asText(asObject(config?.environment)?.cwd)
  out.meta({ agentVersion: asText(info?.mini_version), cwd, models: [state.model] })
  for (const message of messages) readMessage(state, message)
  state.time = undefined
  state.contextOnce('output', 'submission', asText(info?.submission) ?? '')
  const status = asText(info?.exit_status)
  if (status !== 'Submitted' && !state.exited) state.context('harness', 'exit status', status ?? '')
  for (const [name, raw] of Object.entries(document ?? {}))
    if (!['info', 'messages', 'trajectory_format'].includes(name)) state.other(raw, name)
  if (messages.length === 0) out.note('no-records', 'the document holds no messages')
}

function readMessage(state: State, value: unknown): void {
  const message = asObject(value)
  const role = asText(message?.role)
  state.time = timeOfSeconds(asObject(message?.extra)?.timestamp)
  if (message === undefined || !readRole(state, role, message))
    state.other(value, role === undefined ? 'message' : `message ${role}`)
}

const readRole = byKind<State>({
  system: (state, { content }) => void state.context('system', 'system prompt', contentText(content).text),
  assistant: readResponse,
  exit(state, { content, extra }) {
    const { text } = contentText(content)
    const status = asText(asObject(extra)?.exit_status) ?? 'exit'
    const isNew = text.trim() !== '' && state.contextOnce('output', status, text)
    state.exited = true
    if (!isNew && status !== 'Submitted' && status !== 'exit') state.context('harness', 'exit status', status)
  },
  'user tool': readAnswer,
})

function readResponse(state: State, message: JsonObject): void {
  const extra = asObject(message.extra)
  const response = asObject(extra?.response)
  countResponse(state, response)
  const reported = asObject(asObject(asList(response?.choices)[0])?.message)
  const { text } = contentText(message.content)
  const calls = toolCalls(message, extra)
  const block = calls.length > 0 ? undefined : commandBlock(text)
  state.responses++
  state.think(asText(message.reasoning_content) ?? asText(reported?.reasoning_content) ?? '')
  state.say(block === undefined ? text.trim() : block.words)
  for (const call of state.open) state.close(call)
  const own = block === undefined ? [] : [{ id: undefined, name: 'bash', input: { command: block.command } }]
  for (const call of [...calls, ...own]) state.call({ ...call, kind: 'execute' })
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

function countResponse(state: State, response: JsonObject | undefined): void {
  const usage = asObject(response?.usage)
  if (usage === undefined) return
  const { cacheReadTokens, inputTokens, outputTokens, reasoningTokens } = chatUsage(usage)
  const counts = {
    inputTokens: asCount(inputTokens) ?? usage.input_tokens,
    outputTokens: asCount(outputTokens) ?? usage.output_tokens,
    cacheReadTokens: asCount(cacheReadTokens) ?? usage.cache_read_input_tokens,
    reasoningTokens,
  }
  state.usage(asText(response?.id) ?? `response-${state.responses}`, counts, asText(response?.model))
}

/**
 * Reads a message under the user's name: the task, a command's result, a refusal, or a request to rewrite the answer.
 */
function readAnswer(state: State, message: JsonObject): void {
  const { text, images } = contentText(message.content)
  if (state.responses === 0) {
    const { task, instructions } = splitTask(text)
    state.ask(text.trim() === '' ? '' : task, { images })
    state.context('harness', 'instructions', instructions)
    return
  }
  const call = state.peek(message.tool_call_id)
  const comment = /^Interrupted by user with comment: ([\s\S]+)$/.exec(text)?.[1]
  const refusal = /^[^\n]{0,80}\bThe user rejected your command with the following message:\s*([\s\S]*)$/
  const words = refusal.exec(text)?.[1]
  if (comment !== undefined) state.write({ type: 'user', origin: 'queued', text: comment })
  else if (call === undefined) state.context('harness', 'answer', text, text.trim() === '' ? 0 : images)
  else if (words !== undefined) {
    const said = text.slice(0, text.length - words.length).trim()
    state.result(call, { status: 'denied', text: said })
    state.ask(words.trim(), { origin: 'queued' })
  } else {
    const result = resultOf(text, message, asText(asObject(call.input)?.command) ?? '')
    state.isNew(result.text)
    state.result(call, { ...result, images })
  }
}

/** `<returncode>0</returncode><output>…</output>`; JSON in newer versions; the submission has no code. */
function resultOf(text: string, message: JsonObject, command: string): Outcome {
  const xml = /^\s*<returncode>(-?\d{1,10})<\/returncode>\s*([\s\S]*)$/.exec(text)
  if (xml !== null) return withCode(Number(xml[1]), unwrapped(xml[2] ?? ''))
  const json = text.startsWith('{') ? asObject(parseJson(text)) : undefined
  const reported = asNumber(json?.returncode) ?? asNumber(asObject(message.extra)?.returncode)
  if (reported !== undefined) return withCode(reported, typeof json?.output === 'string' ? json.output : text)
  if (/COMPLETE_TASK_AND_SUBMIT_FINAL_OUTPUT|MINI_SWE_AGENT_FINAL_OUTPUT/.test(command))
    return { status: 'ok', text }
  const failure = /^(?:The last command[\s\S]{0,5000}timed out|Please always provide|Format error|Error)/
  return { status: failure.test(text) ? 'error' : 'ok', text }
}

function withCode(exitCode: number, text: string): Outcome {
  return { status: exitCode === 0 ? 'ok' : 'error', text, exitCode }
}

/** The output alone; a shortened one keeps its marks. */
function unwrapped(text: string): string {
  return /^<output>\r?\n?([\s\S]*?)\r?\n?<\/output>\s*$/.exec(text)?.[1] ?? text
}
