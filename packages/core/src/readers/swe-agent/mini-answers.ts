import type { ToolResultEvent } from '../../session/event.ts'
import { asNumber, asObject, asText, type JsonObject, parseJson } from '../../session/json-values.ts'
import { contentText, splitTask } from './content.ts'
import { type MiniState, write } from './mini-state.ts'

/**
 * Reads a message under the user's name: the task, a command's result, a refusal, or a request to rewrite the answer.
 */
export function readMiniAnswer(state: MiniState, message: JsonObject): void {
  const { text, images } = contentText(message.content)
  const shown = images > 0 ? { images } : {}
  const reported = asText(message.tool_call_id)
  const at = reported === undefined ? 0 : state.open.findIndex(({ callId }) => callId === reported)
  const call = at === -1 ? undefined : state.open[at]
  if (state.responses === 0) {
    const { task, instructions } = splitTask(text)
    if (text.trim() !== '' || images > 0)
      write(state, { type: 'user', origin: 'typed', text: task, ...shown })
    if (instructions !== '')
      write(state, { type: 'context', origin: 'harness', name: 'instructions', text: instructions })
    return
  }
  const comment = /^Interrupted by user with comment: ([\s\S]+)$/.exec(text)?.[1]
  if (comment !== undefined || call === undefined) {
    if (comment !== undefined) write(state, { type: 'user', origin: 'queued', text: comment })
    else if (text.trim() !== '')
      write(state, { type: 'context', origin: 'harness', name: 'answer', text, ...shown })
    return
  }
  state.open.splice(at, 1)
  const words = /^[^\n]{0,80}\bThe user rejected your command with the following message:\s*([\s\S]*)$/.exec(
    text,
  )?.[1]
  if (words !== undefined) {
    const refusal = text.slice(0, text.length - words.length).trim()
    write(state, { type: 'tool_result', callId: call.callId, status: 'denied', text: refusal })
    if (words.trim() !== '') write(state, { type: 'user', origin: 'queued', text: words.trim() })
    return
  }
  const result = resultOf(text, message, call.command)
  state.written.add(result.text.trim())
  write(state, { type: 'tool_result', callId: call.callId, ...result, ...shown })
}

/** `<returncode>0</returncode><output>…</output>`; JSON in newer versions; the submission has no code. */
function resultOf(
  text: string,
  message: JsonObject,
  command: string,
): Pick<ToolResultEvent, 'status' | 'text' | 'exitCode'> {
  const xml = /^\s*<returncode>(-?\d{1,10})<\/returncode>\s*([\s\S]*)$/.exec(text)
  if (xml !== null) return withCode(Number(xml[1]), unwrapped(xml[2] ?? ''))
  const json = text.startsWith('{') ? asObject(parseJson(text)) : undefined
  const reported = asNumber(json?.returncode) ?? asNumber(asObject(message.extra)?.returncode)
  if (reported !== undefined) return withCode(reported, typeof json?.output === 'string' ? json.output : text)
  if (/COMPLETE_TASK_AND_SUBMIT_FINAL_OUTPUT|MINI_SWE_AGENT_FINAL_OUTPUT/.test(command))
    return { status: 'ok', text }
  const failed = /^(?:The last command[\s\S]{0,5000}timed out|Please always provide|Format error|Error)/.test(
    text,
  )
  return { status: failed ? 'error' : 'ok', text }
}

function withCode(exitCode: number, text: string): Pick<ToolResultEvent, 'status' | 'text' | 'exitCode'> {
  return { status: exitCode === 0 ? 'ok' : 'error', text, exitCode }
}

/** The output alone; a shortened one keeps its marks. */
function unwrapped(text: string): string {
  const match = /^<output>\r?\n?([\s\S]*?)\r?\n?<\/output>\s*$/.exec(text)
  return match?.[1] ?? text
}
