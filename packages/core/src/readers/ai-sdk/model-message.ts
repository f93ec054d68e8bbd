import { asList, asObject, asText, type JsonObject } from '../../session/json-values.ts'
import {
  type Conversation,
  takeCall,
  write,
  writeAnswer,
  writeCall,
  writeOther,
  writeReasoning,
  writeResult,
  writeStanding,
  writeUser,
} from '../messages/conversation.ts'
import { messageTime } from '../messages/time.ts'
import { contentParts } from '../shared/content.ts'
import { resultOutcome } from './tool-output.ts'

/** Calls that the user was asked to approve, by the id of the question. */
export type Approvals = Map<string, string>

/** An empty map of approvals. */
export function createApprovals(): Approvals {
  return new Map()
}

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
    for (const other of parts.others) writeOther(conversation, asText(asObject(other)?.type) ?? 'part', other)
    conversation.out.absorb('empty message')
    return true
  }
  if (role !== 'assistant' && role !== 'tool') return false
  if (typeof content !== 'string' && !Array.isArray(content)) return false
  const parts = typeof content === 'string' ? [{ type: 'text', text: content }] : asList(content)
  for (const value of parts) {
    const part = asObject(value)
    if (part === undefined || !readPart(conversation, part, approvals))
      writeOther(conversation, asText(part?.type) ?? 'part', value)
  }
  conversation.out.absorb('empty message')
  return true
}

/** Reads a part of a message; returns `false` if its type is not known. */
export function readPart(conversation: Conversation, part: JsonObject, approvals: Approvals): boolean {
  const id = asText(part.toolCallId)
  const name = asText(part.toolName)
  switch (part.type) {
    case 'text':
      if (typeof part.text !== 'string') return false
      writeAnswer(conversation, part.text)
      return true
    case 'reasoning':
      if (typeof part.text !== 'string') return false
      writeReasoning(conversation, part.text)
      return true
    case 'redacted-reasoning':
      conversation.out.absorb('encrypted reasoning')
      return true
    case 'file':
      write(conversation, {
        type: 'context',
        origin: 'attachment',
        name: 'file',
        text: asText(part.filename) ?? '',
        images: 1,
      })
      return true
    case 'tool-call':
      if (name === undefined) return false
      writeCall(conversation, id, name, part.input ?? part.args ?? null)
      return true
    case 'tool-result':
      writeResult(conversation, takeCall(conversation, id, name), id, resultOutcome(part))
      return true
    case 'tool-approval-request': {
      const question = asText(part.approvalId)
      if (question !== undefined && id !== undefined) approvals.set(question, id)
      return true
    }
    case 'tool-approval-response': {
      const asked = approvals.get(asText(part.approvalId) ?? '')
      if (part.approved !== false || asked === undefined) return part.approved === true
      const text = asText(part.reason) ?? ''
      writeResult(conversation, takeCall(conversation, asked), asked, { status: 'denied', text })
      return true
    }
  }
  return false
}
