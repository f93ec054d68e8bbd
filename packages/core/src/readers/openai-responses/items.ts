import { asList, asObject, asText, type JsonObject } from '../../session/json-values.ts'
import { readOutput } from '../codex/output.ts'
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
  writeStanding,
  writeUser,
} from '../messages/conversation.ts'
import { outcomeOf } from '../messages/outcome.ts'
import { contentParts } from '../shared/content.ts'
import { readServerTool } from './server-tools.ts'

/** Reads one item; returns `false` if its type or form is not known. */
export function readItem(conversation: Conversation, item: JsonObject): boolean {
  const type = asText(item.type) ?? (item.role === undefined ? '' : 'message')
  switch (type) {
    case 'message':
      return readMessage(conversation, item)
    case 'reasoning':
      readReasoning(conversation, item)
      return true
    case 'function_call':
      return readCall(conversation, item, callArguments(item.arguments))
    case 'custom_tool_call':
      return readCall(conversation, item, item.input ?? null)
    case 'function_call_output':
    case 'custom_tool_call_output':
      readResult(conversation, item)
      return true
    case 'compaction':
    case 'compaction_summary':
      write(conversation, { type: 'compaction', text: asText(item.summary) ?? '' })
      return true
    case 'item_reference':
      conversation.out.note('item-elsewhere', 'an item is kept by the server; only its id is in the log')
      return true
    case 'mcp_list_tools':
      conversation.out.absorb('tool definitions')
      return true
  }
  return readServerTool(conversation, type, item)
}

function readMessage(conversation: Conversation, item: JsonObject): boolean {
  const parts = contentParts(item.content)
  const { texts, images } = parts
  if (item.role === 'assistant') readAnswer(conversation, texts, item.phase)
  else if (item.role === 'user') writeUser(conversation, texts, images)
  else if (item.role === 'system' || item.role === 'developer')
    for (const text of texts) writeStanding(conversation, 'system', text)
  else return false
  for (const other of parts.others)
    writeOther(conversation, asText(asObject(other)?.type) ?? 'message-part', other)
  if (texts.length === 0 && images === 0) conversation.out.absorb('empty message')
  return true
}

function readAnswer(conversation: Conversation, texts: readonly string[], phase: unknown): void {
  const text = texts.join('\n')
  const { model } = conversation
  if (phase !== 'commentary' && phase !== 'final_answer') {
    if (!writeAnswer(conversation, text)) conversation.out.absorb('empty message')
    return
  }
  const said = phase === 'commentary' ? ('commentary' as const) : ('final' as const)
  if (text.trim() === '') conversation.out.absorb('empty message')
  else write(conversation, { type: 'assistant', text, phase: said, ...(model !== undefined && { model }) })
}

function readReasoning(conversation: Conversation, item: JsonObject): void {
  const texts = [...asList(item.summary), ...asList(item.content)].map((part) => asText(asObject(part)?.text))
  const known = texts.filter((text) => text !== undefined)
  if (!writeReasoning(conversation, known.join('\n\n'))) conversation.out.absorb('encrypted reasoning')
}

function readCall(conversation: Conversation, item: JsonObject, input: unknown): boolean {
  const name = asText(item.name)
  if (name === undefined) return false
  const space = asText(item.namespace)
  const full = space === undefined ? name : space.endsWith('_') ? `${space}${name}` : `${space}.${name}`
  writeCall(conversation, asText(item.call_id) ?? asText(item.id), full, input)
  return true
}

/** Outputs have the forms that Codex gives them, including plain text. */
function readResult(conversation: Conversation, item: JsonObject): void {
  const id = asText(item.call_id)
  const call = takeCall(conversation, id)
  const { text, images, exitCode, status } = readOutput(item.output)
  const reported = outcomeOf(text)
  const code = exitCode ?? reported.exitCode
  writeResult(conversation, call, id, {
    text,
    status: status ?? (code !== undefined && code !== 0 ? 'error' : reported.status),
    ...(code !== undefined && { exitCode: code }),
    ...(images > 0 && { images }),
  })
}
