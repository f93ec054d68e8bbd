import * as json from '../../session/json.ts'
import { readReported } from '../codex/output.ts'
import {
  callArguments,
  keepOthers,
  writeOutput,
  writeResult,
  writeSystem,
  writeUser,
} from '../messages/conversation.ts'
import { byKind, tableOf } from '../shared/by-kind.ts'
import { contentParts } from '../shared/values.ts'
import type { Outcome, Writer } from '../shared/writer.ts'

export function readItem(writer: Writer, item: json.Fields): boolean {
  const type = json.text(item.type) ?? (item.role === undefined ? '' : 'message')
  return readType(writer, type, item) || readServerTool(writer, type, item)
}

const readType = byKind<Writer>({
  message(writer, item) {
    const { texts, images, others } = contentParts(item.content)
    const phase =
      item.phase === 'final_answer' ? 'final' : item.phase === 'commentary' ? 'commentary' : undefined
    if (item.role === 'assistant') writer.say(texts.join('\n'), { phase })
    else if (item.role === 'user') writeUser(writer, texts, images)
    else if (item.role === 'system' || item.role === 'developer')
      for (const text of texts) writeSystem(writer, text)
    else return false
    keepOthers(writer, others)
    if (texts.length === 0 && images === 0) writer.out.absorb('empty message')
  },
  reasoning(writer, { content, summary }) {
    const parts = [...json.list(summary), ...json.list(content)]
    writer.think(json.texts(parts.map((part) => json.at(part, 'text'))).join('\n\n'))
  },
  'function_call custom_tool_call'(writer, item, type) {
    const { arguments: given, call_id, id, input, name, namespace } = item
    if (json.text(name) === undefined) return false
    const space = json.text(namespace)
    const full = space === undefined ? String(name) : `${space}${space.endsWith('_') ? '' : '.'}${name}`
    const value = type === 'function_call' ? callArguments(given) : input
    writer.call({ id: json.text(call_id) ?? id, name: full, input: value })
  },
  // Outputs have the forms of Codex, including plain text.
  'function_call_output custom_tool_call_output'(writer, item) {
    const id = json.text(item.call_id)
    writeResult(writer, writer.take(id), id, readReported(item.output))
  },
  'compaction compaction_summary': (writer, { summary }) => writer.compact(summary),
  item_reference: ({ out }) =>
    out.note('item-elsewhere', 'an item is kept by the server; only its id is in the log'),
  mcp_list_tools: 'tool definitions',
})

// Input of calls that the provider or the client runs, by their item types.
export const serverInputs = tableOf<(item: json.Fields) => unknown>({
  local_shell_call: ({ action }) => action,
  // `commands` run one after the other; they are joined, because facts expect one `command`.
  shell_call({ action }) {
    const commands = json.list(action, 'commands')
    const isText = commands.length > 0 && commands.every((command) => typeof command === 'string')
    return isText ? { ...json.object(action), command: commands.join('\n') } : (action ?? null)
  },
  apply_patch_call: ({ operation }) => operation,
  web_search_call: ({ action }) => action,
  file_search_call: ({ queries }) => ({ queries: queries ?? null }),
  code_interpreter_call: ({ code }) => ({ code: code ?? null }),
  computer_call: ({ action, actions }) => action ?? actions,
  image_generation_call: ({ revised_prompt: prompt }) => ({ prompt: prompt ?? null }),
  mcp_call: ({ arguments: input }) => callArguments(input),
  mcp_approval_request: ({ name, arguments: input }) => ({ name, arguments: input }),
  tool_search_call: ({ arguments: input }) => callArguments(input),
})

function readServerTool(writer: Writer, type: string, item: json.Fields): boolean {
  const input = serverInputs.get(type)
  const id = json.text(item.call_id) ?? json.text(item.id)
  if (input === undefined) return readOutputItem(writer, type, item)
  const server = `mcp__${json.text(item.server_label) ?? 'server'}__${json.text(item.name) ?? 'tool'}`
  const name = type === 'mcp_call' ? server : type.replace(/_(?:call|request)$/, '')
  const call = writer.call({ id, name, input: input(item) })
  const outcome = outcomes.get(type)?.(item)
  if (outcome !== undefined) writeResult(writer, call, id, outcome)
  return true
}

const outcomes = tableOf<(item: json.Fields) => Outcome | undefined>({
  mcp_call: ({ error, output }) => {
    if (error !== undefined && error !== null)
      return { failed: true, text: json.text(error) ?? JSON.stringify(error) }
    return typeof output === 'string' ? { text: output } : undefined
  },
  code_interpreter_call: ({ outputs }) => {
    const images = json.list(outputs).filter((output) => json.at(output, 'type') === 'image').length
    const text = json.texts(json.list(outputs).map((output) => json.at(output, 'logs'))).join('\n')
    const failed = /^Traceback \(most recent call last\):/m.test(text)
    return json.list(outputs).length === 0 ? undefined : { failed, text, images }
  },
  file_search_call: ({ results }) => {
    const texts = json.objects(results).map(({ filename, text }) => json.texts([filename, text]).join('\n'))
    return Array.isArray(results) ? { text: texts.join('\n\n') } : undefined
  },
  image_generation_call: ({ result }) => (json.text(result) ? { text: '', images: 1 } : undefined),
  web_search_call: ({ action }) => {
    const found = json.texts(json.list(action, 'sources').map((source) => json.at(source, 'url')))
    return found.length === 0 ? undefined : { text: found.join('\n') }
  },
})

function readOutputItem(writer: Writer, type: string, item: json.Fields): boolean {
  const id = json.text(item.call_id) ?? json.text(item.approval_request_id) ?? json.text(item.id)
  const failed = item.status === 'failed' ? true : undefined
  if (/^(?:local_shell|apply_patch|computer)_call_output$/.test(type))
    writeOutput(writer, { id }, item.output, failed)
  else {
    const outcome = outputs.get(type)?.(item)
    if (outcome === undefined) return false
    writeResult(writer, writer.take(id), id, outcome)
  }
  return true
}

const outputs = tableOf<(item: json.Fields) => Outcome>({
  shell_call_output({ output }) {
    const runs = json.list(output).map((each) => json.fields(each))
    const codes = runs.map(({ outcome }) => json.number(outcome, 'exit_code'))
    const isLate = runs.some(({ outcome }) => json.text(outcome, 'type') === 'timeout')
    const texts = json.texts(runs.flatMap(({ stdout, stderr }) => [stdout, stderr]))
    return {
      status: isLate ? 'cancelled' : undefined,
      text: typeof output === 'string' ? output : texts.join('\n'),
      exitCode: codes.find((code) => code !== undefined && code !== 0) ?? codes.at(-1),
    }
  },
  mcp_approval_response({ approve, reason }) {
    return { status: approve === true ? 'ok' : 'denied', text: json.text(reason) ?? '' }
  },
  tool_search_output: foundTools,
})

export function foundTools({ tools }: json.Fields): Outcome {
  const names = json.objects(tools).map(({ description, name }) => json.texts([name, description]).join(': '))
  return { text: json.texts(names).join('\n') }
}
