import * as json from '../../session/json.ts'
import type { SessionWriter } from '../reader/reader.ts'
import { byKind } from '../shared/by-kind.ts'
import { countLines } from '../shared/diff-counts.ts'
import type { ProgramPiece, UserPiece } from '../shared/program-blocks.ts'
import { countOf, usageIn } from '../shared/usage.ts'
import { numberIn } from '../shared/values.ts'
import { type Change, createWriter, type Outcome, type WrittenCall } from '../shared/writer.ts'

type Message = { readonly id: string; text: string; thoughts: number; users: number }

/** A message being read. `masked`: it was read before, and texts may have been masked since. */
type Reading = Readonly<{ message: json.Fields; entry: Message; isNew: boolean; masked: boolean }>

export type GeminiState = ReturnType<typeof createGeminiState>

export function createGeminiState(out: SessionWriter) {
  return Object.assign(createWriter(out), {
    file: 0,
    messages: new Map<string, Message>(),
    live: [] as string[],
    calls: new Map<string, { readonly call: WrittenCall; done: boolean }>(),
    agents: new Set<string>(),
    begun: new Set<string>(),
  })
}

/** Reads a message, or its new parts. `synced`: its list replaces the history, in which texts may be masked. */
export function readMessage(state: GeminiState, message: json.Fields, synced = false): boolean {
  const { out, messages } = state
  const id = json.text(message.id) ?? `message-${messages.size + 1}`
  const before = messages.get(id)
  const entry = before ?? { id, text: '', thoughts: 0, users: 0 }
  const isNew = before === undefined
  state.time = json.text(message.timestamp)
  state.model = json.text(message.model)
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
    state.usage(entry.id, usageIn(message.tokens, 'gemini-cli'))
    const thoughts = json.list(message.thoughts)
    for (const thought of thoughts.slice(entry.thoughts)) {
      const { description, subject, timestamp } = json.fields(thought)
      const title = json.text(json.text(subject)?.trim())
      const text = json.texts([title && `**${title}**`, json.text(description)?.trim()]).join('\n')
      if (json.object(thought) === undefined) state.other(thought, 'thought')
      else state.think(text, { time: json.text(timestamp) ?? state.time })
    }
    entry.thoughts = Math.max(entry.thoughts, thoughts.length)
    readContent(state, message.content, entry, masked)
    for (const [index, value] of json.list(message.toolCalls).entries())
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

export function textsOf(content: unknown): string[] {
  const parts = Array.isArray(content) ? content : content === '' ? [] : [content]
  return parts.flatMap((part) => (typeof part === 'string' ? part : (json.text(part, 'text') ?? [])))
}

function readUser(state: GeminiState, { content, displayContent }: json.Fields, entry: Message): void {
  const texts = textsOf(content)
  entry.text = texts.join('\n')
  const shown = displayContent === undefined ? undefined : textsOf(displayContent).join('\n')
  const parts = json.list(content)
  const pieces = geminiPieces(entry.text, shown)
  state.out.meta({ cwd: pieces.map(folderOf).find((folder) => folder !== undefined) })
  state.askPieces(pieces, parts.filter(hasData).length)
  // Results of tools that the calls already hold, and files by address.
  for (const part of parts) {
    const { text, inlineData, functionResponse, fileData } = json.fields(part)
    if (typeof part === 'string' || text !== undefined || inlineData !== undefined) continue
    if (json.object(functionResponse)) readResponse(state, part, json.fields(functionResponse))
    else if (json.object(fileData))
      state.context('attachment', 'file', json.text(fileData, 'fileUri') ?? 'file')
    else state.other(part, 'user part')
  }
  const isOdd = content !== undefined && typeof content !== 'string' && !Array.isArray(content)
  if (isOdd && texts.length === 0) state.other(content, 'user content')
}

function readResponse(state: GeminiState, value: unknown, response: json.Fields): void {
  const known = state.calls.get(json.text(response.id) ?? json.text(response.name) ?? '')
  if (known === undefined) {
    state.out.note('result-without-call', 'a tool result answers no call of this log')
    state.other(value, 'functionResponse')
  } else if (!known.done) {
    known.done = true
    state.result(known.call, resultOf([value]))
  }
}

function readContent(state: GeminiState, content: unknown, entry: Message, masked: boolean): void {
  const parts = json.list(content)
  const said = Array.isArray(content) ? parts.filter((part) => json.at(part, 'thought') !== true) : content
  const text = textsOf(said).join('')
  if (text.trim() !== '' && text !== entry.text && !masked) {
    const grown = entry.text !== '' && text.startsWith(entry.text) ? text.slice(entry.text.length) : text
    if (entry.text !== '' && grown === text) state.out.note('message-changed', 'an answer was rewritten')
    state.say(grown)
    entry.text = text
  }
  for (const [index, value] of parts.entries()) {
    const { functionCall, text: thought, thought: isThought } = json.fields(value)
    if (isThought === true && !masked && entry.thoughts === 0) state.think(thought)
    else if (json.object(functionCall)) readCall(state, functionCall, `${entry.id}-call-${index + 1}`)
  }
  const isOdd = content !== undefined && content !== null && typeof content !== 'string'
  if (isOdd && !Array.isArray(content) && text === '') state.other(content, 'gemini content')
}

function readCall(state: GeminiState, value: unknown, place: string): void {
  const { calls, time } = state
  const record = json.object(value)
  if (record === undefined) {
    state.other(value, 'tool call')
    return
  }
  state.time = json.text(record.timestamp) ?? time
  const { id, status } = record
  const name = json.text(record.name) ?? ''
  const key = json.text(id) ?? (status === undefined && name !== '' ? name : place)
  const child = json.text(record.agentId)
  let known = calls.get(key)
  // A call without an id ends before the next one with the same name begins.
  if (known === undefined || (known.done && json.text(id) === undefined && status === undefined)) {
    known = { call: state.call({ id, name, input: record.args }), done: false }
    calls.set(key, known)
    if (child !== undefined && child !== 'main' && !state.agents.has(child)) {
      state.agents.add(child)
      const { callId } = known.call
      state.begin(child, { callId, type: json.text(record.name), title: json.text(record.displayName) })
    }
  }
  const outcome = known.done ? undefined : outcomeOf(record)
  if (outcome !== undefined) {
    known.done = true
    // The log does not name the folder; tools put it before a relative path.
    const given = json.text(record.args, 'file_path') ?? '/'
    const full = json.text(record.resultDisplay, 'filePath') ?? ''
    if (!/^(?:[./~\\]|[A-Za-z]:)/.test(given) && full.startsWith('/') && full.endsWith(`/${given}`))
      state.out.meta({ cwd: full.slice(0, -given.length - 1) })
    if (child !== undefined && state.agents.has(child)) state.end(child, known.call.callId)
    state.result(known.call, outcome)
  }
  state.time = time
}

function outcomeOf(call: json.Fields): Outcome | undefined {
  const { status } = call
  const { text, images, failed } = resultOf(call.result)
  const ended = status === 'success' || status === 'error' || status === 'cancelled'
  if (!ended && text === '' && images === 0) return undefined
  const exitCode = call.name === 'run_shell_command' && status !== 'cancelled' ? exitCodeOf(text) : undefined
  return { text, images, exitCode, ...ending(status, text, failed), changes: changesOf(call) }
}

function ending(status: unknown, text: string, failed: boolean): Pick<Outcome, 'failed' | 'status'> {
  if (status !== 'cancelled') return { failed: failed || status === 'error' }
  return { status: /User denied|User did not allow/i.test(text.slice(0, 500)) ? 'denied' : status }
}

/** Since 0.61 the output of commands and of MCP servers is marked for the model. */
const wrapper = /^<untrusted_context>\n([\s\S]*)\n<\/untrusted_context>$/

export function resultOf(result: unknown) {
  const texts: string[] = []
  let images = 0
  let failed = false
  for (const value of Array.isArray(result) ? result : [result]) {
    const part = json.fields(value)
    const response = json.object(part.functionResponse, 'response')
    if (typeof value === 'string') texts.push(value)
    else if (response !== undefined) {
      failed ||= response.output === undefined && response.error !== undefined
      const output = response.output ?? response.error ?? response
      texts.push(typeof output === 'string' ? (wrapper.exec(output)?.[1] ?? output) : JSON.stringify(output))
      images += json.list(part.functionResponse, 'parts').filter(hasData).length
    } else if (hasData(part)) images++
    else if (typeof part.text === 'string') texts.push(part.text)
    else if (value !== undefined && value !== null) texts.push(JSON.stringify(value))
  }
  return { text: texts.join('\n'), images, failed }
}

function hasData(part: unknown): boolean {
  return json.object(part, 'inlineData') !== undefined
}

/** The shell tool prints its fields after the output; newer versions omit fields that are zero or empty. */
function exitCodeOf(text: string): number | undefined {
  const tail = text.slice(-2000)
  const plain = text.startsWith('Output: ') && !/^(?:Error|Signal|Exit Code): /m.test(tail)
  return numberIn(tail, /^Exit Code: (-?\d{1,10})$/m) ?? (plain ? 0 : undefined)
}

function changesOf({ args, resultDisplay }: json.Fields): Change[] {
  const { diffStat, fileDiff, fileName, filePath, isNewFile } = json.fields(resultDisplay)
  const path = json.text(filePath) ?? json.text(args, 'file_path') ?? json.text(fileName)
  if (path === undefined || typeof fileDiff !== 'string') return []
  const sum = (what: string): number | undefined =>
    countOf(json.at(diffStat, `model_${what}_lines`), json.at(diffStat, `user_${what}_lines`))
  const written = isNewFile === true ? countLines(json.text(args, 'content') ?? '') : 0
  const added = sum('added') === 0 && written > 0 ? written : sum('added')
  return [{ path, action: isNewFile === true ? 'created' : 'modified', added, removed: sum('removed') }]
}

const beginnings: readonly (readonly [start: string, name: string])[] = [
  ['System: Please continue', 'continue'],
  ['This is the Gemini CLI. We are setting up the context for our chat', 'environment'],
  ['<session_context>', 'environment'],
]
const filesStart = '\n--- Content from referenced files ---'
const shellCommand =
  /^I ran the following shell command:\n```sh\n([\s\S]*?)\n```\n\nThis produced the following result:\n```\n([\s\S]*)$/
const hookStart = '<hook_context>'
const hookEnd = '</hook_context>'

function folderOf(piece: UserPiece): string | undefined {
  if (piece.type !== 'context' || piece.name !== 'environment') return undefined
  return /^- \*\*Workspace Directories:\*\*\n {2}- (\S[^\n]*)$/m.exec(piece.text)?.[1]
}

/** Splits a prompt by author. `shown` is the text that the user typed, if it differs from what the model saw. */
export function geminiPieces(seen: string, shown: string | undefined): UserPiece[] {
  const at = seen.indexOf(filesStart)
  const files = at === -1 ? '' : seen.slice(at).trim()
  const prompt = (at === -1 ? seen : seen.slice(0, at)).trim()
  // A hook's text is before the prompt, in the same message or alone.
  const end = prompt.startsWith(hookStart) ? prompt.indexOf(hookEnd) : -1
  const rest = end === -1 ? prompt : prompt.slice(end + hookEnd.length).trim()
  const hook = prompt.slice(hookStart.length, Math.max(hookStart.length, end)).trim()
  return [
    ...(end === -1 ? [] : [program('hook', 'hook_context', hook)]),
    ...wordsOf(rest, shown?.trim()),
    ...(files === '' ? [] : [program('attachment', 'referenced files', files)]),
  ]
}

function program(origin: ProgramPiece['origin'], name: string, text: string): ProgramPiece {
  return { type: 'context', origin, name, text }
}

function wordsOf(prompt: string, shown: string | undefined): UserPiece[] {
  if (shown !== undefined && shown !== '') {
    const isCommand = shown.startsWith('/') && prompt !== shown
    const words: UserPiece = { type: 'user', origin: isCommand ? 'command' : 'typed', text: shown }
    const isWhole = !isCommand || prompt === ''
    return isWhole ? [words] : [words, program('harness', shown.split(/\s/, 1)[0] ?? shown, prompt)]
  }
  if (prompt === '') return []
  const [, known] = beginnings.find(([start]) => prompt.startsWith(start)) ?? []
  // The log does not show what the user typed, so these are the words of a program.
  const name = known ?? (shown === '' ? 'prompt' : undefined)
  const [, command, output = ''] = (known === undefined && shellCommand.exec(prompt)) || []
  if (command !== undefined)
    return [
      { type: 'user', origin: 'command', text: `! ${command}` },
      program('output', 'shell', output.replace(/\n?```$/, '')),
    ]
  return [name ? program('harness', name, prompt) : { type: 'user', origin: 'typed', text: prompt }]
}
