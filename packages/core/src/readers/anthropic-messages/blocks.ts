import * as json from '../../session/json.ts'
import { addUsage } from '../../session/usage.ts'
import { callArguments, keepOthers, writeResult, writeUser } from '../messages/conversation.ts'
import { byKind, tableOf } from '../shared/by-kind.ts'
import { outcomeOf } from '../shared/outcome.ts'
import { usageIn } from '../shared/usage.ts'
import { contentParts, messageTime, outputText } from '../shared/values.ts'
import type { Change, Outcome, Writer, WrittenCall } from '../shared/writer.ts'

export function isAnthropicMessage(value: unknown): boolean {
  const message = json.fields(value)
  return 'content' in message && /^(?:user|assistant|system)$/.test(json.text(message.role) ?? '')
}

export function readAnthropicMessage(writer: Writer, message: json.Fields): boolean {
  const { role, content } = message
  if (role !== 'user' && role !== 'assistant') return false
  if (typeof content !== 'string' && !Array.isArray(content)) return false
  writer.time = messageTime(message)
  const blocks = typeof content === 'string' ? [{ type: 'text', text: content }] : content
  const prompt = role === 'user' ? blocks.filter((block) => !isOfModel(block)) : []
  readModelBlocks(writer, role === 'user' ? blocks.filter(isOfModel) : blocks)
  // The user's text becomes one event, after tool results.
  const { texts, images, others } = contentParts(prompt)
  keepOthers(writer, others)
  if (texts.length > 0 || images > 0) writeUser(writer, texts, images)
  if (blocks.length === 0) writer.out.absorb('empty message')
  return true
}

const resultTypes = /^(?:\w+_)?tool_result$/
const modelTypes = /^(?:thinking|redacted_thinking|tool_use|server_tool_use|mcp_tool_use|compaction)$/

function isOfModel(block: unknown): boolean {
  const type = json.text(block, 'type') ?? ''
  return resultTypes.test(type) || modelTypes.test(type)
}

/** Reads blocks of the model, and results. Joins text that citations split into several blocks. */
export function readModelBlocks(writer: Writer, blocks: readonly unknown[]): void {
  let words = ''
  const flush = (): void => {
    if (words !== '') writer.say(words)
    words = ''
  }
  for (const value of blocks) {
    const { text, type } = json.fields(value)
    if (type === 'text' && typeof text === 'string') words += text
    else {
      flush()
      if (resultTypes.test(json.text(type) ?? '')) readResult(writer, json.fields(value))
      else if (!readType(writer, type, json.fields(value)))
        writer.other(value, json.text(type) ?? 'content-block')
    }
  }
  flush()
}

const readType = byKind<Writer>({
  text({ out }, { text }) {
    if (text !== undefined && text !== null) return false
    out.absorb('empty message')
  },
  thinking: (writer, { thinking }) => typeof thinking === 'string' && void writer.think(thinking),
  redacted_thinking: 'encrypted reasoning',
  'tool_use server_tool_use mcp_tool_use'(writer, { id, input, name: given, server_name }, type) {
    const name = json.text(given)
    if (name === undefined) return false
    const server = type === 'mcp_tool_use' ? json.text(server_name) : undefined
    const full = server === undefined ? name : `mcp__${server}__${name}`
    writer.call({ id, name: full, input: callArguments(input) })
  },
  compaction: (writer, { content }) => writer.compact(contentParts(content).texts.join('\n')),
})

function readResult(writer: Writer, block: json.Fields): void {
  const id = json.text(block.tool_use_id)
  const call = writer.take(id)
  const { text, images } = outputText(block.content)
  const failed = typeof block.is_error === 'boolean' ? block.is_error : undefined
  const outcome = serverOutcome(block, call) ?? { text, ...outcomeOf(text, failed), images }
  writeResult(writer, call, id, outcome)
}

/** Sums the rounds if the server compacted in between, because the total then covers only the last round. */
export function countUsage(writer: Writer, message: json.Fields): void {
  if (json.object(message.usage) === undefined) return
  const rounds = json.objects(message.usage, 'iterations').map((round) => usageIn(round, 'anthropic'))
  const counted = rounds.length > 0 ? rounds.reduce(addUsage) : usageIn(message.usage, 'anthropic')
  writer.answer(message.id, counted, message.model)
}

export function noteEdits({ out }: Writer, management: unknown): void {
  for (const edit of json.list(management, 'applied_edits')) {
    const counts = Object.entries(json.fields(edit)).filter(([, count]) => typeof count === 'number')
    const what = [json.text(edit, 'type') ?? 'an edit', ...counts.map(([key, count]) => `${key} ${count}`)]
    out.note('context-edited', `the server edited the context: ${what.join(', ').slice(0, 300)}`)
  }
}

const serverOutcomes = tableOf<(content: unknown, call: WrittenCall | undefined) => Outcome>({
  // Uses titles and addresses, because the content of the pages is encrypted.
  web_search_tool_result: (content) => {
    const named = (page: unknown): string =>
      json.texts([json.at(page, 'title'), json.at(page, 'url')]).join('\n')
    const found = json.list(content).map((page) => named(page) || JSON.stringify(page))
    return { text: found.join('\n\n') }
  },
  web_fetch_tool_result: (content) => {
    const source = json.fields(content, 'content', 'source')
    const page = source.type === 'text' ? source.data : json.at(content, 'content', 'title')
    return { text: json.texts([json.at(content, 'url'), page]).join('\n') }
  },
  bash_code_execution_tool_result: runOutcome,
  code_execution_tool_result: runOutcome,
  text_editor_code_execution_tool_result(edit, call) {
    const { content, is_file_update, lines: given, type } = json.fields(edit)
    const lines = json.list(given).filter((line) => typeof line === 'string')
    const path = json.text(call?.input, 'path')
    const count = (sign: string): number => lines.filter((line) => line.startsWith(sign)).length
    const text = json.text(call?.input, 'file_text')
    const made = text === undefined ? {} : { added: text.replace(/\n$/, '').split('\n').length, removed: 0 }
    const isCreated = type === 'text_editor_code_execution_create_result' && is_file_update !== true
    const counts = isCreated
      ? made
      : is_file_update === true
        ? {}
        : { added: count('+'), removed: count('-') }
    const isEdit = /_(?:create|str_replace)_result$/.test(json.text(type) ?? '')
    const changes: Change[] =
      path === undefined || !isEdit ? [] : [{ path, action: isCreated ? 'created' : 'modified', ...counts }]
    return { text: json.text(content) ?? lines.join('\n'), changes }
  },
})

function serverOutcome({ content, type }: json.Fields, call: WrittenCall | undefined): Outcome | undefined {
  if (type === 'tool_result' || type === 'mcp_tool_result') return undefined
  const code = json.text(content, 'error_code')
  if (code !== undefined)
    return { failed: true, text: json.texts([code, json.at(content, 'error_message')]).join(': ') }
  return serverOutcomes.get(type)?.(content, call) ?? outputText(content)
}

function runOutcome(run: unknown): Outcome {
  const { content, return_code, stderr, stdout } = json.fields(run)
  const files = json.objects(content).flatMap(({ file_id }) => (json.text(file_id) ? `file: ${file_id}` : []))
  return { text: [...json.texts([stdout, stderr]), ...files].join('\n'), exitCode: json.number(return_code) }
}
