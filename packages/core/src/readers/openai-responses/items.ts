import { asList, asObject, asText, type JsonObject } from '../../session/json-values.ts'
import { readOutput } from '../codex/output.ts'
import {
  type Conversation,
  callArguments,
  writeResult,
  writeStanding,
  writeUser,
} from '../messages/conversation.ts'
import { outcomeOf } from '../messages/outcome.ts'
import { contentParts } from '../shared/content.ts'
import { byKind } from '../shared/writer.ts'
import { readServerTool } from './server-tools.ts'

export function readItem(conversation: Conversation, item: JsonObject): boolean {
  const type = asText(item.type) ?? (item.role === undefined ? '' : 'message')
  return readType(conversation, type, item) || readServerTool(conversation, type, item)
}

const readType = byKind<Conversation>({
  message(conversation, item) {
    const { texts, images, others } = contentParts(item.content)
    const phase =
      item.phase === 'final_answer' ? 'final' : item.phase === 'commentary' ? 'commentary' : undefined
    if (item.role === 'assistant') conversation.say(texts.join('\n'), { phase })
    else if (item.role === 'user') writeUser(conversation, texts, images)
    else if (item.role === 'system' || item.role === 'developer')
      for (const text of texts) writeStanding(conversation, 'system', text)
    else return false
    for (const other of others) conversation.other(other, asText(asObject(other)?.type) ?? 'message-part')
    if (texts.length === 0 && images === 0) conversation.out.absorb('empty message')
  },
  reasoning(conversation, { content, summary }) {
    const parts = [...asList(summary), ...asList(content)]
    conversation.think(parts.flatMap((part) => asText(asObject(part)?.text) ?? []).join('\n\n'))
  },
  'function_call custom_tool_call'(conversation, item, type) {
    const { arguments: given, call_id, id, input, name, namespace } = item
    if (asText(name) === undefined) return false
    const space = asText(namespace)
    const full = space === undefined ? String(name) : `${space}${space.endsWith('_') ? '' : '.'}${name}`
    const value = type === 'function_call' ? callArguments(given) : input
    conversation.call({ id: asText(call_id) ?? id, name: full, input: value })
  },
  // Outputs have the forms that Codex gives them, including plain text.
  'function_call_output custom_tool_call_output'(conversation, item) {
    const id = asText(item.call_id)
    const output = readOutput(item.output)
    const reported = outcomeOf(output.text)
    const exitCode = output.exitCode ?? reported.exitCode
    const status = output.status ?? ((exitCode ?? 0) === 0 ? reported.status : 'error')
    writeResult(conversation, conversation.take(id), id, { ...output, status, exitCode })
  },
  'compaction compaction_summary': (conversation, { summary }) =>
    void conversation.write({ type: 'compaction', text: asText(summary) ?? '' }),
  item_reference: ({ out }) =>
    out.note('item-elsewhere', 'an item is kept by the server; only its id is in the log'),
  mcp_list_tools: 'tool definitions',
})

/** Counts the usage of a response. */
export function addResponseUsage(conversation: Conversation, response: JsonObject): void {
  const usage = asObject(response.usage)
  if (usage === undefined) return
  const key = asText(response.id) ?? `answer-${++conversation.answers}`
  conversation.usage(key, responseUsage(usage), asText(response.model))
}

export function responseUsage(usage: JsonObject) {
  return {
    inputTokens: usage.input_tokens,
    outputTokens: usage.output_tokens,
    cacheReadTokens: asObject(usage.input_tokens_details)?.cached_tokens,
    reasoningTokens: asObject(usage.output_tokens_details)?.reasoning_tokens,
  }
}
