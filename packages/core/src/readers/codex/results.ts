import { appendTo } from '../../session/append-to.ts'
import type { FileChange, ToolResultEvent } from '../../session/event.ts'
import { asList, asNumber, asObject, asText, type JsonObject, parseJson } from '../../session/json-values.ts'
import { known } from '../../session/known.ts'
import { knownOutcome } from '../shared/outcome.ts'
import { callIdOf, takeOpen, writeCall } from './calls.ts'
import { type CodexOutput, readOutput } from './output.ts'
import { endChanges, findPatch, patchChanges } from './patch.ts'
import { type CodexCall, type CodexCallEnd, type CodexState, write } from './state.ts'
import { noteChildren } from './subagents.ts'

/** Reads an output item: function_call_output, custom_tool_call_output, tool_search_output. */
export function readResult(state: CodexState, item: JsonObject): void {
  const rawId = callIdOf(item)
  const call = takeOpen(state, asText(item.call_id))
  const inner = call === undefined ? undefined : state.inner.get(call.callId)
  const output =
    item.type === 'tool_search_output'
      ? readToolList(item.tools)
      : readOutput(inner === undefined ? item.output : withoutInner(item.output, inner))
  if (call === undefined) {
    state.out.note('result-without-call', 'a tool output without a call before it')
    writeResult(state, rawId ?? 'no-call', output, undefined)
    return
  }
  const end = state.ends.get(call.callId)
  state.ends.delete(call.callId)
  writeResult(state, call.callId, output, end, call)
  noteChildren(state, call, output.text)
}

/** Reads the end of a call as the interface saw it: its numbers complete the output, which follows. */
export function readCallEnd(state: CodexState, payload: JsonObject): void {
  if (payload.source === 'user_shell') {
    state.out.absorb('repeated shell command of the user')
    return
  }
  const rawId = asText(payload.call_id) ?? asText(payload.callId)
  const end = callEnd(state, payload)
  const known = rawId !== undefined && state.calls.has(rawId)
  if (known) {
    const waiting = state.open.get(rawId)?.[0]
    if (waiting !== undefined) state.ends.set(waiting.callId, end)
    state.out.absorb('repeated tool output')
    return
  }
  // A call made by a script of another tool has no items of its own.
  const script = openScript(state)
  const call = writeCall(state, rawId, ...hiddenCall(payload))
  takeOpen(state, rawId)
  writeResult(state, call.callId, { text: end.text, images: 0 }, end, call)
  if (script !== undefined) appendTo(state.inner, script.callId, end.text)
}

/** The script that runs: its calls do not name it. */
function openScript({ open }: CodexState): CodexCall | undefined {
  return [...open.values()].flat().findLast(({ name }) => name === 'exec')
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
export function readSearchEnd(state: CodexState, payload: JsonObject): void {
  const lines = asList(payload.results).flatMap((result) => {
    const { title, url, snippet } = asObject(result) ?? {}
    const words = [title, url, snippet].filter((word) => asText(word) !== undefined)
    return words.length > 0 ? [words.join('\n')] : []
  })
  if (lines.length === 0) {
    state.out.absorb('repeated web search')
    return
  }
  const key = JSON.stringify(payload.action ?? null)
  state.searches.set(key, (state.searches.get(key) ?? 0) + 1)
  const rawId = asText(payload.call_id)
  const call = writeCall(state, rawId, 'web_search', payload.action ?? { query: payload.query ?? null })
  takeOpen(state, rawId)
  writeResult(state, call.callId, { text: lines.join('\n\n'), images: 0 }, undefined, call)
}

/** Writes results that only the interface reported, if the log breaks off before the output. */
export function flushEnds(state: CodexState): void {
  for (const [callId, end] of state.ends) {
    writeResult(state, callId, { text: end.text, images: 0 }, end, state.calls.get(callId), end.at)
  }
  state.ends.clear()
}

function writeResult(
  state: CodexState,
  callId: string,
  output: CodexOutput,
  end: CodexCallEnd | undefined,
  call?: CodexCall,
  at?: CodexCallEnd['at'],
): void {
  const exitCode = output.exitCode ?? end?.exitCode
  const status = statusOf(output, exitCode, end)
  const changes = status === 'ok' ? changesOf(call, end) : []
  const { text, images } = output
  write(
    state,
    { type: 'tool_result', callId, ...knownOutcome({ status, text, exitCode, changes, images }) },
    at,
  )
}

function statusOf(
  output: CodexOutput,
  exitCode: number | undefined,
  end: CodexCallEnd | undefined,
): ToolResultEvent['status'] {
  if (output.status !== undefined) return output.status
  if (exitCode !== undefined) return exitCode === 0 ? (end?.failed ?? 'ok') : 'error'
  return end?.failed ?? 'ok'
}

function changesOf(call: CodexCall | undefined, end: CodexCallEnd | undefined): readonly FileChange[] {
  if (end?.changes !== undefined && end.changes.length > 0) return end.changes
  const patch = call === undefined ? undefined : findPatch(call.input)
  return patch === undefined ? [] : patchChanges(patch)
}

function callEnd(state: CodexState, payload: JsonObject): CodexCallEnd {
  const exitCode = asNumber(payload.exit_code)
  const changes = endChanges(payload.changes)
  const outcome = asObject(payload.result)
  const answer = asObject(outcome?.Ok)
  const failed =
    payload.status === 'declined'
      ? ('denied' as const)
      : payload.success === false ||
          payload.status === 'failed' ||
          answer?.isError === true ||
          (outcome !== undefined && 'Err' in outcome)
        ? ('error' as const)
        : undefined
  return {
    text: endText(payload, outcome, answer),
    at: state.at,
    ...known({ exitCode, failed }),
    ...(changes.length > 0 && { changes }),
  }
}

function endText(
  payload: JsonObject,
  outcome: JsonObject | undefined,
  answer: JsonObject | undefined,
): string {
  const seen = asText(payload.formatted_output) ?? asText(payload.aggregated_output)
  if (seen !== undefined) return seen
  if (answer !== undefined) return readOutput(answer.content).text
  if (outcome !== undefined && 'Err' in outcome) return readOutput(outcome.Err).text
  if (payload.content_items !== undefined) return readOutput(payload.content_items).text
  return [payload.stdout, payload.stderr].filter((text) => asText(text) !== undefined).join('\n')
}

function hiddenCall(payload: JsonObject): [name: string, input: unknown] {
  if (payload.type === 'patch_apply_end') {
    return ['apply_patch', { files: Object.keys(asObject(payload.changes) ?? {}) }]
  }
  if (payload.type === 'mcp_tool_call_end') {
    const { server, tool, arguments: input } = asObject(payload.invocation) ?? {}
    return [`${asText(server) ?? 'mcp'}.${asText(tool) ?? 'tool'}`, input ?? null]
  }
  if (payload.type === 'dynamic_tool_call_response') {
    return [asText(payload.tool) ?? 'tool', payload.arguments ?? null]
  }
  return ['exec_command', { command: payload.command ?? null }]
}

function readToolList(tools: unknown): CodexOutput {
  const lines = asList(tools).flatMap((tool) => {
    const { name, description } = asObject(tool) ?? {}
    const words = [name, description].filter((word) => asText(word) !== undefined)
    return words.length > 0 ? [words.join(': ')] : []
  })
  return { text: lines.join('\n'), images: 0 }
}
