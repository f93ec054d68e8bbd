import { asCount, asList, asObject, asText, type JsonObject } from '../../session/json-values.ts'
import { known } from '../../session/known.ts'
import type { TokenUsage } from '../../session/usage.ts'
import { toolKindOf } from '../../tools/tool-kind.ts'
import { type GeminiMessage, type GeminiState, write } from './state.ts'
import { geminiOutcome, resultOf } from './tool-outcome.ts'
import { folderOf, geminiPieces } from './user-text.ts'

/**
 * Reads a message, or the new parts of one that was read before. `synced`: it is in a list that replaces the history,
 * where texts may have been masked. Returns `false` if its kind is not known.
 */
export function readMessage(state: GeminiState, message: JsonObject, synced = false): boolean {
  const { out, messages } = state
  const id = asText(message.id) ?? `message-${messages.size + 1}`
  const before = messages.get(id)
  const entry = before ?? { id, text: '', thoughts: 0, users: 0 }
  state.time = asText(message.timestamp)
  switch (message.type) {
    case 'gemini':
      readAnswer(state, message, entry, synced && before !== undefined)
      break
    case 'user':
      if (before === undefined) readUser(state, message, entry)
      break
    case 'info':
    case 'error':
    case 'warning':
      if (before === undefined) readNotice(state, message.type, message)
      break
    default:
      return false
  }
  if (before === undefined) {
    messages.set(id, entry)
    state.live.push(id)
  }
  out.absorb(before === undefined ? 'empty message' : 'message repeated')
  return true
}

function readNotice(state: GeminiState, name: string, message: JsonObject): void {
  const text = textsOf(message.content).join('\n')
  if (text.trim() !== '') write(state, { type: 'context', origin: 'harness', name, text })
}

function textsOf(content: unknown): string[] {
  if (typeof content === 'string') return content === '' ? [] : [content]
  const parts = Array.isArray(content) ? content : [content]
  return parts.flatMap((part) => (typeof part === 'string' ? part : (asText(asObject(part)?.text) ?? [])))
}

function readUser(state: GeminiState, message: JsonObject, entry: GeminiMessage): void {
  const { content, displayContent } = message
  const texts = textsOf(content)
  entry.text = texts.join('\n')
  const shown = displayContent === undefined ? undefined : textsOf(displayContent).join('\n')
  const parts = Array.isArray(content) ? content.map(asObject) : []
  const images = parts.filter((part) => asObject(part?.inlineData) !== undefined).length
  const pieces = geminiPieces(entry.text, shown)
  const cwd = pieces.map(folderOf).find((folder) => folder !== undefined)
  if (cwd !== undefined) state.out.meta({ cwd })
  if (pieces.length === 0 && images > 0) pieces.push({ type: 'user', origin: 'typed', text: '' })
  const holder = Math.max(
    0,
    pieces.findIndex((piece) => piece.type === 'user'),
  )
  for (const [index, piece] of pieces.entries()) {
    const pictures = index === holder && images > 0 ? { images } : {}
    if (piece.type === 'context') write(state, { ...piece, ...pictures })
    else if (state.byAgent) {
      write(state, { type: 'context', origin: 'agent', name: 'task', text: piece.text, ...pictures })
    } else {
      write(state, { ...piece, ...pictures })
      entry.users++
    }
  }
  for (const value of Array.isArray(content) ? content : []) readUserPart(state, value)
  if (content !== undefined && typeof content !== 'string' && !Array.isArray(content) && texts.length === 0)
    write(state, { type: 'other', name: 'user content', raw: content })
}

/** Parts other than text and pictures: results of tools that the calls already hold, and files by address. */
function readUserPart(state: GeminiState, value: unknown): void {
  const part = asObject(value)
  const response = asObject(part?.functionResponse)
  if (typeof value === 'string' || part?.text !== undefined || part?.inlineData !== undefined) return
  if (response !== undefined) readResponse(state, value, response)
  else if (asObject(part?.fileData) !== undefined) {
    const text = asText(asObject(part?.fileData)?.fileUri) ?? 'file'
    write(state, { type: 'context', origin: 'attachment', name: 'file', text })
  } else write(state, { type: 'other', name: 'user part', raw: value })
}

function readResponse(state: GeminiState, value: unknown, response: JsonObject): void {
  const key = asText(response.id) ?? asText(response.name) ?? ''
  const call = state.calls.get(key)
  if (call?.done === true) return
  if (call === undefined) {
    state.out.note('result-without-call', 'a tool result answers no call of this log')
    write(state, { type: 'other', name: 'functionResponse', raw: value })
    return
  }
  call.done = true
  const { text, images, failed } = resultOf([value])
  const pictures = images > 0 ? { images } : {}
  write(state, {
    type: 'tool_result',
    callId: call.callId,
    status: failed ? 'error' : 'ok',
    text,
    ...pictures,
  })
}

function readAnswer(state: GeminiState, message: JsonObject, entry: GeminiMessage, masked: boolean): void {
  const { out, agent } = state
  const model = asText(message.model)
  const usage = geminiUsage(asObject(message.tokens))
  if (usage !== undefined && model !== undefined) out.usage(entry.id, agent, model, usage)
  const thoughts = asList(message.thoughts)
  for (const thought of thoughts.slice(entry.thoughts)) writeThought(state, thought)
  entry.thoughts = Math.max(entry.thoughts, thoughts.length)
  readAnswerContent(state, message.content, entry, masked, model)
  for (const [index, value] of asList(message.toolCalls).entries()) {
    readCall(state, value, `${entry.id}-${index + 1}`, model)
  }
}

