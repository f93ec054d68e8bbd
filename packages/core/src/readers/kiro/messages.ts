import type { EventDraft, ToolKind } from '../../session/event.ts'
import { asList, asObject, asText, type JsonObject } from '../../session/json-values.ts'
import { toolKindOf } from '../../tools/tool-kind.ts'
import type { SessionWriter } from '../reader/reader.ts'

/** The state of reading a log of Kiro. */
export interface KiroState {
  readonly out: SessionWriter
  readonly nameCall: (reported: unknown, place: string) => string
  readonly model: string | undefined
  /** Calls without a result, oldest first: ids may be empty. */
  open: { readonly id: string; readonly callId: string; readonly kind: ToolKind }[]
  calls: number
  time: string | undefined
}

/** The state at the beginning. */
export function createKiroState(
  out: SessionWriter,
  nameCall: KiroState['nameCall'],
  model: string | undefined,
): KiroState {
  return { out, nameCall, model, open: [], calls: 0, time: undefined }
}

/** Writes an event at the time of the current turn. */
export function write(state: KiroState, draft: EventDraft): void {
  const { out, time } = state
  out.event({ ...(time !== undefined && { time }), ...draft })
}

/**
 * Reads a prompt, or results of tools; a prompt may come with the results it cancels. Returns `false` if it is neither.
 */
export function readUser(state: KiroState, user: JsonObject): boolean {
  const environment = asObject(asObject(user.env_context)?.env_state)
  state.out.meta({ cwd: asText(environment?.current_working_directory) })
  const context = asText(user.additional_context)
  if (context !== undefined && context.trim() !== '')
    write(state, { type: 'context', origin: 'harness', name: 'additional_context', text: context })
  const content = asObject(user.content)
  const cancelled = asObject(content?.CancelledToolUses)
  const results = asObject(content?.ToolUseResults) ?? cancelled
  for (const result of asList(results?.tool_use_results)) readResult(state, result, cancelled !== undefined)
  const prompt = asText(asObject(content?.Prompt)?.prompt) ?? asText(cancelled?.prompt)
  const images = asList(user.images).length
  if (prompt !== undefined || images > 0)
    write(state, { type: 'user', origin: 'typed', text: prompt ?? '', ...(images > 0 && { images }) })
  // A turn that continues after tools has no user text of its own.
  return results !== undefined || content?.Prompt !== undefined || user.content === null
}

/** Reads text, or text with calls. Returns `false` if it is neither. */
export function readAssistant(state: KiroState, assistant: JsonObject): boolean {
  const answer = asObject(assistant.Response) ?? asObject(assistant.ToolUse)
  if (answer === undefined) return false
  const { model } = state
  const shown = model === undefined ? {} : { model }
  const text = asText(answer.content)
  if (text !== undefined && text.trim() !== '') write(state, { type: 'assistant', text, ...shown })
  for (const value of asList(answer.tool_uses)) {
    const use = asObject(value)
    const name = asText(use?.name)
    if (name === undefined) {
      write(state, { type: 'other', name: 'tool use', raw: value })
      continue
    }
    state.calls++
    const callId = state.nameCall(use?.id, `call-${state.calls}`)
    const input = use?.args ?? null
    const kind = kindOf(name, input)
    state.open.push({ id: asText(use?.id) ?? '', callId, kind })
    write(state, { type: 'tool_call', callId, name, kind, input, ...shown })
  }
  return true
}

function kindOf(name: string, input: unknown): ToolKind {
  if (name === 'fs_read') return 'read'
  if (name === 'fs_write') return 'edit'
  if (name === 'use_aws') return 'other'
  return name === 'execute_bash' || name === 'execute_cmd'
    ? 'execute'
    : typeof input === 'object'
      ? toolKindOf(name)
      : 'other'
}

function readResult(state: KiroState, value: unknown, cancelled: boolean): void {
  const result = asObject(value)
  if (result === undefined) {
    write(state, { type: 'other', name: 'tool result', raw: value })
    return
  }
  const id = asText(result.tool_use_id) ?? ''
  const at = Math.max(
    0,
    state.open.findIndex((open) => open.id === id),
  )
  const [call] = state.open.splice(at, 1)
  if (call === undefined) state.out.note('result-without-call', 'a tool result without a call before it')
  const { text, code } = contentOf(result.content)
  const failed = result.status === 'Error' || (code !== undefined && code !== 0)
  write(state, {
    type: 'tool_result',
    callId: call?.callId ?? (id === '' ? 'unknown' : id),
    status: cancelled ? 'cancelled' : failed ? 'error' : 'ok',
    text,
    ...(call?.kind === 'execute' && code !== undefined && { exitCode: code }),
  })
}

/** `{Text}` or `{Json}`; a command returns `{exit_status, stdout, stderr}`. */
function contentOf(content: unknown): { text: string; code?: number } {
  const texts: string[] = []
  let code: number | undefined
  for (const value of asList(content)) {
    const part = asObject(value)
    const json = asObject(part?.Json)
    if (typeof part?.Text === 'string') texts.push(part.Text)
    else if (json !== undefined && 'exit_status' in json) {
      const status = Number(json.exit_status)
      if (Number.isSafeInteger(status)) code = status
      texts.push(...[json.stdout, json.stderr].map(asText).filter((text) => text !== undefined))
    } else texts.push(typeof value === 'string' ? value : JSON.stringify(part?.Json ?? value))
  }
  return { text: texts.join('\n'), ...(code !== undefined && { code }) }
}
