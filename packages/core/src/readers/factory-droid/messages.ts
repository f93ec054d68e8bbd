import { appendTo } from '../../session/append-to.ts'
import type { EventDraft, ToolKind, ToolResultEvent } from '../../session/event.ts'
import { asCount, asList, asObject, asText, type JsonObject } from '../../session/json-values.ts'
import { toolKindOf } from '../../tools/tool-kind.ts'
import type { SessionWriter } from '../reader/reader.ts'
import { createCallIds } from '../shared/call-ids.ts'
import { knownOutcome } from '../shared/outcome.ts'

/** The state of reading a log of Factory's Droid. */
export type DroidState = ReturnType<typeof createDroidState>

/** The state at the beginning. */
export function createDroidState(out: SessionWriter) {
  return {
    out,
    /** Calls without a result, oldest first, by their id in the log. */
    open: new Map<string, { callId: string; kind: ToolKind }[]>(),
    nameCall: createCallIds(),
    calls: 0,
    written: new Set<string>(),
    model: undefined as string | undefined,
    responses: 0,
    /** Whether the messages report their own usage. */
    counted: false,
    time: undefined as string | undefined,
    /** Whether the current message is hidden from the model. */
    hidden: false,
  }
}

/** Writes an event at the time of the current record. */
export function write(state: DroidState, draft: EventDraft): void {
  const { out, time, hidden } = state
  out.event({ ...(time !== undefined && { time }), ...(hidden && { inContext: false }), ...draft })
}

/** Reads a `message` record: blocks of the Anthropic API. Returns `false` if it is none. */
export function readMessage(state: DroidState, record: JsonObject): boolean {
  const message = asObject(record.message)
  const role = message?.role
  if (message === undefined || (role !== 'user' && role !== 'assistant')) return false
  state.hidden = message.visibility === 'user_only' || record.visibility === 'user_only'
  const { content } = message
  const blocks = typeof content === 'string' ? [{ type: 'text', text: content }] : asList(content)
  if (role === 'assistant') {
    state.model = asText(message.model) ?? state.model
    countResponse(state, asText(record.id), asObject(message.usage))
  }
  const images = blocks.filter((block) => asObject(block)?.type === 'image').length
  let shown = role === 'user' ? images : 0
  for (const value of blocks) {
    const block = asObject(value)
    const type = asText(block?.type)
    if (type === 'text' && typeof block?.text === 'string') {
      if (role === 'assistant') writeWords(state, block.text)
      else if (readPrompt(state, block.text, shown)) shown = 0
    } else if (type === 'thinking' && asText(block?.thinking) !== undefined)
      write(state, { type: 'reasoning', text: asText(block?.thinking) ?? '' })
    else if (type === 'thinking' || type === 'redacted_thinking') state.out.absorb('encrypted reasoning')
    else if (type === 'tool_use' && asText(block?.name) !== undefined) writeCall(state, block ?? {})
    else if (type === 'tool_result') writeResult(state, block ?? {})
    else if (type !== 'image') write(state, { type: 'other', name: type ?? 'block', raw: value })
  }
  if (shown > 0) write(state, { type: 'user', origin: 'typed', text: '', images: shown })
  state.hidden = false
  state.out.absorb('empty message')
  return true
}

function writeWords(state: DroidState, text: string): void {
  const { model } = state
  if (text.trim() !== '') write(state, { type: 'assistant', text, ...(model !== undefined && { model }) })
}

