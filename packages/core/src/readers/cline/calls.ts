import * as json from '../../session/json.ts'
import type { SessionWriter } from '../reader/reader.ts'
import { fileChange } from '../shared/diff-counts.ts'
import { outcomeOf } from '../shared/outcome.ts'
import { numberIn } from '../shared/values.ts'
import { type Change, createWriter, type Outcome, type WrittenCall } from '../shared/writer.ts'

export type ClineState = ReturnType<typeof createClineState>

export function createClineState(out: SessionWriter) {
  return Object.assign(createWriter(out), {
    /** Tasks given to subagents, by call id, until a subagent's file has them. */
    tasks: new Map<string, string>(),
    /** Calls of the last response without a result, in order; an empty list of calls if an answer was written instead. */
    waiting: [] as { readonly id: string; readonly name: string; readonly calls: readonly WrittenCall[] }[],
    environment: new Set<string>(),
    /** A command shown by the interface whose output is still arriving. */
    command: undefined as { id: string; outputs: string[] } | undefined,
    requests: 0,
  })
}

export function writeWords(state: ClineState, text: string, phase?: 'final'): void {
  state.isNew(text)
  state.say(text.trim(), { phase })
}

export function writeUser(state: ClineState, text: string, images = 0): void {
  state.isNew(text)
  state.ask(text.trim(), { images })
}

export function nextId({ callIds }: ClineState): string {
  return `call-${callIds.size + 1}`
}

export function writeCall(state: ClineState, reported: string | undefined, name: string, input: unknown) {
  const { command, commands, files, response, result } = json.fields(input)
  const id = reported ?? nextId(state)
  const isEnd = name === 'attempt_completion'
  const isPlan = name === 'plan_mode_respond' || name === 'plan_mode_response'
  const answer =
    isEnd || name === 'submit_and_exit' ? json.text(result) : isPlan ? json.text(response) : undefined
  if (answer !== undefined) writeWords(state, answer, isEnd ? 'final' : undefined)
  const runs = json.list(commands).map((value) => (typeof value === 'string' ? { command: value } : value))
  const reads = json.objects(files).filter(({ path }) => json.text(path) !== undefined)
  const several = { run_commands: runs, read_files: reads }[name] ?? []
  const only = isEnd && json.text(command) !== undefined ? [{ command }] : []
  const inputs = answer !== undefined ? only : several.length > 0 ? several : [input]
  const calls = inputs.map((each) => {
    const call = state.call({ id: reported, name, input: each, kind: isEnd ? 'execute' : undefined })
    const task = json.at(each, 'task')
    if (name === 'spawn_agent' && typeof task === 'string') state.tasks.set(call.callId, task.trim())
    return call
  })
  state.waiting.push({ id, name, calls })
}

export interface ClineOutput {
  readonly text: string
  readonly failed?: boolean
  /** True if the tool reports success, for a command exit code 0. */
  readonly succeeded?: boolean
  readonly images?: number
}

type Target = { readonly [Key in 'id' | 'name']?: string | undefined }

export function writeResult(
  state: ClineState,
  { id, name = 'result' }: Target,
  outputs: readonly ClineOutput[],
) {
  const { waiting } = state
  let place = waiting.findIndex((open) => (id === undefined ? open.name === name : open.id === id))
  if (place === -1 && id === undefined && waiting.length === 1) place = 0
  const [open] = place === -1 ? [] : waiting.splice(place, 1)
  const whole = {
    text: outputs.map(({ text }) => text).join('\n'),
    failed: outputs.some(({ failed }) => failed === true),
    succeeded: outputs.length > 0 && outputs.every(({ succeeded }) => succeeded === true),
    images: outputs.reduce((sum, output) => sum + (output.images ?? 0), 0),
  }
  const text = whole.text.trim()
  if (open === undefined && id === undefined) state.contextOnce('output', name, text)
  else if (open === undefined) state.result(undefined, endOf(undefined, whole), id)
  else if (open.calls.length === 0) state.contextOnce('harness', open.name, text)
  else
    for (const [index, output] of (outputs.length === open.calls.length ? outputs : [whole]).entries()) {
      const call = open.calls[index]
      state.isNew(output.text)
      if (call !== undefined) state.result(call, endOf(call, output))
    }
}

function endOf(call: WrittenCall | undefined, { succeeded, ...output }: ClineOutput): Outcome {
  const { failed, text } = output
  const ending = /\b(?:exit(?:ed)? (?:with )?code|exit status)[: ]{1,2}(-?\d{1,10})\b/i
  const code = succeeded === true ? 0 : numberIn(text.slice(0, 600), ending)
  const { status } = outcomeOf(text.trimStart(), succeeded === true ? false : undefined)
  return {
    ...output,
    status: call === undefined && failed ? 'error' : status === 'ok' ? undefined : status,
    exitCode: call?.kind === 'execute' ? code : undefined,
    changes: call?.kind === 'edit' ? changesOf(call.input, text) : [],
  }
}

/** Returns Roo's report of an edit (`<operation>created</operation>`); for the SDK's editor, lines by the replaced texts. */
function changesOf(input: unknown, text: string): Change[] {
  const { old_text: before, new_text: after } = json.fields(input)
  const path = json.text(input, 'path') ?? json.text(input, 'file_path')
  const operation = /<operation>(created|modified)<\/operation>/.exec(text.slice(0, 1000))?.[1]
  const isNew = operation === 'created' || text.startsWith('File created successfully at')
  const action = isNew ? 'created' : 'modified'
  if (path === undefined) return []
  const old = typeof before === 'string' ? before : isNew && before === undefined ? '' : undefined
  if (old !== undefined && typeof after === 'string') return [{ ...fileChange(path, old, after), action }]
  return operation === undefined ? [] : [{ path, action }]
}
