import { known } from '../../session/known.ts'
import { contentParts } from '../messages/content.ts'
import { type Conversation, sayOther, sayStanding } from '../messages/conversation.ts'
import { messageReader } from '../messages/message-reader.ts'
import type { MessageLog, MessageShapes } from '../messages/several.ts'
import type { SessionMeta } from '../reader/reader.ts'
import { asList, asObject, asText, type JsonObject } from '../shared/json-values.ts'
import { isAnthropicMessage, readAnthropicMessage } from './blocks.ts'
import { createStream, flushStream, isStreamEvent, readStreamEvent } from './stream.ts'
import { addAnthropicUsage, noteEdits } from './usage.ts'

const shapes: MessageShapes = {
  isTalk,
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

function createLog(talk: Conversation): MessageLog {
  const stream = createStream(talk)
  return {
    ...shapes,
    readTalk: (value) => readTalk(talk, value),
    readLine(value) {
      const object = asObject(value) ?? {}
      if (isStreamEvent(value)) readStreamEvent(stream, object)
      else readMessage(talk, object, undefined)
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

function isTalk(value: unknown): boolean {
  if (requestOf(value) !== undefined) return true
  return Array.isArray(value) && value.length > 0 && value.some(isAnthropicMessage)
}

function readTalk(talk: Conversation, value: unknown): string | undefined {
  const request = requestOf(value)
  if (request === undefined) {
    readMessages(talk, asList(value), undefined)
    return undefined
  }
  const outer = asObject(value) ?? {}
  const model = asText(request.model)
  talk.out.meta(known<SessionMeta>({ title: asText(outer.title) }))
  readSystem(talk, request.system)
  readMessages(talk, asList(request.messages), model)
  const answer = asObject(outer.response)
  const body = asObject(answer?.body) ?? answer
  if (body !== undefined && isAnthropicMessage(body)) readMessage(talk, body, model)
  else if (answer !== undefined) sayOther(talk, 'response', answer)
  return sessionOf(request) ?? asText(outer.id)
}

/** `metadata` holds what the application reported about the session: Claude Code writes JSON into `user_id`. */
function sessionOf(request: JsonObject): string | undefined {
  const metadata = asObject(request.metadata)
  return asText(metadata?.session_id) ?? /_session_([\w-]{8,64})$/.exec(asText(metadata?.user_id) ?? '')?.[1]
}

function readSystem(talk: Conversation, system: unknown): void {
  if (system === undefined || system === null) return
  const parts = contentParts(system)
  for (const text of parts?.texts ?? []) sayStanding(talk, 'system', text)
  for (const other of parts === undefined ? [system] : parts.others) sayOther(talk, 'system', other)
}

function readMessages(talk: Conversation, list: readonly unknown[], model: string | undefined): void {
  for (const value of list) {
    const message = asObject(value)
    if (message === undefined) sayOther(talk, 'no-object', value)
    else readMessage(talk, message, model)
  }
  if (list.length === 0) talk.out.absorb('no messages')
}

function readMessage(talk: Conversation, message: JsonObject, model: string | undefined): void {
  talk.model = asText(message.model) ?? model
  if (message.role === 'system') readSystem(talk, message.content)
  else if (!readAnthropicMessage(talk, message)) sayOther(talk, asText(message.role) ?? 'message', message)
  addAnthropicUsage(talk, message)
  noteEdits(talk, message.context_management)
}
