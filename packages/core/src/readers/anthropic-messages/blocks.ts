import { asList, asObject, asText, type JsonObject } from '../../session/json-values.ts'
import { toolKindOf } from '../../tools/tool-kind.ts'
import {
  type Conversation,
  callArguments,
  takeCall,
  write,
  writeAnswer,
  writeCall,
  writeOther,
  writeReasoning,
  writeResult,
  writeUser,
} from '../messages/conversation.ts'
import { outcomeOf } from '../messages/outcome.ts'
import { messageTime } from '../messages/time.ts'
import { contentParts, outputText } from '../shared/content.ts'
import { serverOutcome } from './server-tools.ts'

/** Whether a value is a message of the user or the model, or a system message among them. */
export function isAnthropicMessage(value: unknown): boolean {
  const message = asObject(value)
  if (message === undefined || !('content' in message)) return false
  return message.role === 'user' || message.role === 'assistant' || message.role === 'system'
}

/** Reads a message of the user or the assistant; returns `false` if it is of another kind or form. */
export function readAnthropicMessage(conversation: Conversation, message: JsonObject): boolean {
  const { role, content } = message
  if (role !== 'user' && role !== 'assistant') return false
  if (typeof content !== 'string' && !Array.isArray(content)) return false
  conversation.time = messageTime(message)
  const blocks = typeof content === 'string' ? [{ type: 'text', text: content }] : asList(content)
  if (role === 'user') readUserBlocks(conversation, blocks)
  else readModelBlocks(conversation, blocks)
  if (blocks.length === 0) conversation.out.absorb('empty message')
  return true
}

/** Results of tools, and the user's text as one event. */
function readUserBlocks(conversation: Conversation, blocks: readonly unknown[]): void {
  const prompt: unknown[] = []
  for (const value of blocks) {
    const block = asObject(value)
    if (block !== undefined && isResult(block)) readResult(conversation, block)
    else if (block !== undefined && isModelBlock(block)) readModelBlocks(conversation, [block])
    else prompt.push(value)
  }
  if (prompt.length === 0) return
  const parts = contentParts(prompt)
  for (const other of parts.others) writeOther(conversation, nameOf(other), other)
  if (parts.texts.length > 0 || parts.images > 0) writeUser(conversation, parts.texts, parts.images)
}

/** Blocks of the model. Text that citations split into several blocks becomes one text. */
export function readModelBlocks(conversation: Conversation, blocks: readonly unknown[]): void {
  let words = ''
  const flush = (): void => {
    if (words !== '' && !writeAnswer(conversation, words)) conversation.out.absorb('empty message')
    words = ''
  }
  for (const value of blocks) {
    const block = asObject(value)
    const text = block?.type === 'text' && typeof block.text === 'string' ? block.text : undefined
    if (text !== undefined) words += text
    else {
      flush()
      if (block === undefined || !readBlock(conversation, block))
        writeOther(conversation, nameOf(value), value)
    }
  }
  flush()
}

const modelBlocks = /^(?:thinking|redacted_thinking|tool_use|server_tool_use|mcp_tool_use|compaction)$/

function isModelBlock(block: JsonObject): boolean {
  return modelBlocks.test(asText(block.type) ?? '')
}

function isResult(block: JsonObject): boolean {
  return /^(?:tool_result|\w+_tool_result)$/.test(asText(block.type) ?? '')
}

function readBlock(conversation: Conversation, block: JsonObject): boolean {
  switch (block.type) {
    case 'text':
      conversation.out.absorb('empty message')
      return block.text === undefined || block.text === null
    case 'thinking':
      if (typeof block.thinking !== 'string') return false
      if (!writeReasoning(conversation, block.thinking)) conversation.out.absorb('encrypted reasoning')
      return true
    case 'redacted_thinking':
      conversation.out.absorb('encrypted reasoning')
      return true
    case 'tool_use':
    case 'server_tool_use':
    case 'mcp_tool_use':
      return readCall(conversation, block)
    case 'compaction': {
      const { texts } = contentParts(block.content)
      write(conversation, { type: 'compaction', text: texts.join('\n') })
      return true
    }
  }
  if (!isResult(block)) return false
  readResult(conversation, block)
  return true
}

function readCall(conversation: Conversation, block: JsonObject): boolean {
  const name = asText(block.name)
  if (name === undefined) return false
  const server = block.type === 'mcp_tool_use' ? asText(block.server_name) : undefined
  const kind = toolKindOf(name)
  writeCall(
    conversation,
    asText(block.id),
    server === undefined ? name : `mcp__${server}__${name}`,
    callArguments(block.input),
    kind,
  )
  return true
}

function readResult(conversation: Conversation, block: JsonObject): void {
  const id = asText(block.tool_use_id)
  const call = takeCall(conversation, id)
  const server = serverOutcome(block, call)
  if (server !== undefined) {
    writeResult(conversation, call, id, server)
    return
  }
  const { text, images } = outputText(block.content)
  const failed = typeof block.is_error === 'boolean' ? block.is_error : undefined
  writeResult(conversation, call, id, { text, ...outcomeOf(text, failed), ...(images > 0 && { images }) })
}

function nameOf(value: unknown): string {
  return asText(asObject(value)?.type) ?? 'content-block'
}
