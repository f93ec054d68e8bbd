import { appendTo } from '../../session/append-to.ts'
import type { ToolKind } from '../../session/event.ts'
import * as json from '../../session/json.ts'
import { toolKindOf } from '../../tools/tool-kind.ts'
import { callArguments } from '../messages/conversation.ts'
import { foundTools, serverInputs } from '../openai-responses/items.ts'
import type { Outcome, WrittenCall } from '../shared/writer.ts'
import { endChanges, findPatch, patchChanges, readOutput } from './output.ts'
import { type CodexCallEnd, noteChildren, type CodexState as State } from './state.ts'

export function readCall(state: State, item: json.Fields): boolean {
  const name = json.text(item.name)
  if (name === undefined) return false
  const space = json.text(item.namespace)
  const named = space === undefined ? name : `${space}${space.endsWith('_') ? '' : '.'}${name}`
  // A custom tool takes raw text, which may be JSON all the same.
  const { input, type } = item
  const parsed =
    typeof input === 'string' && input.startsWith('{') ? json.object(json.parse(input)) : undefined
  writeCall(
    state,
    callIdOf(item),
    named,
    type === 'custom_tool_call' ? (parsed ?? input) : callArguments(item.arguments),
  )
  return true
}

export function readBuiltInCall(state: State, item: json.Fields, type: string): void {
  const call = writeCall(state, callIdOf(item), type.replace(/_call$/, ''), serverInputs.get(type)?.(item))
  if (json.text(item.result) !== undefined) state.result(call, { text: '', images: 1 })
}

