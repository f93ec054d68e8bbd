import type { ContextEvent, SourcePosition } from '../../session/event.ts'
import { asCount, asNumber, asObject, asText, type JsonObject } from '../../session/json-values.ts'
import type { TokenUsage } from '../../session/usage.ts'
import { toolKindOf } from '../../tools/tool-kind.ts'
import type { SessionWriter } from '../reader/reader.ts'
import { timeOfMillis } from '../shared/time.ts'
import { byKind, countOf, createWriter } from '../shared/writer.ts'
import type { OpenCodeMessage, OpenCodeSession } from './collection.ts'
import { openCodeOutcome } from './tool-outcome.ts'

/** A call of the `task` tool whose child session is known. */
interface TaskCall {
  readonly callId: string
  readonly agent: string
  readonly prompt: string
}

export type Reading = ReturnType<typeof startReading>

/** The state before the first message. `byAgent`: it is of a child session; `undone`: a revert took the rest back. */
export function startReading(out: SessionWriter) {
  return Object.assign(createWriter(out), {
    at: { file: 0, line: 1 } as SourcePosition,
    /** Calls that started a child session, by its id. */
    tasks: new Map<string, TaskCall>(),
    /** Writes a child session if it is available. */
    writeChild: (_id: string): void => {},
    /** Available child sessions, by the id of their parent. */
    children: new Map<string, OpenCodeSession[]>(),
    depth: 0,
    written: new Set<string>(),
    phase: undefined as 'commentary' | 'final' | undefined,
    trigger: undefined as string | undefined,
    /** End of the last answer, in ms: messages before that were queued. */
    busyUntil: 0,
  })
}

export function writeMessage(reading: Reading, message: OpenCodeMessage): void {
  const value = message.load()
  const info = asObject(value)
  reading.at = message.at
  reading.time = timeOfMillis(asObject(info?.time)?.created)
  reading.model = undefined
  reading.phase = undefined
  if (info?.role === 'user') writeUser(reading, message, info)
  else if (info?.role === 'assistant') writeAnswer(reading, message, info)
  else {
    reading.other(value, 'message')
    for (const part of message.parts) writeAt(reading, part)
  }
}

function writeAt(reading: Reading, part: OpenCodeMessage['parts'][number]): void {
  reading.at = part.at
  writePart(reading, part.load())
}

/** Writes the user's texts as one event, and what OpenCode added as events of their own, in order. */
function writeUser(reading: Reading, message: OpenCodeMessage, info: JsonObject): void {
  reading.context('system', 'system', asText(info.system) ?? '')
  const words: string[] = []
  let images = 0
  const others: OpenCodeMessage['parts'] = []
  let command: string | undefined
  for (const part of message.parts) {
    const fields = asObject(part.load()) ?? {}
    const { type, text } = fields
    if (type === 'text' && typeof text === 'string' && !isInserted(fields)) {
      if (text.trim() !== '') words.push(unquoted(text))
    } else if (type === 'file' && isImage(fields)) images++
    else if (type === 'subtask') command = commandOf(fields)
    else others.push(part)
  }
  if (command !== undefined) reading.write({ type: 'user', origin: 'command', text: command })
  writeWords(reading, words.join('\n'), images, info)
  for (const part of others) {
    reading.at = part.at
    writeBeside(reading, part.load())
  }
}

/** `opencode run` puts a prompt that has spaces into quotes, and a backslash before each quote in it. */
function unquoted(text: string): string {
  const trimmed = text.trim()
  if (trimmed.length < 2 || !trimmed.startsWith('"') || !trimmed.endsWith('"')) return text
  const inside = trimmed.slice(1, -1)
  return /(?<!\\)"|\\$/.test(inside) ? text : inside.replaceAll('\\"', '"')
}

function isInserted(part: JsonObject): boolean {
  return part.synthetic === true || part.ignored === true
}

/** The request for a subagent, as typed: `/review`. Its prompt is the input of the `task` call that follows. */
function commandOf(part: JsonObject): string {
  const name = asText(part.command)
  return name === undefined ? (asText(part.description) ?? asText(part.prompt) ?? 'subtask') : `/${name}`
}

