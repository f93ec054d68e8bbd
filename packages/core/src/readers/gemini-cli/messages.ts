import type { FileChange, ToolResultEvent } from '../../session/event.ts'
import { asCount, asList, asObject, asText, type JsonObject } from '../../session/json-values.ts'
import { known } from '../../session/known.ts'
import type { SessionWriter } from '../reader/reader.ts'
import { countLines } from '../shared/diff-counts.ts'
import { byKind, countOf, createWriter, type Outcome, type WrittenCall } from '../shared/writer.ts'
import { folderOf, geminiPieces } from './user-text.ts'

/** The written parts of a message. The log repeats a message whenever it changes. */
interface Message {
  readonly id: string
  text: string
  thoughts: number
  users: number
}

/** A message being read. `masked`: it was read before, and texts may have been masked since. */
interface Reading {
  readonly message: JsonObject
  readonly entry: Message
  readonly isNew: boolean
  readonly masked: boolean
}

export type GeminiState = ReturnType<typeof createGeminiState>

export function createGeminiState(out: SessionWriter) {
  return Object.assign(createWriter(out), {
    file: 0,
    messages: new Map<string, Message>(),
    /** Ids of the messages that are part of the conversation, in order. */
    live: [] as string[],
    calls: new Map<string, { readonly call: WrittenCall; done: boolean }>(),
    agents: new Set<string>(),
    begun: new Set<string>(),
  })
}

/**
 * Reads a message, or the new parts of one that was read before. `synced`: it is in a list that replaces the history,
 * where texts may have been masked. Returns `false` if its kind is not known.
 */
export function readMessage(state: GeminiState, message: JsonObject, synced = false): boolean {
  const { out, messages } = state
  const id = asText(message.id) ?? `message-${messages.size + 1}`
  const before = messages.get(id)
  const entry = before ?? { id, text: '', thoughts: 0, users: 0 }
  const isNew = before === undefined
  state.time = asText(message.timestamp)
  state.model = asText(message.model)
  if (!readKind(state, message.type, { message, entry, isNew, masked: synced && !isNew })) return false
  if (isNew) {
    messages.set(id, entry)
    state.live.push(id)
  }
  out.absorb(isNew ? 'empty message' : 'message repeated')
  return true
}

const readKind = byKind<GeminiState, Reading>({
  gemini(state, { entry, masked, message }) {
    countUsage(state, entry.id, asObject(message.tokens))
    const thoughts = asList(message.thoughts)
    for (const thought of thoughts.slice(entry.thoughts)) readThought(state, thought)
    entry.thoughts = Math.max(entry.thoughts, thoughts.length)
    readContent(state, message.content, entry, masked)
    for (const [index, value] of asList(message.toolCalls).entries())
      readCall(state, value, `${entry.id}-${index + 1}`)
  },
  user(state, { entry, isNew, message }) {
    const { turns } = state
    if (isNew) readUser(state, message, entry)
    entry.users += state.turns - turns
  },
  'info error warning': (state, { isNew, message }, name) => {
    if (isNew) state.context('harness', name, textsOf(message.content).join('\n'))
  },
})

/** The texts of a content: a text, or a list of parts. */
export function textsOf(content: unknown): string[] {
  const parts = Array.isArray(content) ? content : content === '' ? [] : [content]
  return parts.flatMap((part) => (typeof part === 'string' ? part : (asText(asObject(part)?.text) ?? [])))
}

function readUser(state: GeminiState, { content, displayContent }: JsonObject, entry: Message): void {
  const texts = textsOf(content)
  entry.text = texts.join('\n')
  const shown = displayContent === undefined ? undefined : textsOf(displayContent).join('\n')
  const parts = Array.isArray(content) ? content : []
  const images = parts.filter((part) => asObject(asObject(part)?.inlineData) !== undefined).length
  const pieces = geminiPieces(entry.text, shown)
  const cwd = pieces.map(folderOf).find((folder) => folder !== undefined)
  if (cwd !== undefined) state.out.meta({ cwd })
  state.askPieces(pieces, images)
  for (const part of parts) readUserPart(state, part)
  const isOdd = content !== undefined && typeof content !== 'string' && !Array.isArray(content)
  if (isOdd && texts.length === 0) state.other(content, 'user content')
}

