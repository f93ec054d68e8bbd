import { appendTo } from '../../session/append-to.ts'
import type { FileChange, ToolKind } from '../../session/event.ts'
import { asList, asNumber, asObject, asText, type JsonObject, parseJson } from '../../session/json-values.ts'
import { byWord } from '../../tools/by-word.ts'
import type { WrittenCall } from '../shared/writer.ts'
import { type CodexOutput, endChanges, findPatch, patchChanges, readOutput } from './output.ts'
import { type CodexCallEnd, noteChildren, type CodexState as State } from './state.ts'

const kinds = byWord<ToolKind>({
  execute: 'shell shell_command exec_command write_stdin local_shell container.exec unified_exec',
  edit: 'apply_patch',
  read: 'view_image read_file',
  search: 'grep_files list_dir tool_search',
  fetch: 'web_search',
  think: 'update_plan',
})

/** A call with its arguments as a JSON string (function_call) or as raw text (custom_tool_call). */
export function readCall(state: State, item: JsonObject): boolean {
  const name = asText(item.name)
  if (name === undefined) return false
  const space = asText(item.namespace)
  const named = space === undefined ? name : `${space}${space.endsWith('_') ? '' : '.'}${name}`
  writeCall(state, callIdOf(item), named, item.type === 'custom_tool_call' ? item.input : argumentsOf(item))
  return true
}

/** Reads calls that the provider or the client runs and that have their own item type. */
export function readBuiltInCall(state: State, item: JsonObject): void {
  const id = callIdOf(item)
  if (item.type === 'local_shell_call') writeCall(state, id, 'local_shell', item.action)
  else if (item.type === 'tool_search_call') writeCall(state, id, 'tool_search', argumentsOf(item))
  else {
    const { revised_prompt } = item
    const input = asText(revised_prompt) === undefined ? null : { revised_prompt }
    writeCall(state, id, 'image_generation', input)
    if (asText(item.result) !== undefined) state.result(state.take(id), { status: 'ok', text: '', images: 1 })
  }
}

/** Writes the search, unless web_search_end already reported it with its results. */
export function readWebSearch(state: State, item: JsonObject): void {
  const key = JSON.stringify(item.action ?? null)
  const reported = state.searches.get(key) ?? 0
  if (reported > 0) {
    state.searches.set(key, reported - 1)
    state.out.absorb('repeated web search')
  } else writeCall(state, callIdOf(item), 'web_search', item.action)
}

function writeCall(state: State, id: string | undefined, name: string, input: unknown): WrittenCall {
  state.working = true
  const call = state.call({ id, name, input: input ?? null, kind: kindOf(name, input) })
  state.called.set(call.callId, call)
  return call
}

/** `call_id`, or otherwise `id`. */
function callIdOf(item: JsonObject): string | undefined {
  return asText(item.call_id) ?? asText(item.id)
}

function argumentsOf({ arguments: value }: JsonObject): unknown {
  return typeof value === 'string' ? (parseJson(value) ?? (value.trim() === 'null' ? null : value)) : value
}

