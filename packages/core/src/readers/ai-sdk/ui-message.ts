import { asCount, asList, asObject, asText, type JsonObject } from '../../session/json-values.ts'
import { known } from '../../session/known.ts'
import type { TokenUsage } from '../../session/usage.ts'
import {
  type Conversation,
  closeCall,
  write,
  writeAnswer,
  writeCall,
  writeOther,
  writeReasoning,
  writeResult,
  writeStanding,
  writeUser,
} from '../messages/conversation.ts'
import { messageTime, timeOfEpoch } from '../messages/time.ts'
import { sdkUsage } from './sdk-usage.ts'
import { plainOutcome } from './tool-output.ts'

/** Reads a message of the user interface; returns `false` if its role is not known. */
export function readUiMessage(conversation: Conversation, message: JsonObject): boolean {
  const { role } = message
  if (role !== 'user' && role !== 'assistant' && role !== 'system' && role !== 'data') return false
  const metadata = asObject(message.metadata)
  const model = asText(metadata?.model) ?? asText(metadata?.modelId)
  conversation.time = timeOf(message, metadata)
  conversation.model = role === 'assistant' ? model : undefined
  const parts = partsOf(message)
  if (role === 'assistant') {
    for (const part of parts) readModelPart(conversation, part)
    addUsage(conversation, message, metadata, model)
  } else readGivenParts(conversation, parts, role === 'user')
  if (parts.length === 0) conversation.out.absorb('empty message')
  conversation.out.absorb('step marks')
  return true
}

/** Version 4 kept the text in `content` and the calls next to it, and later both again in `parts`. */
function partsOf(message: JsonObject): readonly unknown[] {
  if (Array.isArray(message.parts)) return message.parts
  const text = asText(message.content)
  const reasoning = asText(message.reasoning)
  const calls = asList(message.toolInvocations).map((toolInvocation) => ({
    type: 'tool-invocation',
    toolInvocation,
  }))
  return [
    ...(reasoning === undefined ? [] : [{ type: 'reasoning', text: reasoning }]),
    ...calls,
    ...(text === undefined ? [] : [{ type: 'text', text }]),
  ]
}

function timeOf(message: JsonObject, metadata: JsonObject | undefined): string | undefined {
  const time = asObject(metadata?.time)
  return messageTime(message) ?? messageTime(metadata ?? {}) ?? timeOfEpoch(time?.created)
}

function readGivenParts(conversation: Conversation, parts: readonly unknown[], byUser: boolean): void {
  const texts: string[] = []
  let images = 0
  for (const value of parts) {
    const part = asObject(value)
    if (part?.type === 'text' && typeof part.text === 'string') texts.push(part.text)
    else if (part?.type === 'file') images++
    else writeOther(conversation, asText(part?.type) ?? 'part', value)
  }
  if (byUser) {
    if (texts.length > 0 || images > 0) writeUser(conversation, texts, images)
  } else writeStanding(conversation, 'system', texts.join('\n'))
}

function readModelPart(conversation: Conversation, value: unknown): void {
  const part = asObject(value)
  const type = asText(part?.type) ?? ''
  if (part === undefined) writeOther(conversation, 'part', value)
  else if (type === 'text' && typeof part.text === 'string') writeAnswer(conversation, part.text)
  else if (type === 'reasoning') {
    const text = asText(part.text) ?? asText(part.reasoning)
    if (text === undefined || !writeReasoning(conversation, text))
      conversation.out.absorb('encrypted reasoning')
  } else if (type === 'step-start') conversation.out.absorb('step marks')
  else if (type === 'source-url' || type === 'source-document' || type === 'source')
    readSource(conversation, part)
  else if (type === 'file')
    write(conversation, {
      type: 'context',
      origin: 'attachment',
      name: 'file',
      text: asText(part.filename) ?? '',
      images: 1,
    })
  else if (!readTool(conversation, type, part)) writeOther(conversation, type === '' ? 'part' : type, value)
}

/** Reads a source that the model named. */
export function readSource(conversation: Conversation, part: JsonObject): void {
  const source = asObject(part.source) ?? part
  const words = [source.title, source.url, source.filename].map(asText).filter((word) => word !== undefined)
  write(conversation, { type: 'context', origin: 'attachment', name: 'source', text: words.join('\n') })
}

function readTool(conversation: Conversation, type: string, part: JsonObject): boolean {
  const old = type === 'tool-invocation' ? asObject(part.toolInvocation) : undefined
  const isTool = type.startsWith('tool-') || type === 'dynamic-tool'
  const tool = old ?? part
  const name =
    old !== undefined || type === 'dynamic-tool' ? asText(tool.toolName) : type.slice('tool-'.length)
  if (!isTool || name === undefined || asText(tool.state) === undefined) return false
  const id = asText(tool.toolCallId)
  const call = writeCall(conversation, id, name, tool.input ?? tool.args ?? tool.rawInput ?? null)
  const outcome = outcomeOfState(tool)
  if (outcome === undefined) return true
  closeCall(conversation, call)
  writeResult(conversation, call, id, outcome)
  return true
}

function outcomeOfState(tool: JsonObject): ReturnType<typeof plainOutcome> | undefined {
  const approval = asObject(tool.approval)
  const reason = asText(approval?.reason) ?? ''
  switch (tool.state) {
    case 'output-available':
      return plainOutcome(tool.output)
    case 'result':
      return plainOutcome(tool.result)
    case 'output-error':
      return plainOutcome(asText(tool.errorText) ?? tool.output, true)
    case 'output-denied':
      return { status: 'denied', text: reason }
  }
  return approval?.approved === false ? { status: 'denied', text: reason } : undefined
}

/** Usage that the application keeps in the metadata: the SDK's own names, or `tokens` without the cache. */
function addUsage(
  conversation: Conversation,
  message: JsonObject,
  metadata: JsonObject | undefined,
  model: string | undefined,
): void {
  const usage = asObject(metadata?.usage) ?? asObject(metadata?.totalUsage)
  const tokens = asObject(metadata?.tokens)
  const cache = asObject(tokens?.cache)
  const key = asText(message.id) ?? `answer-${++conversation.answers}`
  const input = asCount(tokens?.input)
  const read = asCount(cache?.read)
  const written = asCount(cache?.write)
  const counts =
    usage !== undefined
      ? sdkUsage(usage)
      : known<TokenUsage>({
          inputTokens: input === undefined ? undefined : input + (read ?? 0) + (written ?? 0),
          outputTokens: asCount(tokens?.output),
          cacheReadTokens: read,
          cacheWriteTokens: written,
          reasoningTokens: asCount(tokens?.reasoning),
        })
  conversation.out.usage(key, conversation.agent, model ?? 'unknown', counts)
}