/** Parts other than text and pictures: results of tools that the calls already hold, and files by address. */
function readUserPart(state: GeminiState, value: unknown): void {
  const { text, inlineData, functionResponse, fileData } = asObject(value) ?? {}
  const response = asObject(functionResponse)
  const file = asObject(fileData)
  if (typeof value === 'string' || text !== undefined || inlineData !== undefined) return
  if (response !== undefined) readResponse(state, value, response)
  else if (file !== undefined) state.context('attachment', 'file', asText(file.fileUri) ?? 'file')
  else state.other(value, 'user part')
}

function readResponse(state: GeminiState, value: unknown, response: JsonObject): void {
  const known = state.calls.get(asText(response.id) ?? asText(response.name) ?? '')
  if (known === undefined) {
    state.out.note('result-without-call', 'a tool result answers no call of this log')
    state.other(value, 'functionResponse')
  } else if (!known.done) {
    known.done = true
    const { text, images, failed } = resultOf([value])
    state.result(known.call, { status: failed ? 'error' : 'ok', text, images })
  }
}

/** Counts tokens: `input` includes the cache, thoughts are counted separately from the output. */
function countUsage(state: GeminiState, key: string, tokens: JsonObject | undefined): void {
  const { input, output, thoughts, cached, tool } = tokens ?? {}
  if (asCount(input) === undefined && asCount(output) === undefined) return
  const sums = { inputTokens: countOf(input, tool), outputTokens: countOf(output, thoughts) }
  state.usage(key, { ...sums, cacheReadTokens: cached, reasoningTokens: thoughts })
}

function readThought(state: GeminiState, value: unknown): void {
  const thought = asObject(value)
  const subject = asText(thought?.subject)?.trim() ?? ''
  const text = [subject === '' ? '' : `**${subject}**`, asText(thought?.description)?.trim() ?? '']
  const time = asText(thought?.timestamp) ?? state.time
  if (thought === undefined) state.other(value, 'thought')
  else state.think(text.filter((part) => part !== '').join('\n'), { time })
}

function readContent(state: GeminiState, content: unknown, entry: Message, masked: boolean): void {
  const parts = Array.isArray(content) ? content : []
  const said = Array.isArray(content) ? parts.filter((part) => asObject(part)?.thought !== true) : content
  const text = textsOf(said).join('')
  if (text.trim() !== '' && text !== entry.text && !masked) {
    const grown = entry.text !== '' && text.startsWith(entry.text) ? text.slice(entry.text.length) : text
    if (entry.text !== '' && grown === text) state.out.note('message-changed', 'an answer was rewritten')
    state.say(grown)
    entry.text = text
  }
  for (const [index, value] of parts.entries()) {
    const part = asObject(value)
    const isThought = part?.thought === true && !masked && entry.thoughts === 0
    if (isThought) state.think(asText(part.text) ?? '')
    else if (asObject(part?.functionCall) !== undefined)
      readCall(state, part?.functionCall, `${entry.id}-call-${index + 1}`)
  }
  const isOdd = content !== undefined && content !== null && typeof content !== 'string'
  if (isOdd && !Array.isArray(content) && text === '') state.other(content, 'gemini content')
}

/** A call with its result, which may arrive when the message is written again. */
function readCall(state: GeminiState, value: unknown, place: string): void {
  const { calls, time } = state
  const record = asObject(value)
  if (record === undefined) {
    state.other(value, 'tool call')
    return
  }
  state.time = asText(record.timestamp) ?? time
  const { id, status } = record
  const name = asText(record.name) ?? ''
  const key = asText(id) ?? (status === undefined && name !== '' ? name : place)
  const child = asText(record.agentId)
  let known = calls.get(key)
  // A call without an id ends before the next one with its name begins.
  if (known === undefined || (known.done && asText(id) === undefined && status === undefined)) {
    known = { call: state.call({ id, name, input: record.args }), done: false }
    calls.set(key, known)
    if (child !== undefined && child !== 'main' && !state.agents.has(child)) {
      state.agents.add(child)
      const title = asText(record.displayName)
      state.begin(child, { callId: known.call.callId, type: asText(record.name), title })
    }
  }
  const outcome = known.done ? undefined : geminiOutcome(record)
  if (outcome !== undefined) {
    known.done = true
    reportFolder(state, record)
    if (child !== undefined && state.agents.has(child)) state.end(child, known.call.callId)
    state.result(known.call, outcome)
  }
  state.time = time
}