function writeWords(reading: Reading, text: string, images: number, info: JsonObject): void {
  const waited = (asNumber(asObject(info.time)?.created) ?? 0) < reading.busyUntil
  const isRepeated = reading.byAgent && reading.tasks.get(reading.agent)?.prompt.trim() === text.trim()
  if (isRepeated && text !== '') reading.out.absorb('prompt repeated from the call')
  else reading.ask(text, { origin: waited ? 'queued' : 'typed', images })
}

/** Writes a part of a user message other than the user's text. */
function writeBeside(reading: Reading, value: unknown): void {
  const part = asObject(value) ?? {}
  const { auto, ignored, text, type } = part
  if (type === 'compaction') {
    reading.trigger = auto === true ? 'auto' : 'manual'
    reading.out.absorb('request for a compaction')
  } else if (type === 'file') reading.out.absorb('file named in the prompt, read next to it')
  else if (type !== 'text' || typeof text !== 'string') writePart(reading, value)
  else if (text.trim() !== '') {
    // Ignored text is shown only to the user.
    const inContext = ignored === true ? false : undefined
    reading.write({ type: 'context', inContext, ...insertedText(text, part), text })
  }
}

function insertedText(text: string, part: JsonObject): Pick<ContextEvent, 'origin' | 'name'> {
  const kind = asText(asObject(part.metadata)?.kind)
  if (kind === 'editor_context') return { origin: 'attachment', name: kind }
  if (part.ignored === true) return { origin: 'harness', name: 'ignored' }
  const start = text.trimStart()
  if (start.startsWith('<system-reminder>')) return { origin: 'harness', name: 'system-reminder' }
  if (/^(?:Called the \w+ tool with|<path>|<file>|\s*\d{5}\| )/.test(start))
    return { origin: 'attachment', name: 'file' }
  if (start.startsWith('Continue if you have next steps')) return { origin: 'harness', name: 'continue' }
  return { origin: 'harness', name: 'synthetic' }
}

function writeAnswer(reading: Reading, message: OpenCodeMessage, info: JsonObject): void {
  const { time } = reading
  const usage = openCodeUsage(asObject(info.tokens))
  reading.model = asText(info.modelID)
  reading.phase = info.finish === 'stop' ? 'final' : info.finish === 'tool-calls' ? 'commentary' : undefined
  if (usage !== undefined) reading.usage(message.id, usage)
  if (info.summary === true) writeSummary(reading, message, usage)
  else for (const part of message.parts) writeAt(reading, part)
  const completed = asObject(info.time)?.completed
  const error = asObject(info.error)
  reading.busyUntil = asNumber(completed) ?? 0
  reading.time = timeOfMillis(completed) ?? time
  if (error !== undefined) writeError(reading, error)
  reading.out.absorb('answer without content')
}

export function writeError(reading: Reading, error: unknown, fallback = 'error'): void {
  const { data, message, name } = asObject(error) ?? {}
  const known = asText(name) ?? fallback
  const text = asText(asObject(data)?.message) ?? asText(message) ?? asText(error) ?? known
  reading.context('harness', known, text)
}

/** Writes the answer of the compacting agent as the summary; what else that agent did stays unchanged. */
function writeSummary(reading: Reading, message: OpenCodeMessage, usage: TokenUsage | undefined): void {
  const { time, trigger } = reading
  const texts: string[] = []
  for (const part of message.parts) {
    const { text, type } = asObject(part.load()) ?? {}
    if (type === 'text' && typeof text === 'string') texts.push(text)
    else writeAt(reading, part)
  }
  const text = texts.join('\n').trim()
  reading.trigger = undefined
  reading.time = time
  // A failed summary left the conversation unchanged.
  if (text !== '') reading.write({ type: 'compaction', text, trigger, tokensBefore: usage?.inputTokens })
}

