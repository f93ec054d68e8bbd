import { appendTo } from '../../session/append-to.ts'
import type { FileChange, ToolResultEvent } from '../../session/event.ts'
import { asList, asNumber, asObject, asText, type JsonObject } from '../../session/json-values.ts'
import { toolKindOf } from '../../tools/tool-kind.ts'
import { diffCounts } from '../shared/diff-counts.ts'
import { knownOutcome } from '../shared/outcome.ts'
import { type CopilotState, write, writeAnswer, writeOnce } from './state.ts'

const finishTool = 'task_complete'

/** A call as the model's response requests it; `tool.execution_start` repeats it. */
export function readRequest(state: CopilotState, value: unknown, model: string | undefined): void {
  const request = asObject(value)
  const callId = asText(request?.toolCallId)
  const name = asText(request?.name)
  if (request === undefined || callId === undefined || name === undefined) {
    write(state, { type: 'other', name: 'tool request', raw: value })
    return
  }
  writeCall(state, callId, name, request.arguments ?? null, model)
}

/** Redaction may give many calls the same id: they get numbers. */
function writeCall(
  state: CopilotState,
  id: string,
  name: string,
  input: unknown,
  model: string | undefined,
): void {
  const asked = state.asked.get(id) ?? { calls: 0, begun: 0 }
  state.asked.set(id, asked)
  asked.calls++
  const summary = name === finishTool ? asText(asObject(input)?.summary) : undefined
  if (summary !== undefined) {
    state.hidden.set(id, 'answer')
    writeAnswer(state, summary, model)
    return
  }
  const callId = state.nameCall(id, id)
  appendTo(state.open, id, { callId, name, input })
  state.parents.set(id, state.agent)
  write(state, {
    type: 'tool_call',
    callId,
    name,
    kind: kindOf(name),
    input,
    ...(model !== undefined && { model }),
  })
}

/** Tools of Copilot CLI that no other agent has; the others are known by their names. */
function kindOf(name: string): ReturnType<typeof toolKindOf> {
  if (/^(?:read|write|stop|list)_(?:bash|powershell)$/.test(name)) return 'execute'
  if (name === 'store_memory') return 'think'
  return toolKindOf(name)
}

/** `tool.execution_start`: the call, if no response requested it. */
export function readStart(state: CopilotState, data: JsonObject): boolean {
  const callId = asText(data.toolCallId)
  const name = asText(data.toolName)
  if (callId === undefined || name === undefined) return false
  const asked = state.asked.get(callId)
  if (state.hidden.get(callId) === 'command' || (asked !== undefined && asked.begun < asked.calls))
    state.out.absorb('repeated tool call')
  else writeCall(state, callId, name, data.arguments ?? null, asText(data.model))
  const begun = state.asked.get(callId)
  if (begun !== undefined) begun.begun++
  return true
}

/** `tool.user_requested`: a command that the user ran with `!`. */
export function readUserCommand(state: CopilotState, data: JsonObject): boolean {
  const callId = asText(data.toolCallId)
  const command = asText(asObject(data.arguments)?.command)
  if (callId === undefined || command === undefined) return false
  state.hidden.set(callId, 'command')
  state.userTurns++
  write(state, { type: 'user', origin: 'command', text: `! ${command}` })
  return true
}

/** `tool.execution_complete`. `detailedContent` is what the interface showed: for an edit, its diff. */
export function readComplete(state: CopilotState, data: JsonObject): boolean {
  const id = asText(data.toolCallId)
  if (id === undefined) return false
  const result = asObject(data.result)
  const error = asObject(data.error)
  const text = asText(result?.content) ?? asText(error?.message) ?? asText(result?.detailedContent) ?? ''
  const hidden = state.hidden.get(id)
  if (hidden !== undefined) {
    const draft = { type: 'context', origin: 'output', name: 'command', text } as const
    if (hidden === 'command' && text !== '') write(state, draft)
    else if (data.success === false) writeOnce(state, { ...draft, origin: 'harness' }, 'repeated answer')
    else state.out.absorb('repeated answer')
    return true
  }
  const call = state.open.get(id)?.shift()
  if (call === undefined) state.out.note('result-without-call', 'a tool result without a call before it')
  const status = statusOf(data.success, error, state.denied.has(id))
  const kind = kindOf(call?.name ?? '')
  const ended: { text: string; exitCode?: number } = kind === 'execute' ? shellEnd(text, data) : { text }
  const { exitCode } = ended
  const changes = kind === 'edit' && status === 'ok' ? changesOf(call?.input, result) : []
  const images = asList(result?.contents).filter((part) => asObject(part)?.type === 'image').length
  const outcome = knownOutcome({
    status: status === 'ok' && exitCode !== undefined && exitCode !== 0 ? 'error' : status,
    text: ended.text,
    exitCode,
    changes,
    images,
  })
  write(state, { type: 'tool_result', callId: call?.callId ?? id, ...outcome })
  return true
}

function statusOf(
  success: unknown,
  error: JsonObject | undefined,
  denied: boolean,
): ToolResultEvent['status'] {
  if (success !== false && error === undefined) return 'ok'
  const code = asText(error?.code) ?? ''
  const message = asText(error?.message) ?? ''
  // A refusal by a hook is not the user's.
  if (/^Denied by \w{1,40} hook\b/.test(message)) return 'error'
  if (
    denied ||
    /denied|rejected/i.test(code) ||
    /^(?:Denied by|The user rejected|Permission denied and)/.test(message)
  )
    return 'denied'
  if (
    /abort|cancel|interrupt/i.test(code) ||
    /^(?:aborted|cancelled|The user (?:aborted|cancelled))/i.test(message)
  )
    return 'cancelled'
  return 'error'
}

const ending = /\n?<(?:shellId: \S{1,100} completed|exited) with exit code (-?\d{1,10})>\s*$/

/** For a shell that ended: the last line of its output gives the exit code, and is removed. */
function shellEnd(text: string, data: JsonObject): { text: string; exitCode?: number } {
  const tail = text.slice(-300)
  const found = ending.exec(tail)
  if (found !== null)
    return { text: text.slice(0, text.length - tail.length + found.index), exitCode: Number(found[1]) }
  const exitCode = asNumber(asObject(asObject(data.toolTelemetry)?.metrics)?.exit_code)
  return { text, ...(exitCode !== undefined && { exitCode }) }
}

function changesOf(input: unknown, result: JsonObject | undefined): FileChange[] {
  const diff = asText(result?.detailedContent)
  const path = asText(asObject(input)?.path)
  if (diff === undefined || path === undefined || diff.indexOf('\ndiff --git ', 1) !== -1) return []
  const counts = diffCounts(diff)
  if (counts === undefined) return []
  const head = diff.slice(0, 2000)
  const action = /^create file mode|^new file mode|^--- (?:a\/)?(?:dev\/null|\/dev\/null)$/m.test(head)
    ? 'created'
    : /^deleted file mode|^\+\+\+ (?:b\/)?(?:dev\/null|\/dev\/null)$/m.test(head)
      ? 'deleted'
      : 'modified'
  return [{ path, action, ...counts }]
}