/** Writes the user's words without the harness's reminders; returns `true` if there were words. */
function readPrompt(state: DroidState, text: string, images: number): boolean {
  const { reminders, words } = cutReminders(text)
  for (const reminder of reminders) {
    if (state.written.has(reminder)) continue
    state.written.add(reminder)
    write(state, { type: 'context', origin: 'harness', name: 'system-reminder', text: reminder })
  }
  if (words === '') return false
  // Shown to the user and not to the model: output of a command of the interface.
  if (state.hidden) {
    write(state, { type: 'context', origin: 'output', name: 'user_only', text: words })
    return false
  }
  if (/^(?:Request (?:cancelled|interrupted) by user|\[Request interrupted)/.test(words))
    write(state, { type: 'context', origin: 'harness', name: 'interrupted', text: words })
  else write(state, { type: 'user', origin: 'typed', text: words, ...(images > 0 && { images }) })
  return true
}

/** Separates reminders from the user's words; a reminder without an end stays with the words. */
function cutReminders(text: string): { reminders: string[]; words: string } {
  const open = '<system-reminder>'
  const close = '</system-reminder>'
  const reminders: string[] = []
  let words = ''
  let from = 0
  for (let start = text.indexOf(open); start !== -1; start = text.indexOf(open, from)) {
    const end = text.indexOf(close, start)
    if (end === -1) break
    words += text.slice(from, start)
    reminders.push(text.slice(start + open.length, end).trim())
    from = end + close.length
  }
  return { reminders, words: (words + text.slice(from)).trim() }
}

function writeCall(state: DroidState, block: JsonObject): void {
  const name = asText(block.name) ?? 'tool'
  state.calls++
  const id = asText(block.id) ?? `call-${state.calls}`
  const callId = state.nameCall(id, id)
  const kind = toolKindOf(name)
  appendTo(state.open, id, { callId, kind })
  const { model } = state
  const input = block.input ?? null
  write(state, { type: 'tool_call', callId, name, kind, input, ...(model !== undefined && { model }) })
}

function writeResult(state: DroidState, block: JsonObject): void {
  const id = asText(block.tool_use_id) ?? ''
  const call = state.open.get(id)?.shift()
  if (call === undefined) state.out.note('result-without-call', 'a tool result without a call before it')
  const texts: string[] = []
  let images = 0
  for (const value of typeof block.content === 'string' ? [block.content] : asList(block.content)) {
    const part = asObject(value)
    if (typeof value === 'string') texts.push(value)
    else if (part?.type === 'image') images++
    else texts.push(asText(part?.text) ?? JSON.stringify(value))
  }
  const text = texts.join('\n')
  const exitCode = call?.kind === 'execute' ? exitCodeOf(text) : undefined
  const status = statusOf(text, block.is_error === true, exitCode)
  const callId = call?.callId ?? (id === '' ? 'unknown' : id)
  write(state, { type: 'tool_result', callId, ...knownOutcome({ status, text, exitCode, images }) })
}

function exitCodeOf(text: string): number | undefined {
  const ending =
    /\[Process exited with code (-?\d{1,10})\]\s*$/.exec(text.slice(-200)) ??
    /\(exit code:? (-?\d{1,10})\)/i.exec(text.slice(0, 300))
  return ending === null ? undefined : Number(ending[1])
}

function statusOf(text: string, failed: boolean, code: number | undefined): ToolResultEvent['status'] {
  const head = text.slice(0, 300)
  if (
    /^(?:Error: )?(?:User (?:denied|rejected|declined)|The user (?:denied|rejected)|Tool execution (?:denied|rejected))/i.test(
      head,
    )
  )
    return 'denied'
  if (
    /^(?:Error: )?(?:Tool execution cancelled|Request (?:cancelled|interrupted)|Aborted by user)/i.test(head)
  )
    return 'cancelled'
  return failed || (code !== undefined && code !== 0) ? 'error' : 'ok'
}

function countResponse(state: DroidState, id: string | undefined, usage: JsonObject | undefined): void {
  state.responses++
  if (usage === undefined) return
  const { input_tokens, output_tokens, cache_read_input_tokens, cache_creation_input_tokens } = usage
  state.counted = true
  const counts = droidUsage(input_tokens, output_tokens, cache_read_input_tokens, cache_creation_input_tokens)
  state.out.usage(id ?? `response ${state.responses}`, 'main', state.model ?? 'unknown', counts)
}

/** Tokens of Droid, whose input excludes the cache. */
export function droidUsage(input: unknown, output: unknown, read: unknown, written: unknown) {
  const [inputTokens, cacheReadTokens, cacheWriteTokens] = [input, read, written].map(asCount)
  return {
    inputTokens:
      inputTokens === undefined ? undefined : inputTokens + (cacheReadTokens ?? 0) + (cacheWriteTokens ?? 0),
    outputTokens: asCount(output),
    cacheReadTokens,
    cacheWriteTokens,
  }
}