/** The log does not name the folder: it is what the tools put before a relative path. */
function reportFolder({ out }: GeminiState, record: JsonObject): void {
  const given = asText(asObject(record.args)?.file_path)
  const full = asText(asObject(record.resultDisplay)?.filePath)
  if (given === undefined || full === undefined || /^(?:[./~\\]|[A-Za-z]:)/.test(given)) return
  if (full.startsWith('/') && full.endsWith(`/${given}`)) out.meta({ cwd: full.slice(0, -given.length - 1) })
}

/** The outcome of a recorded call; `undefined` if it has not ended. */
function geminiOutcome(call: JsonObject): Outcome | undefined {
  const { status } = call
  const { text, images, failed } = resultOf(call.result)
  const ended = status === 'success' || status === 'error' || status === 'cancelled'
  if (!ended && text === '' && images === 0) return undefined
  const isShell = asText(call.name) === 'run_shell_command'
  const exitCode = isShell && status !== 'cancelled' ? exitCodeOf(text) : undefined
  const outcome = statusOf(status, text, failed || (exitCode ?? 0) !== 0)
  const changes = outcome === 'ok' ? changesOf(call) : []
  return { status: outcome, text, exitCode, changes, images }
}

function statusOf(status: unknown, text: string, failed: boolean): ToolResultEvent['status'] {
  if (status === 'cancelled')
    return /User denied|User did not allow/i.test(text.slice(0, 500)) ? 'denied' : 'cancelled'
  return status === 'error' || failed ? 'error' : 'ok'
}

/** Text of a list of parts: `functionResponse` with `output` or `error`, text, and data next to them. */
export function resultOf(result: unknown): {
  readonly text: string
  readonly images: number
  readonly failed: boolean
} {
  const texts: string[] = []
  let images = 0
  let failed = false
  for (const value of Array.isArray(result) ? result : [result]) {
    const part = asObject(value)
    const response = asObject(asObject(part?.functionResponse)?.response)
    if (typeof value === 'string') texts.push(value)
    else if (response !== undefined) {
      failed ||= response.output === undefined && response.error !== undefined
      texts.push(textOf(response.output ?? response.error ?? response))
      images += asList(asObject(part?.functionResponse)?.parts).filter(hasData).length
    } else if (hasData(part)) images++
    else if (typeof part?.text === 'string') texts.push(part.text)
    else if (value !== undefined && value !== null) texts.push(JSON.stringify(value))
  }
  return { text: texts.join('\n'), images, failed }
}

function hasData(part: unknown): boolean {
  return asObject(asObject(part)?.inlineData) !== undefined
}

function textOf(value: unknown): string {
  return typeof value === 'string' ? withoutWrapper(value) : JSON.stringify(value)
}

const wrapper = /^<untrusted_context>\n([\s\S]*)\n<\/untrusted_context>$/

/** Since 0.61 the output of commands and of MCP servers is marked for the model. */
function withoutWrapper(text: string): string {
  return wrapper.exec(text)?.[1] ?? text
}

/** The shell tool prints its fields after the output; newer versions omit fields that are zero or empty. */
function exitCodeOf(text: string): number | undefined {
  const tail = text.slice(-2000)
  const ending = /^Exit Code: (-?\d{1,10})$/m.exec(tail)
  if (ending !== null) return Number(ending[1])
  const plain = text.startsWith('Output: ') && !/^(?:Error|Signal|Exit Code): /m.test(tail)
  return plain ? 0 : undefined
}

function changesOf(call: JsonObject): FileChange[] {
  const shown = asObject(call.resultDisplay)
  const args = asObject(call.args)
  const path = asText(shown?.filePath) ?? asText(args?.file_path) ?? asText(shown?.fileName)
  if (shown === undefined || path === undefined || typeof shown.fileDiff !== 'string') return []
  const action = shown.isNewFile === true ? 'created' : 'modified'
  const stat = asObject(shown.diffStat)
  const sum = (what: 'added' | 'removed'): number | undefined => {
    const model = asCount(stat?.[`model_${what}_lines`])
    return model === undefined ? undefined : model + (asCount(stat?.[`user_${what}_lines`]) ?? 0)
  }
  const written = action === 'created' && typeof args?.content === 'string' ? countLines(args.content) : 0
  const added = sum('added') === 0 && written > 0 ? written : sum('added')
  const removed = sum('removed')
  return [{ path, action, ...known({ added, removed }) }]
}
