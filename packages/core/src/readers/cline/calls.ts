import type { ContextEvent, FileChange, ToolResultEvent } from '../../session/event.ts'
import { asList, asObject, asText, parseJson } from '../../session/json-values.ts'
import type { SessionWriter } from '../reader/reader.ts'
import { numberIn } from '../shared/content.ts'
import { changedLines } from '../shared/diff-counts.ts'
import { createWriter, type WrittenCall } from '../shared/writer.ts'

/** Calls that were written, or an answer that was written in place of one. */
interface OpenCall {
  readonly id: string
  readonly name: string
  readonly calls: readonly WrittenCall[]
}

export type ClineState = ReturnType<typeof createClineState>

export function createClineState(out: SessionWriter) {
  return Object.assign(createWriter(out), {
    /** Tasks given to subagents, by call id, as long as no file of a subagent has them. */
    tasks: new Map<string, string>(),
    /** Calls of the last response without a result, in order, each by its id in the log. */
    waiting: [] as OpenCall[],
    environment: new Set<string>(),
    /** A command shown by the interface, whose output still arrives. */
    command: undefined as { id: string; outputs: string[] } | undefined,
    requests: 0,
  })
}

/** Writes a text of the harness, once. */
export function writeContext(
  state: ClineState,
  origin: ContextEvent['origin'],
  name: string,
  text: string,
): boolean {
  return state.contextOnce(origin, name, text.trim())
}

export function writeWords(state: ClineState, text: string, phase?: 'final'): void {
  state.isNew(text)
  state.say(text.trim(), { phase })
}

/** Writes a user message; in the file of a subagent, it is the task that another agent gave. */
export function writeUser(state: ClineState, text: string, images = 0): void {
  state.isNew(text)
  state.ask(text.trim(), { images })
}

/** The id of the next call if the log gives it none. */
export function nextId({ callIds }: ClineState): string {
  return `call-${callIds.size + 1}`
}

/** Writes a tool call; answers and plans become messages. One call of the SDK may run several commands or reads. */
export function writeCall(
  state: ClineState,
  reported: string | undefined,
  name: string,
  input: unknown,
): void {
  const { command, commands, files, response, result } = asObject(input) ?? {}
  const id = reported ?? nextId(state)
  const isEnd = name === 'attempt_completion'
  const isPlan = name === 'plan_mode_respond' || name === 'plan_mode_response'
  const answer = isEnd || name === 'submit_and_exit' ? asText(result) : isPlan ? asText(response) : undefined
  if (answer !== undefined) {
    writeWords(state, answer, isEnd ? 'final' : undefined)
    const hasCommand = isEnd && asText(command) !== undefined
    const calls = hasCommand ? [writeOne(state, reported, name, { command })] : []
    state.waiting.push({ id, name, calls })
    return
  }
  const runs = asList(commands).map((value) => (typeof value === 'string' ? { command: value } : value))
  const reads = asList(files).filter((value) => asText(asObject(value)?.path) !== undefined)
  const several = name === 'run_commands' ? runs : name === 'read_files' ? reads : []
  const inputs = several.length > 0 ? several : [input]
  const calls = inputs.map((each) => writeOne(state, reported, name, each))
  state.waiting.push({ id, name, calls })
}

function writeOne(state: ClineState, id: string | undefined, name: string, input: unknown): WrittenCall {
  const call = state.call({ id, name, input, kind: name === 'attempt_completion' ? 'execute' : undefined })
  const task = asObject(input)?.task
  if (name === 'spawn_agent' && typeof task === 'string') state.tasks.set(call.callId, task.trim())
  return call
}

/** Writes the result of the call with an id, or of the oldest open call with a name. */
export function writeResult(
  state: ClineState,
  { id, name = 'result' }: { readonly id?: string | undefined; readonly name?: string },
  outputs: readonly ClineOutput[],
): void {
  const { waiting } = state
  let at = waiting.findIndex((open) => (id === undefined ? open.name === name : open.id === id))
  if (at === -1 && id === undefined && waiting.length === 1) at = 0
  const [open] = at === -1 ? [] : waiting.splice(at, 1)
  const whole = joined(outputs)
  const { failed, text } = whole
  if (open === undefined && id === undefined) writeContext(state, 'output', name, text)
  else if (open === undefined)
    state.result(undefined, { status: failed ? 'error' : statusOf(text), text }, id)
  else if (open.calls.length === 0) writeContext(state, 'harness', open.name, text)
  else {
    const each = outputs.length === open.calls.length ? outputs : [whole]
    for (const [index, output] of each.entries()) {
      const call = open.calls[index]
      if (call !== undefined) writeOutput(state, call, output)
    }
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
  return {
    text: outputs.map(({ text }) => text).join('\n'),
    failed: outputs.some(({ failed }) => failed === true),
    succeeded: outputs.length > 0 && outputs.every(({ succeeded }) => succeeded === true),
    images: outputs.reduce((sum, output) => sum + (output.images ?? 0), 0),
  }
}

function writeOutput(state: ClineState, call: WrittenCall, output: ClineOutput): void {
  const { text, images } = output
  const reported = statusOf(text)
  const exitCode = call.kind === 'execute' ? exitCodeOf(output) : undefined
  const failed = output.failed === true || (exitCode ?? 0) !== 0
  const status = reported === 'ok' && failed ? 'error' : reported
  const changes = status === 'ok' && call.kind === 'edit' ? changesOf(call.input, text) : []
  state.isNew(text)
  state.result(call, { status, text, exitCode, changes, images })
}

const denial =
  /^(?:The user denied this (?:operation|tool)|User denied|\{"status":"denied"|Command not executed)/i
const interruption =
  /^(?:Tool \[?[\w-]{1,60}\]? was not executed|Skipping tool|\[?Tool execution was interrupted|.{0,60}was interrupted by the user)/i
const failure =
  /^(?:The tool execution failed with the following error|<error>|Error: |Error executing |\{"status":"error"|File does not exist|ENOENT)/

function statusOf(text: string): ToolResultEvent['status'] {
  const head = text.trimStart().slice(0, 400)
  if (denial.test(head)) return 'denied'
  if (interruption.test(head)) return 'cancelled'
  return failure.test(head) ? 'error' : 'ok'
}

function exitCodeOf({ succeeded, text }: ClineOutput): number | undefined {
  const ending = /\b(?:exit(?:ed)? (?:with )?code|exit status)[: ]{1,2}(-?\d{1,10})\b/i
  return succeeded === true ? 0 : numberIn(text.slice(0, 600), ending)
}

/**
 * What Roo reports about an edit (`<operation>created</operation>`); lines by the texts that the SDK's editor swaps.
 */
function changesOf(input: unknown, text: string): FileChange[] {
  const { path: named, file_path, old_text: before, new_text: after } = asObject(input) ?? {}
  const path = asText(named) ?? asText(file_path)
  const operation = /<operation>(created|modified)<\/operation>/.exec(text.slice(0, 1000))?.[1]
  const isNew = operation === 'created' || text.startsWith('File created successfully at')
  const action = isNew ? 'created' : 'modified'
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
