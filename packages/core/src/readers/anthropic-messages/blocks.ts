import type { FileChange } from '../../session/event.ts'
import {
  asList,
  asNumber,
  asObject,
  asText,
  type JsonObject,
  objectsIn,
  textsIn,
} from '../../session/json-values.ts'
import { addUsage, type TokenUsage } from '../../session/usage.ts'
import { toolKindOf } from '../../tools/tool-kind.ts'
import { claudeUsage } from '../claude-code/tools.ts'
import { type Conversation, callArguments, writeResult, writeUser } from '../messages/conversation.ts'
import { outcomeOf } from '../messages/outcome.ts'
import { contentParts, outputText } from '../shared/content.ts'
import { messageTime } from '../shared/time.ts'
import { byKind, type Outcome, type WrittenCall } from '../shared/writer.ts'

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
  for (const other of parts.others) conversation.other(other, nameOf(other))
  if (parts.texts.length > 0 || parts.images > 0) writeUser(conversation, parts.texts, parts.images)
}

/** Blocks of the model. Text that citations split into several blocks becomes one text. */
export function readModelBlocks(conversation: Conversation, blocks: readonly unknown[]): void {
  let words = ''
  const flush = (): void => {
    if (words !== '') conversation.say(words)
    words = ''
  }
  for (const value of blocks) {
    const block = asObject(value)
    const text = block?.type === 'text' && typeof block.text === 'string' ? block.text : undefined
    if (text !== undefined) words += text
    else {
      flush()
      if (block === undefined || !readBlock(conversation, block)) conversation.other(value, nameOf(value))
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
  if (readType(conversation, block.type, block)) return true
  if (!isResult(block)) return false
  readResult(conversation, block)
  return true
}

const readType = byKind<Conversation>({
  text({ out }, { text }) {
    if (text !== undefined && text !== null) return false
    out.absorb('empty message')
  },
  thinking: (conversation, { thinking }) => typeof thinking === 'string' && void conversation.think(thinking),
  redacted_thinking: 'encrypted reasoning',
  'tool_use server_tool_use mcp_tool_use'(conversation, { id, input, name: given, server_name }, type) {
    const name = asText(given)
    if (name === undefined) return false
    const server = type === 'mcp_tool_use' ? asText(server_name) : undefined
    const full = server === undefined ? name : `mcp__${server}__${name}`
    conversation.call({ id, name: full, input: callArguments(input), kind: toolKindOf(name) })
  },
  compaction: (conversation, { content }) =>
    void conversation.write({ type: 'compaction', text: contentParts(content).texts.join('\n') }),
})

function readResult(conversation: Conversation, block: JsonObject): void {
  const id = asText(block.tool_use_id)
  const call = conversation.take(id)
  const { text, images } = outputText(block.content)
  const failed = typeof block.is_error === 'boolean' ? block.is_error : undefined
  const outcome = serverOutcome(block, call) ?? { text, ...outcomeOf(text, failed), images }
  writeResult(conversation, call, id, outcome)
}

function nameOf(value: unknown): string {
  return asText(asObject(value)?.type) ?? 'content-block'
}

/**
 * Usage of an answer. If the server compacted on the way, the total covers only the last round, so the rounds count.
 */
export function addAnthropicUsage(conversation: Conversation, message: JsonObject): void {
  const usage = asObject(message.usage)
  if (usage === undefined) return
  const rounds = objectsIn(usage.iterations).map(claudeUsage)
  const counted = rounds.length > 0 ? rounds.reduce<TokenUsage>(addUsage, {}) : claudeUsage(usage)
  conversation.usage(asText(message.id) ?? `answer-${++conversation.answers}`, counted, asText(message.model))
}

/** Notes what the server removed from the conversation before it answered. */
export function noteEdits({ out }: Conversation, management: unknown): void {
  for (const value of asList(asObject(management)?.applied_edits)) {
    const edit = Object.entries(asObject(value) ?? {})
    const counts = edit.flatMap(([key, count]) => (typeof count === 'number' ? [`${key} ${count}`] : []))
    const what = [asText(asObject(value)?.type) ?? 'an edit', ...counts].join(', ')
    out.note('context-edited', `the server edited the context: ${what.slice(0, 300)}`)
  }
}

/** The result of a tool that runs on Anthropic's servers; `undefined` if the block is from no such tool. */
function serverOutcome(block: JsonObject, call: WrittenCall | undefined): Outcome | undefined {
  const type = asText(block.type) ?? ''
  if (type === 'tool_result' || type === 'mcp_tool_result') return undefined
  const content = asObject(block.content)
  const code = asText(content?.error_code)
  if (code !== undefined)
    return { status: 'error', text: [code, asText(content?.error_message)].filter(Boolean).join(': ') }
  if (type === 'web_search_tool_result') return { status: 'ok', text: searchText(block.content) }
  if (type === 'web_fetch_tool_result') return { status: 'ok', text: fetchText(content) }
  if (type === 'bash_code_execution_tool_result' || type === 'code_execution_tool_result')
    return runOutcome(content)
  if (type === 'text_editor_code_execution_tool_result') return editOutcome(content, call)
  const { text, images } = outputText(block.content)
  return { status: 'ok', text, images }
}

/** Titles and addresses: the content of the pages is encrypted. */
function searchText(content: unknown): string {
  const lines = asList(content).map((value) => {
    const { title, url } = asObject(value) ?? {}
    const words = [title, url].filter((word) => asText(word) !== undefined)
    return words.length > 0 ? words.join('\n') : JSON.stringify(value)
  })
  return lines.join('\n\n')
}

function fetchText(content: JsonObject | undefined): string {
  const document = asObject(content?.content)
  const source = asObject(document?.source)
  const page = source?.type === 'text' ? asText(source.data) : asText(document?.title)
  return [asText(content?.url), page].filter((part) => part !== undefined).join('\n')
}

function runOutcome(content: JsonObject | undefined): Outcome {
  const exitCode = asNumber(content?.return_code)
  const files = asList(content?.content).map((value) => asText(asObject(value)?.file_id))
  const made = files.filter((file) => file !== undefined).map((file) => `file: ${file}`)
  const printed = textsIn([content?.stdout, content?.stderr])
  return {
    status: (exitCode ?? 0) === 0 ? 'ok' : 'error',
    text: [...printed, ...made].join('\n'),
    exitCode: Number.isSafeInteger(exitCode) ? exitCode : undefined,
  }
}

function editOutcome(content: JsonObject | undefined, call: WrittenCall | undefined): Outcome {
  const input = asObject(call?.input)
  const path = asText(input?.path)
  const lines = asList(content?.lines).filter((line) => typeof line === 'string')
  const changes = path === undefined ? [] : changesOf(path, content, lines, input)
  const text = asText(content?.content) ?? lines.join('\n')
  return { status: 'ok', text, changes }
}

function changesOf(
  path: string,
  content: JsonObject | undefined,
  lines: readonly string[],
  input: JsonObject | undefined,
): FileChange[] {
  if (content?.type === 'text_editor_code_execution_create_result') {
    if (content.is_file_update === true) return [{ path, action: 'modified' }]
    const text = asText(input?.file_text)
    const added = text === undefined ? undefined : text.replace(/\n$/, '').split('\n').length
    return [{ path, action: 'created', ...(added !== undefined && { added, removed: 0 }) }]
  }
  if (content?.type !== 'text_editor_code_execution_str_replace_result') return []
  const count = (sign: string): number => lines.filter((line) => line.startsWith(sign)).length
  return [{ path, action: 'modified', added: count('+'), removed: count('-') }]
}
