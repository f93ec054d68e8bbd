import * as json from '../../session/json.ts'
import { writeGiven, writeResult } from '../messages/conversation.ts'
import { byKind } from '../shared/by-kind.ts'
import { exitCodeOf, outcomeOf } from '../shared/outcome.ts'
import { usageIn } from '../shared/usage.ts'
import { messageTime, outputText } from '../shared/values.ts'
import type { Outcome, Writer } from '../shared/writer.ts'

export type SdkConversation = Writer & { readonly approvals: Map<string, string> }

export function readModelMessage(writer: SdkConversation, message: json.Fields): boolean {
  const { role, content } = message
  writer.time = messageTime(message)
  if (role === 'system' || role === 'user') writeGiven(writer, role, content)
  else {
    if (role !== 'assistant' && role !== 'tool') return false
    if (typeof content !== 'string' && !Array.isArray(content)) return false
    readParts(writer, typeof content === 'string' ? [{ type: 'text', text: content }] : content)
  }
  return true
}

/** Only a step contains a tool's plain return value, its error, and the message that the model got for it. */
function readParts(writer: SdkConversation, parts: readonly unknown[], step?: json.Fields): void {
  for (const value of parts) {
    const { type, ...part } = json.fields(value)
    if (step !== undefined && type === 'tool-result') endCall(writer, part, plainOutcome(part.output))
    else if (step !== undefined && type === 'tool-error') endCall(writer, part, errorOutcome(part, step))
    else if (!readPart(writer, type, part)) writer.other(value, json.text(type) ?? 'part')
  }
  writer.out.absorb('empty message')
}

const readPart = byKind<SdkConversation>({
  text: (writer, { text }) => typeof text === 'string' && void writer.say(text),
  reasoning: (writer, { text }) => typeof text === 'string' && void writer.think(text),
  'redacted-reasoning': 'encrypted reasoning',
  source: readSource,
  file: (writer, { filename }) => void writer.context('attachment', 'file', filename, 1),
  'tool-call'(writer, { args, input, toolCallId: id, toolName }) {
    const name = json.text(toolName)
    if (name === undefined) return false
    writer.call({ id, name, input: input ?? args })
  },
  'tool-result': (writer, part) => endCall(writer, part, resultOutcome(part)),
  'tool-approval-request'({ approvals }, { approvalId, toolCallId }) {
    const question = json.text(approvalId)
    const id = json.text(toolCallId)
    if (question !== undefined && id !== undefined) approvals.set(question, id)
  },
  'tool-approval-response'(writer, { approvalId, approved, reason }) {
    const toolCallId = writer.approvals.get(json.text(approvalId) ?? '')
    if (approved !== false || toolCallId === undefined) return approved === true
    endCall(writer, { toolCallId }, { status: 'denied', text: json.text(reason) ?? '' })
  },
})

function endCall(writer: SdkConversation, { toolCallId, toolName }: json.Fields, outcome: Outcome): void {
  const id = json.text(toolCallId)
  writeResult(writer, writer.take(id, json.text(toolName)), id, outcome)
}

/** Whether a value is a step of `generateText` or `streamText`, with its model, time and usage. */
export function isStepResult(value: unknown): boolean {
  const { content, finishReason, usage, ...step } = json.fields(value)
  const hasEnded = json.text(finishReason) !== undefined && json.object(usage) !== undefined
  return !('role' in step) && Array.isArray(content) && hasEnded
}

export function readStepResult(writer: SdkConversation, step: json.Fields): void {
  const response = json.fields(step.response)
  writer.time = messageTime(response)
  writer.model = json.text(response.modelId) ?? json.text(step.model, 'modelId')
  readParts(writer, json.list(step.content), response)
  writer.answer(response.id, usageIn(step.usage, 'ai-sdk'))
  writer.model = undefined
}

/** An `Error` has no text in JSON, so the text is taken from the SDK's message to the model. */
function errorOutcome({ error, toolCallId: id }: json.Fields, { messages }: json.Fields): Outcome {
  const text = json.text(error) ?? json.text(error, 'message')
  const results = json.objects(json.list(messages).flatMap((message) => json.list(message, 'content')))
  const told = results.find(({ toolCallId, type }) => type === 'tool-result' && toolCallId === id)
  const isTold = text === undefined && told !== undefined && json.text(id) !== undefined
  return isTold ? resultOutcome(told) : plainOutcome(text ?? error, true)
}

export function plainOutcome(output: unknown, failed?: boolean): Outcome {
  const { text, images } = outputText(output)
  const code = exitCodeOf(json.object(output))
  const { status, exitCode } = outcomeOf(text, failed ?? ((code ?? 0) === 0 ? undefined : true))
  return { text, status, exitCode: code ?? exitCode, images }
}

function resultOutcome(part: json.Fields): Outcome {
  // Version 4 kept the plain value in `result`.
  if (part.output === undefined && 'result' in part)
    return plainOutcome(part.result, part.isError === true ? true : undefined)
  const { reason, type, value } = json.fields(part.output)
  if (type === 'execution-denied') return { status: 'denied', text: json.text(reason) ?? '' }
  if (type === 'error-text' || type === 'error-json') return plainOutcome(value, true)
  return plainOutcome(type === 'text' || type === 'json' || type === 'content' ? value : part.output)
}

export function readSource(writer: Writer, part: json.Fields): void {
  const { filename, title, url } = json.object(part.source) ?? part
  const text = json.texts([title, url, filename]).join('\n')
  writer.write({ type: 'context', origin: 'attachment', name: 'source', text })
}