function writeThought(state: GeminiState, value: unknown): void {
  const thought = asObject(value)
  const subject = asText(thought?.subject)?.trim()
  const description = asText(thought?.description)?.trim()
  const text = [subject === undefined ? '' : `**${subject}**`, description ?? ''].filter(
    (part) => part !== '',
  )
  if (text.length > 0)
    write(state, { type: 'reasoning', text: text.join('\n') }, asText(thought?.timestamp) ?? state.time)
  else if (thought === undefined) write(state, { type: 'other', name: 'thought', raw: value })
}

function readAnswerContent(
  state: GeminiState,
  content: unknown,
  entry: GeminiMessage,
  masked: boolean,
  model: string | undefined,
): void {
  const parts = Array.isArray(content) ? content : []
  const said = Array.isArray(content) ? parts.filter((part) => asObject(part)?.thought !== true) : content
  const text = textsOf(said).join('')
  const isNew = text.trim() !== '' && text !== entry.text && !masked
  if (isNew) {
    const grown = entry.text !== '' && text.startsWith(entry.text) ? text.slice(entry.text.length) : text
    if (entry.text !== '' && grown === text) state.out.note('message-changed', 'an answer was rewritten')
    write(state, { type: 'assistant', text: grown, ...(model !== undefined && { model }) })
    entry.text = text
  }
  for (const [index, value] of parts.entries()) {
    const part = asObject(value)
    const call = asObject(part?.functionCall)
    if (part?.thought === true && !masked && entry.thoughts === 0) {
      if (asText(part.text) !== undefined) write(state, { type: 'reasoning', text: String(part.text) })
    } else if (call !== undefined) readCall(state, call, `${entry.id}-call-${index + 1}`, model)
  }
  const odd =
    content !== undefined && content !== null && typeof content !== 'string' && !Array.isArray(content)
  if (odd && text === '') write(state, { type: 'other', name: 'gemini content', raw: content })
}

/** A call with its result, which may arrive when the message is written again. */
function readCall(state: GeminiState, value: unknown, place: string, model: string | undefined): void {
  const { calls } = state
  const record = asObject(value)
  if (record === undefined) {
    write(state, { type: 'other', name: 'tool call', raw: value })
    return
  }
  const time = asText(record.timestamp) ?? state.time
  const key = asText(record.id) ?? (record.status === undefined ? (asText(record.name) ?? place) : place)
  const name = asText(record.name) ?? ''
  let call = calls.get(key)
  // A call without an id ends before the next one with its name begins.
  if (call === undefined || (call.done && asText(record.id) === undefined && record.status === undefined)) {
    call = { callId: state.newCallId(record.id, place), name, done: false }
    calls.set(key, call)
    const by = model === undefined ? {} : { model }
    const { callId } = call
    const input = record.args ?? null
    write(state, { type: 'tool_call', callId, name, kind: toolKindOf(name), input, ...by }, time)
    startAgent(state, record, callId, time)
  }
  const outcome = call.done ? undefined : geminiOutcome(record)
  if (outcome === undefined) return
  call.done = true
  reportFolder(state, record)
  const child = asText(record.agentId)
  const { callId } = call
  if (child !== undefined && state.agents.has(child))
    write(state, { type: 'subagent_end', child, callId }, time)
  write(state, { type: 'tool_result', callId, ...outcome }, time)
}

/** The log does not name the folder: it is what the tools put before a relative path. */
function reportFolder({ out }: GeminiState, record: JsonObject): void {
  const given = asText(asObject(record.args)?.file_path)
  const full = asText(asObject(record.resultDisplay)?.filePath)
  if (given === undefined || full === undefined || /^(?:[./~\\]|[A-Za-z]:)/.test(given)) return
  if (full.startsWith('/') && full.endsWith(`/${given}`)) out.meta({ cwd: full.slice(0, -given.length - 1) })
}

function startAgent(state: GeminiState, record: JsonObject, callId: string, time: string | undefined): void {
  const child = asText(record.agentId)
  if (child === undefined || child === 'main' || state.agents.has(child)) return
  const { out, agent } = state
  const type = asText(record.name)
  out.agent({ id: child, parent: agent, callId, type, title: asText(record.displayName) })
  state.agents.set(child, callId)
  write(state, { type: 'subagent_start', child, callId }, time)
}

/** Tokens of a response: `input` includes the cache, thoughts are counted separately from the output. */
function geminiUsage(tokens: JsonObject | undefined): TokenUsage | undefined {
  const input = asCount(tokens?.input)
  const output = asCount(tokens?.output)
  const thoughts = asCount(tokens?.thoughts)
  const cached = asCount(tokens?.cached)
  if (input === undefined && output === undefined) return undefined
  return known<TokenUsage>({
    inputTokens: input === undefined ? undefined : input + (asCount(tokens?.tool) ?? 0),
    outputTokens: output === undefined ? undefined : output + (thoughts ?? 0),
    cacheReadTokens: cached,
    reasoningTokens: thoughts,
  })
}
