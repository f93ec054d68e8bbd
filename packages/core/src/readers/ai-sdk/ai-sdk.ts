import * as json from '../../session/json.ts'
import { writeGiven, writeResult } from '../messages/conversation.ts'
import { messageReader } from '../messages/message-reader.ts'
import { byKind } from '../shared/by-kind.ts'
import { usageIn } from '../shared/usage.ts'
import { messageTime, timeOfEpoch } from '../shared/values.ts'
import type { Outcome, Writer } from '../shared/writer.ts'
import { isStepResult, plainOutcome, readModelMessage, readSource, readStepResult } from './model-message.ts'

/**
 * Reads messages of Vercel's AI SDK: `UIMessage` with `parts` and `ModelMessage` with `content`, of versions 5 and 6,
 * and `toolInvocations`, `args` and `result` of version 4; as a list, `{ messages }`, or lines. Steps, which contain
 * the usage, may be among them. https://ai-sdk.dev/docs/reference/ai-sdk-core/ui-message
 */
export const aiSdkReader = messageReader({
  name: 'ai-sdk',
  places: ['messages', 'body.messages'],
  isItem(value) {
    const { role, ...message } = json.fields(value)
    const isSaid = json.text(role) !== undefined && ('parts' in message || 'content' in message)
    return isSaid || isStepResult(value)
  },
  createLog(plain) {
    const writer = Object.assign(plain, { approvals: new Map<string, string>() })
    return {
      read(value) {
        const message = json.fields(value)
        const isUi = Array.isArray(message.parts) || Array.isArray(message.toolInvocations)
        if (isStepResult(value)) readStepResult(writer, message)
        else if (!(isUi ? readUiMessage(writer, message) : readModelMessage(writer, message)))
          writer.other(value, json.text(message.role) ?? 'no-message')
      },
    }
  },
})

function readUiMessage(writer: Writer, message: json.Fields): boolean {
  const { metadata, role } = message
  if (role !== 'user' && role !== 'assistant' && role !== 'system' && role !== 'data') return false
  const model = json.text(metadata, 'model') ?? json.text(metadata, 'modelId')
  const time = messageTime(message) ?? messageTime(json.fields(metadata))
  writer.time = time ?? timeOfEpoch(json.at(metadata, 'time', 'created'))
  writer.model = role === 'assistant' ? model : undefined
  const parts = partsOf(message)
  if (role === 'assistant') {
    for (const value of parts) {
      const part = json.fields(value)
      const type = json.text(part.type) ?? 'part'
      if (!readType(writer, type, part) && !readTool(writer, type, part)) writer.other(value, type)
    }
    // The application's metadata may contain usage: under the SDK's own names, or as `tokens` without the cache.
    const usage = json.object(metadata, 'usage') ?? json.object(metadata, 'totalUsage')
    const tokens = json.at(metadata, 'tokens')
    writer.answer(message.id, usage ? usageIn(usage, 'ai-sdk') : usageIn(tokens, 'ai-sdk-tokens'))
  } else writeGiven(writer, role === 'user' ? role : 'system', parts)
  if (parts.length === 0) writer.out.absorb('empty message')
  writer.out.absorb('step marks')
  return true
}

/** Version 4 kept the text in `content` with the calls next to it, and later both again in `parts`. */
function partsOf({ content, parts, reasoning, toolInvocations }: json.Fields): readonly unknown[] {
  if (Array.isArray(parts)) return parts
  const calls = json.list(toolInvocations).map((tool) => ({ type: 'tool-invocation', toolInvocation: tool }))
  return [
    ...(json.text(reasoning) === undefined ? [] : [{ type: 'reasoning', text: reasoning }]),
    ...calls,
    ...(json.text(content) === undefined ? [] : [{ type: 'text', text: content }]),
  ]
}

const readType = byKind<Writer>({
  text: (writer, { text }) => typeof text === 'string' && void writer.say(text),
  reasoning: (writer, { reasoning, text }) => void writer.think(json.text(text) ?? json.text(reasoning)),
  'step-start': 'step marks',
  'source-url source-document source': readSource,
  file: (writer, { filename }) => void writer.context('attachment', 'file', filename, 1),
})

function readTool(writer: Writer, type: string, part: json.Fields): boolean {
  const old = type === 'tool-invocation' ? json.object(part.toolInvocation) : undefined
  const isNamed = old === undefined && type.startsWith('tool-')
  const tool = old ?? part
  const name = isNamed ? type.slice('tool-'.length) : json.text(tool.toolName)
  if (!/^(?:tool-|dynamic-tool$)/.test(type) || name === undefined || json.text(tool.state) === undefined)
    return false
  const id = json.text(tool.toolCallId)
  const call = writer.call({ id, name, input: tool.input ?? tool.args ?? tool.rawInput })
  const outcome = outcomeOfState(tool)
  if (outcome !== undefined) writeResult(writer, call, id, outcome)
  return true
}

function outcomeOfState({ approval, errorText, output, result, state }: json.Fields): Outcome | undefined {
  if (state === 'output-available') return plainOutcome(output)
  if (state === 'result') return plainOutcome(result)
  if (state === 'output-error') return plainOutcome(json.text(errorText) ?? output, true)
  const isDenied = state === 'output-denied' || json.at(approval, 'approved') === false
  return isDenied ? { status: 'denied', text: json.text(approval, 'reason') ?? '' } : undefined
}