export function readWebSearch(state: State, item: json.Fields): void {
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

function callIdOf(item: json.Fields): string | undefined {
  return json.text(item.call_id) ?? json.text(item.id)
}

function kindOf(name: string, input: unknown): ToolKind {
  // A command, or a script whose calls are logged separately.
  const isScript = name === 'exec' && typeof input === 'string' && /\btools\s*[.[]/.test(input)
  const kind = isScript ? 'other' : toolKindOf(name)
  if (kind !== 'execute' || findPatch(input) === undefined) return kind
  // Only a patch: `["apply_patch", …]` or a script that begins with it.
  const given = json.at(input, 'command') ?? json.at(input, 'cmd')
  const words = typeof given === 'string' ? [given] : json.list(given)
  const first = /^(?:\S*\/)?(?:ba|z|da)?sh$/.test(json.text(words[0]) ?? '') ? words.at(-1) : words[0]
  return /^\s*(?:apply_patch|applypatch)\b/.test(json.text(first) ?? '') ? 'edit' : kind
}

export function readResult(state: State, item: json.Fields): void {
  const call = state.take(item.call_id)
  const { callId = '' } = call ?? {}
  const inner = state.inner.get(callId)
  const output =
    item.type === 'tool_search_output'
      ? foundTools(item)
      : readOutput(inner === undefined ? item.output : withoutInner(item.output, inner))
  const end = state.ends.get(callId)
  state.ends.delete(callId)
  writeResult(state, output, call, end, callIdOf(item))
  if (call !== undefined) noteChildren(state, call, output.text)
}

/** Reads the end of a call from the interface: its numbers complete the output, which follows. */
export function readCallEnd(state: State, payload: json.Fields): string | undefined {
  if (payload.source === 'user_shell') return 'repeated shell command of the user'
  const id = json.text(payload.call_id) ?? json.text(payload.callId)
  const end = callEnd(state, payload)
  if (id !== undefined && state.called.has(id)) {
    const call = state.peek(id)
    if (call !== undefined) state.ends.set(call.callId, { ...end, call })
    return 'repeated tool output'
  }
  // A call made by another tool's script has no items; the running script is not named.
  const script = [...state.open].findLast(({ name }) => name === 'exec')
  const { name, input } = hiddenCall(payload)
  writeResult(state, { text: end.text }, writeCall(state, id, name, input), end)
  if (script !== undefined) appendTo(state.inner, script.callId, end.text)
  return undefined
}

function withoutInner(output: unknown, inner: readonly string[]): unknown {
  const known = new Set(inner.map((text) => text.trim()))
  return json.list(output).filter((part) => {
    const text = json.text(part, 'text')?.trim() ?? ''
    const value = text.startsWith('{') ? json.object(json.parse(text)) : undefined
    if (value === undefined) return text === '' || !known.has(text)
    const shown = json.text(value.output) ?? readOutput(value.content).text
    return !known.has(shown.trim()) && Object.keys(value).length > 0
  })
}

/** A web_search_end counts only if it has results: the search itself is an item, before or after it. */
export function readSearchEnd(state: State, { action, call_id, query, results }: json.Fields) {
  const texts = json
    .objects(results)
    .map(({ title, url, snippet }) => json.texts([title, url, snippet]).join('\n'))
  const text = json.texts(texts).join('\n\n')
  if (text === '') return 'repeated web search'
  const key = JSON.stringify(action ?? null)
  const isOwn = ({ input, name }: WrittenCall): boolean =>
    name === 'web_search' && JSON.stringify(input) === key
  let call = [...state.open].find(isOwn)
  if (call === undefined) {
    state.searches.set(key, (state.searches.get(key) ?? 0) + 1)
    call = writeCall(state, json.text(call_id), 'web_search', action ?? { query: query ?? null })
  }
  state.result(call, { text })
  return undefined
}

export function flushEnds(state: State): void {
  const { at: place } = state
  for (const end of state.ends.values()) {
    state.at = end.at
    writeResult(state, { text: end.text }, end.call, end)
  }
  state.at = place
  state.ends.clear()
}

function writeResult(state: State, output: Outcome, call?: WrittenCall, end?: CodexCallEnd, id?: string) {
  const exitCode = output.exitCode ?? end?.exitCode
  const status = output.status ?? ((exitCode ?? 0) === 0 ? end?.failed : undefined)
  const patch = findPatch(call?.input) ?? ''
  const changes = end !== undefined && end.changes.length > 0 ? end.changes : patchChanges(patch)
  state.result(call, { ...output, status, exitCode, changes }, id)
}

function callEnd({ at: place }: State, payload: json.Fields): CodexCallEnd {
  const { changes, exit_code, result, status, success } = payload
  const { Err, Ok } = json.fields(result)
  const isError =
    success === false || status === 'failed' || json.at(Ok, 'isError') === true || Err !== undefined
  return {
    text: endText(payload),
    at: { file: place?.file ?? 0, line: place?.line ?? 0 },
    exitCode: json.number(exit_code),
    failed: status === 'declined' ? 'denied' : isError ? 'error' : undefined,
    changes: endChanges(changes),
  }
}

function endText(payload: json.Fields): string {
  const { aggregated_output, content_items, formatted_output, stderr, stdout } = payload
  const { Err, Ok } = json.fields(payload.result)
  const given = json.object(Ok) === undefined ? (Err ?? content_items) : (json.at(Ok, 'content') ?? null)
  const [seen] = json.texts([formatted_output, aggregated_output])
  return seen ?? (given === undefined ? json.texts([stdout, stderr]).join('\n') : readOutput(given).text)
}

function hiddenCall(payload: json.Fields): { readonly name: string; readonly input: unknown } {
  const { arguments: given, changes, command = null, invocation, tool, type } = payload
  if (type === 'patch_apply_end')
    return { name: 'apply_patch', input: { files: Object.keys(json.fields(changes)) } }
  if (type === 'mcp_tool_call_end') {
    const { server, tool: name, arguments: input } = json.fields(invocation)
    return { name: `${json.text(server) ?? 'mcp'}.${json.text(name) ?? 'tool'}`, input }
  }
  if (type === 'dynamic_tool_call_response') return { name: json.text(tool) ?? 'tool', input: given }
  return { name: 'exec_command', input: { command } }
}
