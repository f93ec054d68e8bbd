import { asList, asObject, asText, type JsonObject } from '../../session/json-values.ts'
import { type Conversation, writeStanding } from '../messages/conversation.ts'
import { type MessageLog, type MessageShapes, messageReader } from '../messages/message-reader.ts'
import { contentParts } from '../shared/content.ts'
import { addAnthropicUsage, isAnthropicMessage, noteEdits, readAnthropicMessage } from './blocks.ts'
import { createStream, flushStream, isStreamEvent, readStreamEvent } from './stream.ts'

const shapes: MessageShapes = {
  isConversation,
  isLine: (value) => isAnthropicMessage(value) || isStreamEvent(value),
}

/**
 * Reads messages of Anthropic's API: a request, its bare `messages`, an answer, lines of any of these, and the events
 * of a recorded stream, one a line. https://docs.claude.com/en/api/messages
 */
export const anthropicMessagesReader = messageReader({
  name: 'anthropic-messages',
  shapes,
  isStreamed: isStreamEvent,
  createLog,
})

function createLog(conversation: Conversation): MessageLog {
  const stream = createStream(conversation)
  return {
    ...shapes,
    readConversation: (value) => readConversation(conversation, value),
    readLine(value) {
      const object = asObject(value) ?? {}
      if (isStreamEvent(value)) {
        if (!readStreamEvent(stream, object.type, object)) conversation.other(value)
      } else readMessage(conversation, object, undefined)
    },
    finish: () => flushStream(stream),
  }
}

function requestOf(value: unknown): JsonObject | undefined {
  const object = asObject(value)
  return [object, asObject(object?.request), asObject(object?.body)].find((candidate) =>
    asList(candidate?.messages).some(isAnthropicMessage),
  )
}

function isConversation(value: unknown): boolean {
  if (requestOf(value) !== undefined) return true
  return Array.isArray(value) && value.length > 0 && value.some(isAnthropicMessage)
}

function readConversation(conversation: Conversation, value: unknown): string | undefined {
  const request = requestOf(value)
  if (request === undefined) {
    readMessages(conversation, asList(value), undefined)
    return undefined
  }
  const outer = asObject(value) ?? {}
  const model = asText(request.model)
  conversation.out.meta({ title: asText(outer.title) })
  readSystem(conversation, request.system)
  readMessages(conversation, asList(request.messages), model)
  const answer = asObject(outer.response)
  const body = asObject(answer?.body) ?? answer
  if (body !== undefined && isAnthropicMessage(body)) readMessage(conversation, body, model)
  else if (answer !== undefined) conversation.other(answer, 'response')
  return sessionOf(request) ?? asText(outer.id)
}

/** `metadata` holds what the application reported about the session: Claude Code writes JSON into `user_id`. */
function sessionOf(request: JsonObject): string | undefined {
  const metadata = asObject(request.metadata)
  return asText(metadata?.session_id) ?? /_session_([\w-]{8,64})$/.exec(asText(metadata?.user_id) ?? '')?.[1]
}

function readSystem(conversation: Conversation, system: unknown): void {
  if (system === undefined || system === null) return
  const parts = contentParts(system)
  for (const text of parts.texts) writeStanding(conversation, 'system', text)
  for (const other of parts.others) conversation.other(other, 'system')
}

function readMessages(conversation: Conversation, list: readonly unknown[], model: string | undefined): void {
  for (const value of list) {
    const message = asObject(value)
    if (message === undefined) conversation.other(value, 'no-object')
    else readMessage(conversation, message, model)
  }
  if (list.length === 0) conversation.out.absorb('no messages')
}

function readMessage(conversation: Conversation, message: JsonObject, model: string | undefined): void {
  conversation.model = asText(message.model) ?? model
  if (message.role === 'system') readSystem(conversation, message.content)
  else if (!readAnthropicMessage(conversation, message))
    conversation.other(message, asText(message.role) ?? 'message')
  addAnthropicUsage(conversation, message)
  noteEdits(conversation, message.context_management)
}
