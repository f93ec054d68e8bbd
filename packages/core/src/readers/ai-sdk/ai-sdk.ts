import { asList, asObject, asText, type JsonObject } from '../../session/json-values.ts'
import type { Conversation } from '../messages/conversation.ts'
import { type MessageLog, type MessageShapes, messageReader } from '../messages/message-reader.ts'
import { type Approvals, isStepResult, readModelMessage, readStepResult } from './model-message.ts'
import { readUiMessage } from './ui-message.ts'

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
      (isUiMessage(message)
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

function isUiMessage(message: JsonObject): boolean {
  return Array.isArray(message.parts) || Array.isArray(message.toolInvocations)
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
