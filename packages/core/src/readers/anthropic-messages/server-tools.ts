import type { FileChange } from '../../session/event.ts'
import { asList, asNumber, asObject, asText, type JsonObject, textsIn } from '../../session/json-values.ts'
import { outputText } from '../shared/content.ts'
import type { Outcome, WrittenCall } from '../shared/writer.ts'

/** The result of a tool that runs on Anthropic's servers; `undefined` if the block is from no such tool. */
export function serverOutcome(block: JsonObject, call: WrittenCall | undefined): Outcome | undefined {
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