/** Tokens of a response: OpenCode counts the cache separately from the input, and reasoning from the output. */
export function openCodeUsage(tokens: JsonObject | undefined): TokenUsage | undefined {
  const { cache, input, output, reasoning } = tokens ?? {}
  const { read, write } = asObject(cache) ?? {}
  // A response that broke off has zeros.
  if (countOf(0, input, output, read, write) === 0) return undefined
  const sums = { inputTokens: countOf(input, read, write), outputTokens: countOf(output, reasoning) }
  const counts = { cacheReadTokens: asCount(read), cacheWriteTokens: asCount(write) }
  return { ...sums, ...counts, reasoningTokens: asCount(reasoning) } as TokenUsage
}

/** Writes a part of an answer, or any part of a message that is not the user's text. */
export function writePart(reading: Reading, value: unknown): void {
  const { time } = reading
  const part = asObject(value) ?? {}
  reading.time = timeOfMillis(asObject(part.time)?.start) ?? time
  if (!writeKind(reading, part.type, part)) reading.other(value, asText(part.type) ?? 'part')
  reading.time = time
}

const writeKind = byKind<Reading>({
  text(reading, part) {
    const { text } = part
    if (typeof text !== 'string') return false
    return void (isInserted(part)
      ? reading.context('harness', 'synthetic', text)
      : reading.say(text, { phase: reading.phase }))
  },
  reasoning: (reading, { text }) => typeof text === 'string' && void reading.think(text),
  tool: (reading, part) => asText(part.tool) !== undefined && writeTool(reading, part),
  file: (reading, part) =>
    void reading.context(
      'attachment',
      'file',
      asText(part.filename) ?? asText(part.mime) ?? 'file',
      isImage(part) ? 1 : 0,
    ),
  retry(reading, { error }) {
    const { data, message, name } = asObject(error) ?? {}
    const text = asText(asObject(data)?.message) ?? asText(message) ?? asText(name) ?? ''
    reading.write({ type: 'context', origin: 'harness', name: 'retry', text })
  },
  'step-start': 'beginning of a step',
  'step-finish': 'end of a step',
  'snapshot patch': 'snapshot of the files',
  agent: 'mention of an agent',
  compaction: 'request for a compaction',
})

/** Whether a file part is a picture, or a page as a picture. */
function isImage(part: JsonObject): boolean {
  const mime = asText(part.mime) ?? ''
  return mime.startsWith('image/') || mime === 'application/pdf'
}

function writeTool(reading: Reading, part: JsonObject): void {
  const { agent, out, time } = reading
  const state = asObject(part.state) ?? {}
  const clock = asObject(state.time)
  const name = asText(part.tool) ?? ''
  reading.time = timeOfMillis(clock?.start) ?? time
  const input = state.input ?? asText(state.raw) ?? null
  const call = reading.call({
    id: part.callID,
    name,
    input,
    kind: isListing(name, state) ? 'search' : toolKindOf(name),
  })
  const metadata = asObject(state.metadata)
  const child = asText(metadata?.sessionId) ?? asText(metadata?.sessionID)
  if (child !== undefined && child !== 'main') {
    // It names its session; a resumed one names a session that was started before.
    const { description, prompt, subagent_type } = asObject(input) ?? {}
    const { callId } = call
    reading.tasks.set(child, { callId, agent, prompt: asText(prompt) ?? '' })
    reading.begin(child, { callId, type: asText(subagent_type), title: asText(description) })
    const { model, phase, time: began } = reading
    reading.writeChild(child)
    Object.assign(reading, { model, phase, time: began })
  }
  const outcome = openCodeOutcome(name, state)
  if (outcome === undefined) return
  const { feedback = '', ...result } = outcome
  reading.time = timeOfMillis(clock?.end) ?? reading.time
  if (child !== undefined && reading.tasks.has(child)) reading.end(child, call.callId)
  reading.result(call, result)
  if (feedback !== '' && agent === 'main') reading.write({ type: 'user', origin: 'typed', text: feedback })
  else if (feedback !== '') out.absorb('words of the user to a subagent')
}

/** The read tool lists folders, too. */
function isListing(name: string, { output }: JsonObject): boolean {
  return (
    name === 'read' && typeof output === 'string' && output.slice(0, 1000).includes('<type>directory</type>')
  )
}