function kindOf(name: string, input: unknown): ToolKind {
  // A script whose calls count by themselves, or a command.
  const isScript = name === 'exec' && typeof input === 'string' && /\btools\s*[.[]/.test(input)
  const kind = kinds.get(name) ?? (name === 'exec' && !isScript ? 'execute' : 'other')
  return kind === 'execute' && isPatchCommand(input) ? 'edit' : kind
}

/** Whether a shell call is only a patch: `["apply_patch", …]` or a script that begins with it. */
function isPatchCommand(input: unknown): boolean {
  if (findPatch(input) === undefined) return false
  const { command, cmd } = asObject(input) ?? {}
  const words = typeof (command ?? cmd) === 'string' ? [command ?? cmd] : asList(command ?? cmd)
  const first = /^(?:\S*\/)?(?:ba|z|da)?sh$/.test(asText(words[0]) ?? '') ? words.at(-1) : words[0]
  return /^\s*(?:apply_patch|applypatch)\b/.test(asText(first) ?? '')
}

/** Reads an output item: function_call_output, custom_tool_call_output, tool_search_output. */
export function readResult(state: State, item: JsonObject): void {
  const call = state.take(item.call_id)
  const inner = call === undefined ? undefined : state.inner.get(call.callId)
  const given = inner === undefined ? item.output : withoutInner(item.output, inner)
  const output = item.type === 'tool_search_output' ? readToolList(item.tools) : readOutput(given)
  const end = call === undefined ? undefined : state.ends.get(call.callId)
  if (call !== undefined) state.ends.delete(call.callId)
  writeResult(state, call, output, end, callIdOf(item))
  if (call !== undefined) noteChildren(state, call, output.text)
}

/** Reads the end of a call as the interface saw it: its numbers complete the output, which follows. */
export function readCallEnd(state: State, payload: JsonObject): void {
  if (payload.source === 'user_shell') {
    state.out.absorb('repeated shell command of the user')
    return
  }
  const id = asText(payload.call_id) ?? asText(payload.callId)
  const end = callEnd(state, payload)
  if (id !== undefined && state.called.has(id)) {
    const call = state.peek(id)
    if (call !== undefined) state.ends.set(call.callId, { ...end, call })
    state.out.absorb('repeated tool output')
    return
  }
  // A call made by a script of another tool has no items of its own; the script that runs is not named.
  const script = [...state.open].findLast(({ name }) => name === 'exec')
  writeDone(state, id, hiddenCall(payload), end.text, end)
  if (script !== undefined) appendTo(state.inner, script.callId, end.text)
}

/** The parts of a script's output that are not the outputs of its own calls. */
function withoutInner(output: unknown, inner: readonly string[]): unknown {
  const known = new Set(inner.map((text) => text.trim()))
  return asList(output).filter((part) => {
    const text = asText(asObject(part)?.text)?.trim() ?? ''
    const value = text.startsWith('{') ? asObject(parseJson(text)) : undefined
    if (value === undefined) return text === '' || !known.has(text)
    const shown = asText(value.output) ?? (value.content === undefined ? '' : readOutput(value.content).text)
    return !known.has(shown.trim()) && Object.keys(value).length > 0
  })
}

/** A web_search_end counts only if it has results: the search itself is an item. */
export function readSearchEnd(state: State, payload: JsonObject): void {
  const texts = asList(payload.results).map((result) => {
    const { title, url, snippet } = asObject(result) ?? {}
    return wordsOf([title, url, snippet]).join('\n')
  })
  const text = wordsOf(texts).join('\n\n')
  if (text === '') {
    state.out.absorb('repeated web search')
    return
  }
  const key = JSON.stringify(payload.action ?? null)
  state.searches.set(key, (state.searches.get(key) ?? 0) + 1)
  const input = payload.action ?? { query: payload.query ?? null }
  writeDone(state, asText(payload.call_id), { name: 'web_search', input }, text)
}

function wordsOf(values: readonly unknown[]): string[] {
  return values.flatMap((value) => asText(value) ?? [])
}

/** Writes a call that only the interface reported, with its result. */
function writeDone(
  state: State,
  id: string | undefined,
  { name, input }: { readonly name: string; readonly input: unknown },
  text: string,
  end?: CodexCallEnd,
): void {
  const call = writeCall(state, id, name, input)
  writeResult(state, call, { text, images: 0 }, end)
}

/** Writes results that only the interface reported, if the log breaks off before the output. */
export function flushEnds(state: State): void {
  const { at } = state
  for (const end of state.ends.values()) {
    state.at = end.at
    writeResult(state, end.call, { text: end.text, images: 0 }, end)
  }
  state.at = at
  state.ends.clear()
}

function writeResult(
  state: State,
  call: WrittenCall | undefined,
  output: CodexOutput,
  end: CodexCallEnd | undefined,
  id?: string,
): void {
  const exitCode = output.exitCode ?? end?.exitCode
  const status = output.status ?? ((exitCode ?? 0) === 0 ? (end?.failed ?? 'ok') : 'error')
  const changes = status === 'ok' ? changesOf(call, end) : []
  state.result(call, { ...output, status, exitCode, changes }, id)
}

function changesOf(call: WrittenCall | undefined, end: CodexCallEnd | undefined): readonly FileChange[] {
  if (end !== undefined && end.changes.length > 0) return end.changes
  const patch = call === undefined ? undefined : findPatch(call.input)
  return patch === undefined ? [] : patchChanges(patch)
}

function callEnd({ at }: State, payload: JsonObject): CodexCallEnd {
  const { changes, exit_code, status, success } = payload
  const outcome = asObject(payload.result)
  const answer = asObject(outcome?.Ok)
  const isError =
    success === false || status === 'failed' || answer?.isError === true || outcome?.Err !== undefined
  return {
    text: endText(payload, outcome, answer),
    at: { file: at?.file ?? 0, line: at?.line ?? 0 },
    exitCode: asNumber(exit_code),
    failed: status === 'declined' ? 'denied' : isError ? 'error' : undefined,
    changes: endChanges(changes),
  }
}

function endText(payload: JsonObject, outcome?: JsonObject, answer?: JsonObject): string {
  const seen = asText(payload.formatted_output) ?? asText(payload.aggregated_output)
  if (seen !== undefined) return seen
  if (answer !== undefined) return readOutput(answer.content).text
  if (outcome !== undefined && 'Err' in outcome) return readOutput(outcome.Err).text
  if (payload.content_items !== undefined) return readOutput(payload.content_items).text
  return wordsOf([payload.stdout, payload.stderr]).join('\n')
}

function hiddenCall(payload: JsonObject): { readonly name: string; readonly input: unknown } {
  const { changes, command, invocation, type } = payload
  const { server, tool, arguments: input } = asObject(invocation) ?? {}
  if (type === 'patch_apply_end')
    return { name: 'apply_patch', input: { files: Object.keys(asObject(changes) ?? {}) } }
  if (type === 'mcp_tool_call_end')
    return { name: `${asText(server) ?? 'mcp'}.${asText(tool) ?? 'tool'}`, input }
  if (type === 'dynamic_tool_call_response')
    return { name: asText(payload.tool) ?? 'tool', input: payload.arguments }
  return { name: 'exec_command', input: { command: command ?? null } }
}

function readToolList(tools: unknown): CodexOutput {
  const lines = asList(tools).map((tool) => {
    const { name, description } = asObject(tool) ?? {}
    return wordsOf([name, description]).join(': ')
  })
  return { text: wordsOf(lines).join('\n'), images: 0 }
}
