import { asList, asObject, asText, type JsonObject } from '../../session/json-values.ts'
import { type Conversation, writeResult, writeStanding, writeUser } from '../messages/conversation.ts'
import { type MessageLog, type MessageShapes, messageReader } from '../messages/message-reader.ts'
import { messageTime, timeOfEpoch } from '../shared/time.ts'
import { byKind, countOf } from '../shared/writer.ts'
import {
  type Approvals,
  isStepResult,
  plainOutcome,
  readModelMessage,
  readSource,
  readStepResult,
  sdkUsage,
} from './model-message.ts'

const shapes: MessageShapes = { isConversation, isLine: isMessage }

/**
 * Messages of Vercel's AI SDK: `UIMessage` with `parts`, and `ModelMessage` with `content`, of versions 5 and 6, and the
 * `toolInvocations`, `args` and `result` of version 4; a list, `{ messages }`, or lines of them. Steps, which have the
 * usage, may stand among them. https://ai-sdk.dev/docs/reference/ai-sdk-core/ui-message
 */
export const aiSdkReader = messageReader({ name: 'ai-sdk', shapes, createLog })

function createLog(conversation: Conversation): MessageLog {
  const approvals: Approvals = new Map()
  const readMessage = (value: unknown): void => {
    const message = asObject(value)
    if (message !== undefined && isStepResult(message)) {
      readStepResult(conversation, message, approvals)
      return
    }
    const isRead =
      message !== undefined &&
      (Array.isArray(message.parts) || Array.isArray(message.toolInvocations)
        ? readUiMessage(conversation, message)
        : readModelMessage(conversation, message, approvals))
    if (!isRead) conversation.other(value, asText(message?.role) ?? 'no-message')
  }
  return {
    ...shapes,
    readLine: readMessage,
    readConversation(value) {
      const object = asObject(value)
      conversation.out.meta({ title: asText(object?.title) })
      for (const message of messagesOf(value) ?? []) readMessage(message)
      return asText(object?.id) ?? asText(object?.chatId)
    },
    finish: () => {},
  }
}

function isMessage(value: unknown): boolean {
  const message = asObject(value)
  return (
    (message !== undefined &&
      asText(message.role) !== undefined &&
      ('parts' in message || 'content' in message)) ||
    isStepResult(value)
  )
}

function messagesOf(value: unknown): readonly unknown[] | undefined {
  if (Array.isArray(value)) return value.some(isMessage) ? value : undefined
  const object = asObject(value)
  const body = asObject(object?.body)
  return [object?.messages, body?.messages].find((list) => asList(list).some(isMessage)) as
    | readonly unknown[]
    | undefined
}

function isConversation(value: unknown): boolean {
  return messagesOf(value) !== undefined
}

function readUiMessage(conversation: Conversation, message: JsonObject): boolean {
  const { role } = message
  if (role !== 'user' && role !== 'assistant' && role !== 'system' && role !== 'data') return false
  const metadata = asObject(message.metadata)
  const model = asText(metadata?.model) ?? asText(metadata?.modelId)
  conversation.time = timeOf(message, metadata)
  conversation.model = role === 'assistant' ? model : undefined
  const parts = partsOf(message)
  if (role === 'assistant') {
    for (const part of parts) readModelPart(conversation, part)
    addUsage(conversation, message, metadata)
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
    else conversation.other(value, asText(part?.type) ?? 'part')
  }
  if (byUser) {
    if (texts.length > 0 || images > 0) writeUser(conversation, texts, images)
  } else writeStanding(conversation, 'system', texts.join('\n'))
}

function readModelPart(conversation: Conversation, value: unknown): void {
  const part = asObject(value) ?? {}
  const type = asText(part.type) ?? 'part'
  if (!readType(conversation, type, part) && !readTool(conversation, type, part))
    conversation.other(value, type)
}

const readType = byKind<Conversation>({
  text: (conversation, { text }) => typeof text === 'string' && void conversation.say(text),
  reasoning: (conversation, { reasoning, text }) =>
    void conversation.think(asText(text) ?? asText(reasoning) ?? ''),
  'step-start': 'step marks',
  'source-url source-document source': readSource,
  file: (conversation, { filename }) =>
    void conversation.context('attachment', 'file', asText(filename) ?? '', 1),
})

function readTool(conversation: Conversation, type: string, part: JsonObject): boolean {
  const old = type === 'tool-invocation' ? asObject(part.toolInvocation) : undefined
  const isTool = type.startsWith('tool-') || type === 'dynamic-tool'
  const tool = old ?? part
  const name =
    old !== undefined || type === 'dynamic-tool' ? asText(tool.toolName) : type.slice('tool-'.length)
  if (!isTool || name === undefined || asText(tool.state) === undefined) return false
  const id = asText(tool.toolCallId)
  const call = conversation.call({ id, name, input: tool.input ?? tool.args ?? tool.rawInput })
  const outcome = outcomeOfState(tool)
  if (outcome === undefined) return true
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
function addUsage(conversation: Conversation, message: JsonObject, metadata: JsonObject | undefined): void {
  const usage = asObject(metadata?.usage) ?? asObject(metadata?.totalUsage)
  const { cache, input, output, reasoning } = asObject(metadata?.tokens) ?? {}
  const { read, write } = asObject(cache) ?? {}
  const sums = { inputTokens: countOf(input, read, write), outputTokens: output, reasoningTokens: reasoning }
  const counts =
    usage === undefined ? { ...sums, cacheReadTokens: read, cacheWriteTokens: write } : sdkUsage(usage)
  conversation.usage(asText(message.id) ?? `answer-${++conversation.answers}`, counts)
}
