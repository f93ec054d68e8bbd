import { asList, asObject, asText, type JsonObject } from '../../session/json-values.ts'
import { type Conversation, writeStanding, writeUser } from '../messages/conversation.ts'
import { responseItemTypes } from '../messages/family.ts'
import { type MessageLog, type MessageShapes, messageReader } from '../messages/message-reader.ts'
import { timeOfEpoch } from '../shared/time.ts'
import { addResponseUsage, readItem } from './items.ts'
import { createStream, flushStream, isStreamEvent, readStreamEvent } from './stream.ts'

const shapes: MessageShapes = {
  isConversation,
  isLine: (value) => isItem(value) || isResponse(value) || isStreamEvent(value),
}

/**
 * Reads items of OpenAI's Responses API: a response, a list of items and responses, a request with its `input`, lines of any of
 * these, and the events of a recorded stream, one a line. https://platform.openai.com/docs/api-reference/responses
 */
export const openaiResponsesReader = messageReader({
  name: 'openai-responses',
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
      if (isStreamEvent(value)) readStreamEvent(stream, object)
      else if (isResponse(value)) {
        conversation.out.meta({ id: asText(object.id) })
        readResponse(conversation, object)
      } else readItems(conversation, [value])
    },
    finish: () => flushStream(stream),
  }
}

function isItem(value: unknown): boolean {
  const item = asObject(value)
  const type = asText(item?.type)
  if (type !== undefined) return responseItemTypes.has(type)
  return asText(item?.role) !== undefined && item !== undefined && 'content' in item
}

function isResponse(value: unknown): boolean {
  const object = asObject(value)
  return object?.object === 'response' && Array.isArray(object.output)
}

function requestOf(value: unknown): JsonObject | undefined {
  const object = asObject(value)
  return [object, asObject(object?.request), asObject(object?.body)].find(
    (candidate) => Array.isArray(candidate?.input) || typeof candidate?.input === 'string',
  )
}

function isConversation(value: unknown): boolean {
  if (Array.isArray(value)) return value.some(isItem) || value.some(isResponse)
  return !isItem(value) && !isResponse(value) && !isStreamEvent(value) && requestOf(value) !== undefined
}

function readConversation(conversation: Conversation, value: unknown): string | undefined {
  if (Array.isArray(value)) {
    readItems(conversation, value)
    return undefined
  }
  const outer = asObject(value) ?? {}
  const request = requestOf(value) ?? {}
  conversation.model = asText(request.model)
  readInstructions(conversation, request)
  if (typeof request.input === 'string') writeUser(conversation, [request.input])
  else readItems(conversation, asList(request.input))
  const response = asObject(outer.response)
  const answer = asObject(response?.body) ?? response
  if (answer !== undefined && isResponse(answer)) {
    conversation.out.meta({ id: asText(answer.id) })
    readResponse(conversation, answer)
  } else if (response !== undefined) conversation.other(response, 'response')
  conversation.out.absorb('no items')
  return asText(outer.id) ?? asText(outer.custom_id)
}

function readInstructions(conversation: Conversation, holder: JsonObject): void {
  const { instructions } = holder
  if (typeof instructions === 'string') writeStanding(conversation, 'system', instructions)
  else readItems(conversation, asList(instructions))
}

function readResponse(conversation: Conversation, response: JsonObject): void {
  conversation.model = asText(response.model)
  conversation.time = timeOfEpoch(response.created_at)
  readInstructions(conversation, response)
  readItems(conversation, asList(response.output))
  addResponseUsage(conversation, response)
  const error = asText(asObject(response.error)?.message)
  const reason = asText(asObject(response.incomplete_details)?.reason)
  if (error !== undefined) conversation.out.note('failed-response', error.slice(0, 500))
  if (reason !== undefined) conversation.out.note('incomplete-response', reason.slice(0, 500))
  if (asText(response.previous_response_id) !== undefined)
    conversation.out.note('history-elsewhere', 'the turns before this response are kept by the server')
  conversation.out.absorb('empty response')
}

function readItems(conversation: Conversation, items: readonly unknown[]): void {
  for (const value of items) {
    const item = asObject(value)
    // A program that keeps the whole responses keeps model and usage with them.
    if (item !== undefined && isResponse(item)) {
      readResponse(conversation, item)
      // The next item is somebody else's, and later.
      conversation.time = undefined
      conversation.model = undefined
    } else if (item === undefined || !readItem(conversation, item))
      conversation.other(value, asText(item?.type) ?? 'no-item')
  }
}
