import { asList, asObject, asText, type JsonObject } from '../../session/json-values.ts'
import { type Conversation, writeResult } from '../messages/conversation.ts'
import { messageTime } from '../messages/time.ts'
import { type Approvals, readPart } from './model-message.ts'
import { plainOutcome, resultOutcome, sdkUsage } from './tool-output.ts'
import { readSource } from './ui-message.ts'

/**
 * Whether a value is a step of `generateText` or `streamText`: what `onStepFinish` is given and `steps` holds. Unlike
 * messages, steps have their model, time and usage.
 */
export function isStepResult(value: unknown): boolean {
  const step = asObject(value)
  return (
    step !== undefined &&
    !('role' in step) &&
    Array.isArray(step.content) &&
    asText(step.finishReason) !== undefined &&
    asObject(step.usage) !== undefined
  )
}

/** Reads a step: the model's text and calls, and the results of the tools that ran in it. */
export function readStepResult(conversation: Conversation, step: JsonObject, approvals: Approvals): void {
  const response = asObject(step.response) ?? {}
  conversation.time = messageTime(response)
  conversation.model = asText(response.modelId) ?? asText(asObject(step.model)?.modelId)
  for (const value of asList(step.content)) {
    const part = asObject(value)
    if (part === undefined || !readStepPart(conversation, part, response, approvals))
      conversation.other(value, asText(part?.type) ?? 'part')
  }
  const key = asText(response.id) ?? `answer-${++conversation.answers}`
  conversation.usage(key, sdkUsage(asObject(step.usage) ?? {}))
  conversation.model = undefined
  conversation.out.absorb('empty message')
}

function readStepPart(
  conversation: Conversation,
  part: JsonObject,
  response: JsonObject,
  approvals: Approvals,
): boolean {
  const id = asText(part.toolCallId)
  if (part.type === 'source') readSource(conversation, part)
  else if (part.type === 'tool-result' || part.type === 'tool-error') {
    const outcome =
      part.type === 'tool-result' ? plainOutcome(part.output) : errorOutcome(part.error, id, response)
    writeResult(conversation, conversation.take(id, asText(part.toolName)), id, outcome)
  } else return readPart(conversation, part, approvals)
  return true
}

/** An `Error` has no text in JSON: the message that the SDK made of it for the model has. */
function errorOutcome(
  error: unknown,
  id: string | undefined,
  response: JsonObject,
): ReturnType<typeof plainOutcome> {
  const text = asText(error) ?? asText(asObject(error)?.message)
  if (text !== undefined) return plainOutcome(text, true)
  const results = asList(response.messages).flatMap((message) => asList(asObject(message)?.content))
  const told = results
    .map(asObject)
    .find((part) => part?.type === 'tool-result' && part.toolCallId === id && id !== undefined)
  return told === undefined ? plainOutcome(error, true) : resultOutcome(told)
}
