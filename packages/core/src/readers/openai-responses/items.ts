import { asList, asNumber, asObject, asText, type JsonObject, textsIn } from '../../session/json-values.ts'
import { readOutput } from '../codex/output.ts'
import {
  type Conversation,
  callArguments,
  writeResult,
  writeStanding,
  writeUser,
} from '../messages/conversation.ts'
import { outcomeOf } from '../messages/outcome.ts'
import { contentParts, outputText } from '../shared/content.ts'
import { byKind, type Outcome } from '../shared/writer.ts'

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

// Calls that the provider or the client runs, each with its own item type, by what is its input.
const inputs = new Map<string, (item: JsonObject) => unknown>([
  ['local_shell_call', ({ action }) => action],
  ['shell_call', shellInput],
  ['apply_patch_call', ({ operation }) => operation],
  ['web_search_call', ({ action }) => action],
  ['file_search_call', ({ queries }) => ({ queries: queries ?? null })],
  ['code_interpreter_call', ({ code }) => ({ code: code ?? null })],
  ['computer_call', ({ action, actions }) => action ?? actions],
  ['image_generation_call', ({ revised_prompt: prompt }) => ({ prompt: prompt ?? null })],
  ['mcp_call', ({ arguments: input }) => callArguments(input)],
  ['mcp_approval_request', ({ name, arguments: input }) => ({ name, arguments: input })],
  ['tool_search_call', ({ arguments: input }) => callArguments(input)],
])

/** Reads a call of a built-in tool or its output; returns `false` if the item is neither. */
function readServerTool(conversation: Conversation, type: string, item: JsonObject): boolean {
  const input = inputs.get(type)
  const id = asText(item.call_id) ?? asText(item.id)
  if (input === undefined) return readOutputItem(conversation, type, item)
  const name = type === 'mcp_call' ? mcpName(item) : type.replace(/_(?:call|request)$/, '')
  const kind = /^(?:mcp|computer)_/.test(type) ? 'other' : undefined
  const call = conversation.call({ id, name, input: input(item), kind })
  const outcome = ownOutcome(type, item)
  if (outcome !== undefined) writeResult(conversation, call, id, outcome)
  return true
}

/** Joins `commands`, which run one after the other, because facts expect one `command`. */
function shellInput({ action }: JsonObject): unknown {
  const commands = asList(asObject(action)?.commands)
  const lines = commands.filter((command) => typeof command === 'string')
  return lines.length === 0 || lines.length < commands.length
    ? (action ?? null)
    : { ...asObject(action), command: lines.join('\n') }
}

function mcpName(item: JsonObject): string {
  return `mcp__${asText(item.server_label) ?? 'server'}__${asText(item.name) ?? 'tool'}`
}

/** The result as far as the item of the call itself contains it. */
function ownOutcome(type: string, item: JsonObject): Outcome | undefined {
  if (type === 'mcp_call') return mcpOutcome(item)
  if (type === 'code_interpreter_call') {
    const outputs = asList(item.outputs).map(asObject)
    if (outputs.length === 0) return undefined
    const images = outputs.filter((output) => output?.type === 'image').length
    const text = textsIn(outputs.map((output) => output?.logs)).join('\n')
    const status = /^Traceback \(most recent call last\):/m.test(text) ? 'error' : 'ok'
    return { status, text, images }
  }
  if (type === 'file_search_call' && Array.isArray(item.results))
    return { status: 'ok', text: item.results.map(resultText).join('\n\n') }
  if (type === 'image_generation_call' && asText(item.result) !== undefined)
    return { status: 'ok', text: '', images: 1 }
  const found = textsIn(asList(asObject(item.action)?.sources).map((source) => asObject(source)?.url))
  return type === 'web_search_call' && found.length > 0 ? { status: 'ok', text: found.join('\n') } : undefined
}

function mcpOutcome({ error, output }: JsonObject): Outcome | undefined {
  if (error !== undefined && error !== null)
    return { status: 'error', text: asText(error) ?? JSON.stringify(error) }
  return typeof output === 'string' ? { status: 'ok', text: output } : undefined
}

function resultText(value: unknown): string {
  const { filename, text } = asObject(value) ?? {}
  return textsIn([filename, text]).join('\n')
}

function readOutputItem(conversation: Conversation, type: string, item: JsonObject): boolean {
  const outcome = outputOf(type, item)
  if (outcome === undefined) return false
  const id = asText(item.call_id) ?? asText(item.approval_request_id) ?? asText(item.id)
  writeResult(conversation, conversation.take(id), id, outcome)
  return true
}

function outputOf(type: string, item: JsonObject): Outcome | undefined {
  if (type === 'shell_call_output') return shellOutcome(item)
  if (type === 'mcp_approval_response') {
    const reason = asText(item.reason) ?? ''
    return { status: item.approve === true ? 'ok' : 'denied', text: reason }
  }
  if (type === 'tool_search_output')
    return { status: 'ok', text: asList(item.tools).map(resultName).join('\n') }
  if (!/^(?:local_shell|apply_patch|computer)_call_output$/.test(type)) return undefined
  const { text, images } = outputText(item.output)
  const failed = item.status === 'failed' ? true : undefined
  return { text, ...outcomeOf(text, failed), images }
}

function shellOutcome(item: JsonObject): Outcome {
  const runs = asList(item.output).map(asObject)
  const texts = runs.flatMap((run) => [run?.stdout, run?.stderr])
  const codes = runs.map((run) => asNumber(asObject(run?.outcome)?.exit_code))
  const exitCode = codes.find((code) => code !== undefined && code !== 0) ?? codes.at(-1)
  const late = runs.some((run) => asObject(run?.outcome)?.type === 'timeout')
  return {
    status: late ? 'cancelled' : (exitCode ?? 0) === 0 ? 'ok' : 'error',
    text: typeof item.output === 'string' ? item.output : textsIn(texts).join('\n'),
    exitCode: Number.isSafeInteger(exitCode) ? exitCode : undefined,
  }
}

function resultName(value: unknown): string {
  const { name, description } = asObject(value) ?? {}
  return textsIn([name, description]).join(': ')
}
