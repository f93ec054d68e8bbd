import { asList, asObject, asText, type JsonObject } from '../../session/json-values.ts'
import { type Conversation, writeResult, writeStanding, writeUser } from '../messages/conversation.ts'
import { messageTime } from '../messages/time.ts'
import { contentParts } from '../shared/content.ts'
import { byKind } from '../shared/writer.ts'
import { resultOutcome } from './tool-output.ts'

/** Calls that the user was asked to approve, by the id of the question. */
export type Approvals = Map<string, string>

/** Reads a message for the model; returns `false` if its role or content is of an unknown kind. */
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

/** Reads a part of a message; returns `false` if its type is not known. */
export function readPart(conversation: Conversation, part: JsonObject, approvals: Approvals): boolean {
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
