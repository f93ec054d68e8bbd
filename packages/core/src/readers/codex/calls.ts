import { appendTo } from '../../session/append-to.ts'
import type { ToolKind } from '../../session/event.ts'
import { asList, asObject, asText, type JsonObject } from '../../session/json-values.ts'
import { findPatch } from './patch.ts'
import { type CodexCall, type CodexState, write } from './state.ts'

const kinds = new Map<string, ToolKind>([
  ...[
    'shell',
    'shell_command',
    'exec_command',
    'write_stdin',
    'local_shell',
    'container.exec',
    'unified_exec',
  ].map((name) => [name, 'execute'] as const),
  ['apply_patch', 'edit'],
  ['view_image', 'read'],
  ['read_file', 'read'],
  ['grep_files', 'search'],
  ['list_dir', 'search'],
  ['tool_search', 'search'],
  ['web_search', 'fetch'],
  ['update_plan', 'think'],
])

/** A call with its arguments as a JSON string (function_call) or as raw text (custom_tool_call). */
export function readCall(state: CodexState, item: JsonObject): boolean {
  const name = asText(item.name)
  if (name === undefined) return false
  const space = asText(item.namespace)
  const input = item.type === 'custom_tool_call' ? (item.input ?? null) : parseArguments(item.arguments)
  writeCall(state, callIdOf(item), space === undefined ? name : joinName(space, name), input)
  return true
}

/** Reads calls that the provider or the client runs and that have their own item type. */
export function readBuiltInCall(state: CodexState, item: JsonObject): void {
  switch (item.type) {
    case 'local_shell_call':
      writeCall(state, callIdOf(item), 'local_shell', item.action ?? null)
      return
    case 'tool_search_call':
      writeCall(state, callIdOf(item), 'tool_search', parseArguments(item.arguments))
      return
    case 'web_search_call':
      readWebSearch(state, item)
      return
    case 'image_generation_call': {
      const input = asText(item.revised_prompt) === undefined ? null : { revised_prompt: item.revised_prompt }
      const call = writeCall(state, callIdOf(item), 'image_generation', input)
      if (asText(item.result) === undefined) return
      takeOpen(state, callIdOf(item))
      write(state, { type: 'tool_result', callId: call.callId, status: 'ok', text: '', images: 1 })
    }
  }
}

/** Writes a call and remembers it for its output. Redaction may give many calls the same id: they get numbers. */
export function writeCall(
  state: CodexState,
  rawId: string | undefined,
  name: string,
  input: unknown,
): CodexCall {
  const id = rawId ?? `call-${state.calls.size + 1}`
  let times = (state.idUses.get(id) ?? 0) + 1
  let callId = times === 1 ? id : `${id}#${times}`
  for (; state.calls.has(callId); callId = `${id}#${times}`) times++
  state.idUses.set(id, times)
  const call: CodexCall = { callId, name, input }
  state.calls.set(callId, call)
  appendTo(state.open, rawId ?? '', call)
  state.working = true
  const { model } = state
  write(state, {
    type: 'tool_call',
    callId,
    name,
    kind: kindOf(name, input),
    input,
    ...(model !== undefined && { model }),
  })
  return call
}

/** Takes the oldest call with an id that has no output yet. */
export function takeOpen(state: CodexState, rawId: string | undefined): CodexCall | undefined {
  return state.open.get(rawId ?? '')?.shift()
}

/** `call_id`, or otherwise `id`. */
export function callIdOf(item: JsonObject): string | undefined {
  return asText(item.call_id) ?? asText(item.id)
}

/** Writes the search, unless web_search_end already reported it with its results. */
function readWebSearch(state: CodexState, item: JsonObject): void {
  const key = JSON.stringify(item.action ?? null)
  const reported = state.searches.get(key) ?? 0
  if (reported > 0) {
    state.searches.set(key, reported - 1)
    state.out.absorb('repeated web search')
    return
  }
  writeCall(state, callIdOf(item), 'web_search', item.action ?? null)
}

function parseArguments(value: unknown): unknown {
  if (typeof value !== 'string') return value ?? null
  try {
    return JSON.parse(value)
  } catch (error) {
    if (error instanceof SyntaxError) return value
    throw error
  }
}

function joinName(space: string, name: string): string {
  return space.endsWith('_') ? `${space}${name}` : `${space}.${name}`
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
  const arguments_ = asObject(input)
  const command = arguments_?.command ?? arguments_?.cmd
  const words = typeof command === 'string' ? [command] : asList(command)
  const first = /^(?:\S*\/)?(?:ba|z|da)?sh$/.test(asText(words[0]) ?? '') ? words.at(-1) : words[0]
  return /^\s*(?:apply_patch|applypatch)\b/.test(asText(first) ?? '')
}
