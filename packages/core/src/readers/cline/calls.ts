import type { FileChange, ToolResultEvent } from '../../session/event.ts'
import { asList, asObject, asText, parseJson } from '../../session/json-values.ts'
import { changedLines } from '../shared/diff-counts.ts'
import { knownOutcome } from '../shared/outcome.ts'
import {
  type ClineCall,
  type ClineState,
  clineKind,
  freshId,
  write,
  writeContext,
  writeWords,
} from './state.ts'

/** Writes a tool call; answers and plans become messages. One call of the SDK may run several commands or reads. */
export function writeCall(
  state: ClineState,
  reported: string | undefined,
  name: string,
  input: unknown,
): void {
  const values = asObject(input)
  const answer = answerOf(name, values)
  const id = reported ?? `call-${state.calls + 1}`
  if (answer !== undefined) {
    writeWords(state, answer, name === 'attempt_completion' ? 'final' : undefined)
    const command = asText(values?.command)
    if (command === undefined || name !== 'attempt_completion') {
      state.open.push({ id, calls: [{ callId: id, name, kind: 'other', input: null, isAnswer: true }] })
      return
    }
    state.open.push({ id, calls: [writeOne(state, reported, name, { command })] })
    return
  }
  const several =
    name === 'run_commands'
      ? asList(values?.commands).map(commandInput)
      : asList(values?.files).filter(isFile)
  const split = several.length > 0 && (name === 'run_commands' || name === 'read_files')
  const calls = (split ? several : [input]).map((each) => writeOne(state, reported, name, each))
  state.open.push({ id, calls })
}

function commandInput(value: unknown): unknown {
  return typeof value === 'string' ? { command: value } : value
}

function isFile(value: unknown): boolean {
  return asText(asObject(value)?.path) !== undefined
}

function writeOne(state: ClineState, reported: string | undefined, name: string, input: unknown): ClineCall {
  const callId = freshId(state, reported)
  const kind = name === 'attempt_completion' ? 'execute' : clineKind(name)
  const { model } = state
  const task = asObject(input)?.task
  if (name === 'spawn_agent' && typeof task === 'string') state.tasks.set(callId, task.trim())
  write(state, { type: 'tool_call', callId, name, kind, input, ...(model !== undefined && { model }) })
  return { callId, name, kind, input }
}

/** Text for the user that is written as a call. */
function answerOf(name: string, values: Readonly<Record<string, unknown>> | undefined): string | undefined {
  if (name === 'attempt_completion' || name === 'submit_and_exit') return asText(values?.result)
  return name === 'plan_mode_respond' || name === 'plan_mode_response' ? asText(values?.response) : undefined
}

/** Writes the result of the call with an id, or of the oldest open call with a name. */
export function writeResult(
  state: ClineState,
  match: { readonly id?: string | undefined; readonly name?: string },
  outputs: readonly ClineOutput[],
): void {
  const { id, name } = match
  let at = state.open.findIndex((open) => (id === undefined ? open.calls[0]?.name === name : open.id === id))
  if (at === -1 && id === undefined && state.open.length === 1) at = 0
  const [open] = at === -1 ? [] : state.open.splice(at, 1)
  const whole = joined(outputs)
  if (open === undefined) {
    if (id === undefined) {
      if (!writeContext(state, 'output', name ?? 'result', whole.text))
        state.out.absorb('repeated tool output')
      return
    }
    state.out.note('result-without-call', 'a tool result without a call before it')
    write(state, {
      type: 'tool_result',
      callId: id,
      status: whole.failed ? 'error' : statusOf(whole.text),
      text: whole.text,
    })
    return
  }
  const calls = open.calls
  const each = outputs.length === calls.length ? outputs : [whole]
  for (const [index, output] of each.entries()) {
    const call = calls[index]
    if (call !== undefined) writeOutput(state, call, output)
  }
}

/** Output of a tool. */
export interface ClineOutput {
  readonly text: string
  readonly failed?: boolean
  /** The tool said so; for a command, it ended with 0. */
  readonly succeeded?: boolean
  readonly images?: number
}

function joined(outputs: readonly ClineOutput[]): ClineOutput {
  const images = outputs.reduce((sum, output) => sum + (output.images ?? 0), 0)
  return {
    text: outputs.map(({ text }) => text).join('\n'),
    failed: outputs.some(({ failed }) => failed === true),
    succeeded: outputs.length > 0 && outputs.every(({ succeeded }) => succeeded === true),
    ...(images > 0 && { images }),
  }
}

function writeOutput(state: ClineState, call: ClineCall, output: ClineOutput): void {
  const { text, images = 0 } = output
  if (call.isAnswer === true) {
    if (!writeContext(state, 'harness', call.name, text)) state.out.absorb('end of the task')
    return
  }
  const reported = statusOf(text)
  const isCommand = call.kind === 'execute'
  const exitCode = !isCommand ? undefined : output.succeeded === true ? 0 : exitCodeOf(text)
  const failed = output.failed === true || (exitCode !== undefined && exitCode !== 0)
  const status = reported === 'ok' && failed ? 'error' : reported
  const changes = status === 'ok' && call.kind === 'edit' ? changesOf(call.input, text) : []
  state.written.add(text.trim())
  const outcome = knownOutcome({ status, text, exitCode, changes, images })
  write(state, { type: 'tool_result', callId: call.callId, ...outcome })
}

function statusOf(text: string): ToolResultEvent['status'] {
  const head = text.trimStart().slice(0, 400)
  if (
    /^(?:The user denied this (?:operation|tool)|User denied|\{"status":"denied"|Command not executed)/i.test(
      head,
    )
  )
    return 'denied'
  if (
    /^(?:Tool \[?[\w-]{1,60}\]? was not executed|Skipping tool|\[?Tool execution was interrupted|.{0,60}was interrupted by the user)/i.test(
      head,
    )
  )
    return 'cancelled'
  return /^(?:The tool execution failed with the following error|<error>|Error: |Error executing |\{"status":"error"|File does not exist|ENOENT)/.test(
    head,
  )
    ? 'error'
    : 'ok'
}

function exitCodeOf(text: string): number | undefined {
  const match = /\b(?:exit(?:ed)? (?:with )?code|exit status)[: ]{1,2}(-?\d{1,10})\b/i.exec(
    text.slice(0, 600),
  )
  return match === null ? undefined : Number(match[1])
}

/**
 * What Roo reports about an edit (`<operation>created</operation>`); lines by the texts that the SDK's editor swaps.
 */
function changesOf(input: unknown, text: string): FileChange[] {
  const values = asObject(input)
  const path = asText(values?.path) ?? asText(values?.file_path)
  const operation = /<operation>(created|modified)<\/operation>/.exec(text.slice(0, 1000))?.[1]
  const isNew = operation === 'created' || text.startsWith('File created successfully at')
  const action = isNew ? 'created' : 'modified'
  const { old_text: before, new_text: after } = values ?? {}
  if (path === undefined) return []
  if (isNew && before === undefined && typeof after === 'string')
    return [{ path, action, ...changedLines('', after.replace(/\n$/, '')) }]
  if (typeof before === 'string' && typeof after === 'string')
    return [{ path, action, ...changedLines(before, after) }]
  return operation === undefined ? [] : [{ path, action }]
}

/** Parses arguments given as JSON in a string; leaves others unchanged. */
export function parsedInput(value: unknown): unknown {
  return typeof value === 'string' ? (parseJson(value) ?? value) : (value ?? null)
}
