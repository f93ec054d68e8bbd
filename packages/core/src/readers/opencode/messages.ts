import type { ContextEvent } from '../../session/event.ts'
import { asCount, asNumber, asObject, asText, type JsonObject } from '../../session/json-values.ts'
import { known } from '../../session/known.ts'
import type { TokenUsage } from '../../session/usage.ts'
import { timeOfMillis } from '../shared/epoch-time.ts'
import type { OpenCodeMessage } from './collection.ts'
import { isImage, type PartContext, writePart } from './parts.ts'
import { type Reading, write } from './reading.ts'

/** Writes one message with its parts. */
export function writeMessage(reading: Reading, message: OpenCodeMessage, byAgent: boolean): void {
  const value = message.load()
  const info = asObject(value)
  reading.at = message.at
  if (info?.role === 'user') writeUser(reading, message, info, byAgent)
  else if (info?.role === 'assistant') writeAnswer(reading, message, info)
  else {
    write(reading, { type: 'other', name: 'message', raw: value })
    for (const part of message.parts) writeAt(reading, part, {})
  }
}

function writeAt(reading: Reading, part: OpenCodeMessage['parts'][number], context: PartContext): void {
  reading.at = part.at
  writePart(reading, part.load(), context)
}

function createdOf(info: JsonObject): string | undefined {
  return timeOfMillis(asObject(info.time)?.created)
}

/** Writes the user's texts as one event, and what OpenCode added as events of their own, in order. */
function writeUser(reading: Reading, message: OpenCodeMessage, info: JsonObject, byAgent: boolean): void {
  const time = createdOf(info)
  const system = asText(info.system)
  if (system !== undefined)
    write(reading, { type: 'context', origin: 'system', name: 'system', text: system }, time)
  const words: string[] = []
  let images = 0
  const others: { value: unknown; part: OpenCodeMessage['parts'][number] }[] = []
  let command: string | undefined
  for (const part of message.parts) {
    const value = part.load()
    const fields = asObject(value)
    if (fields?.type === 'text' && typeof fields.text === 'string' && !isInserted(fields)) {
      if (fields.text.trim() !== '') words.push(unquoted(fields.text))
    } else if (fields?.type === 'file' && isImage(fields)) images++
    else if (fields?.type === 'subtask') command = commandOf(fields)
    else others.push({ value, part })
  }
  if (command !== undefined) write(reading, { type: 'user', origin: 'command', text: command }, time)
  writeWords(reading, words.join('\n'), images, byAgent, info)
  for (const { value, part } of others) {
    reading.at = part.at
    writeBeside(reading, value, time)
  }
  reading.out.absorb('empty message')
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

function writeWords(
  reading: Reading,
  text: string,
  images: number,
  byAgent: boolean,
  info: JsonObject,
): void {
  if (text === '' && images === 0) return
  const time = createdOf(info)
  const shown = images > 0 ? { images } : {}
  if (!byAgent) {
    const waited = (asNumber(asObject(info.time)?.created) ?? 0) < reading.busyUntil
    write(reading, { type: 'user', origin: waited ? 'queued' : 'typed', text, ...shown }, time)
    return
  }
  if (reading.tasks.get(reading.agent)?.prompt.trim() === text.trim()) {
    reading.out.absorb('prompt repeated from the call')
    return
  }
  write(reading, { type: 'context', origin: 'agent', name: 'task', text, ...shown }, time)
}

/** Writes a part of a user message other than the user's text. */
function writeBeside(reading: Reading, value: unknown, time?: string): void {
  const part = asObject(value)
  if (part?.type === 'compaction') {
    reading.trigger = part.auto === true ? 'auto' : 'manual'
    reading.out.absorb('request for a compaction')
  } else if (part?.type === 'file') reading.out.absorb('file named in the prompt, read next to it')
  else if (part?.type === 'text' && typeof part.text === 'string') {
    if (part.text.trim() === '') return
    const context = insertedText(part.text, part)
    // Ignored text is shown only to the user.
    const hidden = part.ignored === true ? { inContext: false as const } : {}
    write(reading, { type: 'context', ...context, text: part.text, ...hidden }, time)
  } else writePart(reading, value, time === undefined ? {} : { time })
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
  const { out, agent } = reading
  const time = createdOf(info)
  const model = asText(info.modelID)
  const usage = openCodeUsage(asObject(info.tokens))
  if (usage !== undefined && model !== undefined) out.usage(message.id, agent, model, usage)
  const context = {
    ...known({ model, time }),
    ...(info.finish === 'stop' && { phase: 'final' as const }),
    ...(info.finish === 'tool-calls' && { phase: 'commentary' as const }),
  }
  if (info.summary === true) writeSummary(reading, message, usage, context)
  else for (const part of message.parts) writeAt(reading, part, context)
  reading.busyUntil = asNumber(asObject(info.time)?.completed) ?? 0
  writeError(reading, info, time)
  out.absorb('answer without content')
}

/** Writes the answer of the compacting agent as the summary; what else that agent did stays unchanged. */
function writeSummary(
  reading: Reading,
  message: OpenCodeMessage,
  usage: TokenUsage | undefined,
  context: PartContext,
): void {
  const texts: string[] = []
  for (const part of message.parts) {
    const value = part.load()
    const fields = asObject(value)
    if (fields?.type === 'text' && typeof fields.text === 'string') texts.push(fields.text)
    else writeAt(reading, part, context)
  }
  const text = texts.join('\n').trim()
  const { trigger } = reading
  reading.trigger = undefined
  // A failed summary left the conversation unchanged.
  if (text === '') return
  const tokensBefore = usage?.inputTokens
  const details = {
    ...known({ trigger, tokensBefore }),
  }
  write(reading, { type: 'compaction', text, ...details }, context.time)
}

function writeError(reading: Reading, info: JsonObject, time?: string): void {
  const error = asObject(info.error)
  if (error === undefined) return
  const name = asText(error.name) ?? 'error'
  const text = asText(asObject(error.data)?.message) ?? asText(error.message) ?? name
  const ended = timeOfMillis(asObject(info.time)?.completed) ?? time
  write(reading, { type: 'context', origin: 'harness', name, text }, ended)
}

/** Tokens of a response: OpenCode counts the cache separately from the input, and reasoning from the output. */
export function openCodeUsage(tokens: JsonObject | undefined): TokenUsage | undefined {
  const cache = asObject(tokens?.cache)
  const input = asCount(tokens?.input)
  const output = asCount(tokens?.output)
  const reasoning = asCount(tokens?.reasoning)
  const read = asCount(cache?.read)
  const written = asCount(cache?.write)
  const sum = (input ?? 0) + (output ?? 0) + (read ?? 0) + (written ?? 0)
  // A response that broke off has zeros.
  if (sum === 0) return undefined
  return {
    ...(input !== undefined && { inputTokens: input + (read ?? 0) + (written ?? 0) }),
    ...(output !== undefined && { outputTokens: output + (reasoning ?? 0) }),
    ...(read !== undefined && { cacheReadTokens: read }),
    ...(written !== undefined && { cacheWriteTokens: written }),
    ...(reasoning !== undefined && { reasoningTokens: reasoning }),
  }
}
