import { asCount, asList, asObject, asText, type JsonObject, textsIn } from '../../session/json-values.ts'
import { type Conversation, writeResult, writeStanding, writeUser } from '../messages/conversation.ts'
import { exitCodeOf, outcomeOf } from '../messages/outcome.ts'
import { contentParts, outputText } from '../shared/content.ts'
import { messageTime } from '../shared/time.ts'
import { byKind, type Outcome } from '../shared/writer.ts'

/** Calls that the user was asked to approve, by the id of the question. */
export type Approvals = Map<string, string>

export function readModelMessage(
  conversation: Conversation,
  message: JsonObject,
  approvals: Approvals,
): boolean {
  const { role, content } = message
  conversation.time = messageTime(message)
  if (role === 'system' || role === 'user') {
    const parts = contentParts(content)
    if (role === 'system') writeStanding(conversation, 'system', parts.texts.join('\n'))
    else if (parts.texts.length > 0 || parts.images > 0) writeUser(conversation, parts.texts, parts.images)
    for (const other of parts.others) conversation.other(other, asText(asObject(other)?.type) ?? 'part')
    conversation.out.absorb('empty message')
    return true
  }
  if (role !== 'assistant' && role !== 'tool') return false
  if (typeof content !== 'string' && !Array.isArray(content)) return false
  const parts = typeof content === 'string' ? [{ type: 'text', text: content }] : asList(content)
  for (const value of parts) {
    const part = asObject(value)
    if (part === undefined || !readPart(conversation, part, approvals))
      conversation.other(value, asText(part?.type) ?? 'part')
  }
  conversation.out.absorb('empty message')
  return true
}

function readPart(conversation: Conversation, part: JsonObject, approvals: Approvals): boolean {
  return readType(conversation, part.type, { ...part, approvals })
}

const readType = byKind<Conversation, JsonObject & { readonly approvals: Approvals }>({
  text: (conversation, { text }) => typeof text === 'string' && void conversation.say(text),
  reasoning: (conversation, { text }) => typeof text === 'string' && void conversation.think(text),
  'redacted-reasoning': 'encrypted reasoning',
  file: (conversation, { filename }) =>
    void conversation.context('attachment', 'file', asText(filename) ?? '', 1),
  'tool-call'(conversation, { args, input, toolCallId: id, toolName }) {
    const name = asText(toolName)
    if (name === undefined) return false
    conversation.call({ id, name, input: input ?? args })
  },
  'tool-result'(conversation, part) {
    const id = asText(part.toolCallId)
    writeResult(conversation, conversation.take(id, asText(part.toolName)), id, resultOutcome(part))
  },
  'tool-approval-request'(_, { approvalId, approvals, toolCallId }) {
    const question = asText(approvalId)
    const id = asText(toolCallId)
    if (question !== undefined && id !== undefined) approvals.set(question, id)
  },
  'tool-approval-response'(conversation, { approvalId, approvals, approved, reason }) {
    const asked = approvals.get(asText(approvalId) ?? '')
    if (approved !== false || asked === undefined) return approved === true
    const text = asText(reason) ?? ''
    writeResult(conversation, conversation.take(asked), asked, { status: 'denied', text })
  },
})

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

/** The outcome of any value that a tool returned. */
export function plainOutcome(output: unknown, failed?: boolean): Outcome {
  const object = asObject(output)
  const { text, images } = outputText(output)
  const code = exitCodeOf(object)
  const { status, exitCode = code } = outcomeOf(text, failed ?? ((code ?? 0) === 0 ? undefined : true))
  return { text, status, exitCode: code ?? exitCode, images }
}

/** The outcome in the `output` of a `tool-result` part: `{ type, value }`. */
function resultOutcome(part: JsonObject): Outcome {
  // Version 4 had the bare value under `result`.
  if (part.output === undefined && 'result' in part)
    return plainOutcome(part.result, part.isError === true ? true : undefined)
  const output = asObject(part.output)
  const type = asText(output?.type)
  if (type === 'execution-denied') return { status: 'denied', text: asText(output?.reason) ?? '' }
  if (type === 'error-text' || type === 'error-json') return plainOutcome(output?.value, true)
  const isWrapped = type === 'text' || type === 'json' || type === 'content'
  return plainOutcome(isWrapped ? output?.value : part.output)
}

/**
 * The SDK's own usage. Version 6 has the cache and the reasoning under details; earlier ones beside the totals.
 * https://ai-sdk.dev/docs/reference/ai-sdk-core/generate-text
 */
export function sdkUsage(usage: JsonObject) {
  const { cachedInputTokens, completionTokens, inputTokens, outputTokens, promptTokens } = usage
  const input = asObject(usage.inputTokenDetails)
  const output = asObject(usage.outputTokenDetails)
  return {
    inputTokens: asCount(inputTokens) ?? promptTokens,
    outputTokens: asCount(outputTokens) ?? completionTokens,
    cacheReadTokens: asCount(input?.cacheReadTokens) ?? cachedInputTokens,
    cacheWriteTokens: input?.cacheWriteTokens,
    reasoningTokens: asCount(output?.reasoningTokens) ?? usage.reasoningTokens,
  }
}

export function readSource(conversation: Conversation, part: JsonObject): void {
  const { filename, title, url } = asObject(part.source) ?? part
  const text = textsIn([title, url, filename]).join('\n')
  conversation.write({ type: 'context', origin: 'attachment', name: 'source', text })
}
