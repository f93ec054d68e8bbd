import * as json from '../../session/json.ts'
import { chatCalls } from '../messages/conversation.ts'
import type { SessionWriter } from '../reader/reader.ts'
import { byKind } from '../shared/by-kind.ts'
import { usageIn } from '../shared/usage.ts'
import { outputText, timeOfEpoch } from '../shared/values.ts'
import { createWriter, type NewCall, type Outcome, type Writer } from '../shared/writer.ts'
import { splitTask } from './content.ts'

type State = Writer & { responses: number; exited: boolean }

/** Reads `{info, messages, trajectory_format}`, or the bare list of messages of older versions. */
export function readMini(out: SessionWriter, value: unknown): void {
  const { info, messages: listed, trajectory_format: _, ...others } = json.fields(value)
  const messages = json.list(json.object(value) === undefined ? value : listed)
  const state: State = Object.assign(createWriter(out), { responses: 0, exited: false })
  state.model = json.text(info, 'config', 'model', 'model_name')
  const cwd = json.text(info, 'config', 'environment', 'cwd')
  out.meta({ agentVersion: json.text(info, 'mini_version'), cwd, models: [state.model] })
  for (const message of messages) {
    const role = json.text(message, 'role')
    state.time = timeOfEpoch(json.at(message, 'extra', 'timestamp'))
    if (!readRole(state, role, json.fields(message)))
      state.other(message, role === undefined ? 'message' : `message ${role}`)
  }
  state.time = undefined
  state.contextOnce('output', 'submission', json.at(info, 'submission'))
  const status = json.text(info, 'exit_status') ?? ''
  if (status !== 'Submitted' && !state.exited) state.context('harness', 'exit status', status)
  for (const [name, raw] of Object.entries(others)) state.other(raw, name)
}

const readRole = byKind<State>({
  system: (state, { content }) => void state.context('system', 'system prompt', outputText(content).text),
  assistant(state, { content, extra, reasoning_content, tool_calls }) {
    const response = json.at(extra, 'response')
    const id = json.text(response, 'id') ?? `response-${state.responses}`
    state.responses++
    state.usage(id, usageIn(json.at(response, 'usage'), 'chat'), json.text(response, 'model'))
    const { text } = outputText(content)
    const calls = callsIn(tool_calls, json.at(extra, 'actions'))
    // The only command of a response: with none or more than one, nothing runs.
    const fence = /```(?:mswea_bash_command|bash|sh)[ \t]*\r?\n([\s\S]*?)\r?\n[ \t]*```/g
    const [block, ...more] = calls.length > 0 ? [] : [...text.matchAll(fence)]
    const isRun = block !== undefined && more.length === 0
    const end = isRun ? block.index + block[0].length : 0
    const words = isRun ? `${text.slice(0, block.index).trim()}\n${text.slice(end).trim()}` : text
    const reported = json.text(json.list(response, 'choices')[0], 'message', 'reasoning_content')
    state.think(json.text(reasoning_content) ?? reported)
    state.say(words.trim())
    for (const call of state.open) state.close(call)
    const own = isRun ? [{ name: 'bash', input: { command: block[1] ?? '' } }] : []
    for (const call of [...calls, ...own]) state.call(call)
  },
  exit(state, { content, extra }) {
    const { text } = outputText(content)
    const status = json.text(extra, 'exit_status') ?? 'exit'
    const isNew = text.trim() !== '' && state.contextOnce('output', status, text)
    state.exited = true
    if (!isNew && status !== 'Submitted' && status !== 'exit') state.context('harness', 'exit status', status)
  },
  'user tool'(state, message) {
    const { text, images } = outputText(message.content)
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
      const result = resultOf(text, message, json.text(call.input, 'command') ?? '')
      state.isNew(result.text)
      state.result(call, { ...result, images })
    }
  },
})

function callsIn(toolCalls: unknown, actions: unknown): NewCall[] {
  const calls = chatCalls(toolCalls)
  if (calls.length > 0) return calls
  return json.list(actions).flatMap((action): NewCall[] => {
    const command = json.text(action, 'command')
    // An action of a code block has no id: the block itself identifies it.
    const id = json.text(action, 'tool_call_id')
    return command === undefined || id === undefined ? [] : [{ id, name: 'bash', input: { command } }]
  })
}

/** Reads `<returncode>0</returncode><output>…</output>`, or JSON in newer versions; the submission has no code. */
function resultOf(text: string, message: json.Fields, command: string): Outcome {
  const [, code, body = ''] = /^\s*<returncode>(-?\d{1,10})<\/returncode>\s*([\s\S]*)$/.exec(text) ?? []
  if (code !== undefined) {
    // The output alone; a shortened one keeps its marks.
    const output = /^<output>\r?\n?([\s\S]*?)\r?\n?<\/output>\s*$/.exec(body)?.[1] ?? body
    return { text: output, exitCode: Number(code) }
  }
  const told = text.startsWith('{') ? json.parse(text) : undefined
  const exitCode = json.number(told, 'returncode') ?? json.number(message.extra, 'returncode')
  const output = json.at(told, 'output')
  if (exitCode !== undefined) return { text: typeof output === 'string' ? output : text, exitCode }
  const isSubmission = /COMPLETE_TASK_AND_SUBMIT_FINAL_OUTPUT|MINI_SWE_AGENT_FINAL_OUTPUT/.test(command)
  const failure = /^(?:The last command[\s\S]{0,5000}timed out|Please always provide|Format error|Error)/
  return { failed: !isSubmission && failure.test(text), text }
}
