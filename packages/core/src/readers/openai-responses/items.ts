import { readOutput } from '../codex/output.ts'
import { contentParts } from '../messages/content.ts'
import {
  type Conversation,
  callArguments,
  say,
  sayAnswer,
  sayCall,
  sayOther,
  sayReasoning,
  sayResult,
  sayStanding,
  sayUser,
  takeCall,
} from '../messages/conversation.ts'
import { outcomeOf } from '../messages/outcome.ts'
import { asList, asObject, asText, type JsonObject } from '../shared/json-values.ts'
import { readServerTool } from './server-tools.ts'

/** Reads one item; returns `false` if its type or form is not known. */
export function readItem(talk: Conversation, item: JsonObject): boolean {
  const type = asText(item.type) ?? (item.role === undefined ? '' : 'message')
  switch (type) {
    case 'message':
      return readMessage(talk, item)
    case 'reasoning':
      readReasoning(talk, item)
      return true
    case 'function_call':
      return readCall(talk, item, callArguments(item.arguments))
    case 'custom_tool_call':
      return readCall(talk, item, item.input ?? null)
    case 'function_call_output':
    case 'custom_tool_call_output':
      readResult(talk, item)
      return true
    case 'compaction':
    case 'compaction_summary':
      say(talk, { type: 'compaction', text: asText(item.summary) ?? '' })
      return true
    case 'item_reference':
      talk.out.note('item-elsewhere', 'an item is kept by the server; only its id is in the log')
      return true
    case 'mcp_list_tools':
      talk.out.absorb('tool definitions')
      return true
  }
  return readServerTool(talk, type, item)
}

function readMessage(talk: Conversation, item: JsonObject): boolean {
  const parts = contentParts(item.content)
  if (parts === undefined) return false
  const { texts, images } = parts
  if (item.role === 'assistant') readAnswer(talk, texts, item.phase)
  else if (item.role === 'user') sayUser(talk, texts, images)
  else if (item.role === 'system' || item.role === 'developer')
    for (const text of texts) sayStanding(talk, 'system', text)
  else return false
  for (const other of parts.others) sayOther(talk, asText(asObject(other)?.type) ?? 'message-part', other)
  if (texts.length === 0 && images === 0) talk.out.absorb('empty message')
  return true
}

function readAnswer(talk: Conversation, texts: readonly string[], phase: unknown): void {
  const text = texts.join('\n')
  const { model } = talk
  if (phase !== 'commentary' && phase !== 'final_answer') {
    if (!sayAnswer(talk, text)) talk.out.absorb('empty message')
    return
  }
  const said = phase === 'commentary' ? ('commentary' as const) : ('final' as const)
  if (text.trim() === '') talk.out.absorb('empty message')
  else say(talk, { type: 'assistant', text, phase: said, ...(model !== undefined && { model }) })
}

function readReasoning(talk: Conversation, item: JsonObject): void {
  const texts = [...asList(item.summary), ...asList(item.content)].map((part) => asText(asObject(part)?.text))
  const known = texts.filter((text) => text !== undefined)
  if (!sayReasoning(talk, known.join('\n\n'))) talk.out.absorb('encrypted reasoning')
}

function readCall(talk: Conversation, item: JsonObject, input: unknown): boolean {
  const name = asText(item.name)
  if (name === undefined) return false
  const space = asText(item.namespace)
  const full = space === undefined ? name : space.endsWith('_') ? `${space}${name}` : `${space}.${name}`
  sayCall(talk, asText(item.call_id) ?? asText(item.id), full, input)
  return true
}

/** Outputs have the forms that Codex gives them, including plain text. */
function readResult(talk: Conversation, item: JsonObject): void {
  const id = asText(item.call_id)
  const call = takeCall(talk, id)
  const { text, images, exitCode, status } = readOutput(item.output)
  const reported = outcomeOf(text)
  const code = exitCode ?? reported.exitCode
  sayResult(talk, call, id, {
    text,
    status: status ?? (code !== undefined && code !== 0 ? 'error' : reported.status),
    ...(code !== undefined && { exitCode: code }),
    ...(images > 0 && { images }),
  })
}
