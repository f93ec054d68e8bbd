import type { FileChange, ToolKind } from '../../session/event.ts'
import {
  asNumber,
  asObject,
  asText,
  type JsonObject,
  objectsIn,
  parseJson,
} from '../../session/json-values.ts'
import { known } from '../../session/known.ts'
import { textOf } from '../../session/plain-value.ts'
import { toolKindOf } from '../../tools/tool-kind.ts'
import { changedLines } from '../shared/diff-counts.ts'
import { pathOfUri } from '../shared/path-of-uri.ts'
import type { Outcome } from '../shared/writer.ts'

/** A call of a tool, and how it ended. */
export interface ChatTool {
  readonly id: string | undefined
  readonly name: string
  readonly input: unknown
  readonly result: Outcome | undefined
}

/** The kind of a tool by its name, which may have a prefix that VS Code shows. */
export function kindOfTool(name: string): ToolKind {
  const bare = name.replace(/^(?:copilot|vscode)_/, '').replace(/_internal$/, '')
  return toolKindOf(bare)
}

/** A call that the extension kept with its arguments; `shown` is what VS Code shows of a command in its terminal. */
export function roundTool(call: JsonObject, results: JsonObject, shown: JsonObject | undefined): ChatTool {
  const id = asText(call.id)
  const name = asText(call.name) ?? 'tool'
  const written = asText(call.arguments)
  const input = written === undefined ? (call.arguments ?? null) : (parseJson(written) ?? written)
  const found = id !== undefined && Object.hasOwn(results, id) ? asObject(results[id]) : undefined
  const exitCode = exitCodeOf(shown)
  const isDenied = isRefused(shown)
  if (found === undefined && exitCode === undefined && !isDenied)
    return { id, name, input, result: undefined }
  const text = contentText(found?.content)
  const isError = exitCode === undefined ? /^(?:ERROR|Error)\b/.test(text) : exitCode !== 0
  const changes = isError || isDenied ? [] : changesOf(input)
  const status = isDenied ? 'denied' : isError ? 'error' : 'ok'
  return { id, name, input, result: { status, text, exitCode, changes } }
}

/** A tool, or a change of a file, of which only what VS Code shows is left. */
export function invocationTool(part: JsonObject): ChatTool {
  if (part.kind === 'textEditGroup') return editTool(part)
  const data = asObject(part.toolSpecificData)
  const details = asObject(part.resultDetails)
  const said = shownText(part.pastTenseMessage) || shownText(part.invocationMessage)
  const output = objectsIn(details?.output).flatMap((item) => asText(item.value) ?? [])
  const terminal = asText(asObject(data?.terminalCommandOutput)?.text)
  const exitCode = exitCodeOf(part)
  const status = isRefused(part)
    ? 'denied'
    : details?.isError === true || (exitCode ?? 0) !== 0
      ? 'error'
      : 'ok'
  const text = terminal ?? (output.length > 0 ? output.join('\n') : said)
  return {
    id: asText(part.toolCallId),
    name: asText(part.toolId) ?? 'tool',
    input: shownInput(data, asText(details?.input)) ?? (said === '' ? {} : { description: said }),
    result: part.isComplete === false ? undefined : { status, text, exitCode },
  }
}

function shownInput(data: JsonObject | undefined, input: string | undefined): unknown {
  const line = asObject(data?.commandLine)
  const command = asText(line?.original) ?? asText(data?.command)
  if (command !== undefined) return { command, ...known({ cwd: pathOfUri(data?.cwd) }) }
  if (Array.isArray(data?.todoList)) return { todoList: data.todoList }
  if (asText(data?.prompt) !== undefined) return { description: data?.description, prompt: data?.prompt }
  return input === undefined ? undefined : (parseJson(input) ?? input)
}

function editTool({ uri, edits }: JsonObject): ChatTool {
  const path = pathOfUri(uri) ?? ''
  const texts = (Array.isArray(edits) ? edits : []).flatMap((group: unknown) => objectsIn(group))
  const text = texts.map((edit) => textOf(edit.text)).join('\n')
  const changes: FileChange[] = [{ path, action: 'modified' }]
  const result = { status: 'ok', text: '', changes } as const
  return { id: undefined, name: 'textEditGroup', input: { path, code: text }, result }
}

/** Whether the user refused the tool: `false`, or the kind "denied". */
function isRefused(shown: JsonObject | undefined): boolean {
  return shown?.isConfirmed === false || asObject(shown?.isConfirmed)?.type === 0
}

function exitCodeOf(shown: JsonObject | undefined): number | undefined {
  const code = asNumber(asObject(asObject(shown?.toolSpecificData)?.terminalCommandState)?.exitCode)
  return Number.isSafeInteger(code) ? code : undefined
}

function shownText(value: unknown): string {
  return asText(value) ?? asText(asObject(value)?.value) ?? ''
}

/** The text of a result: parts of text, or trees of the library that the extension builds prompts with. */
function contentText(content: unknown): string {
  return objectsIn(content)
    .map(({ value }) => (typeof value === 'string' ? value : treeText(asObject(value)?.node, 0)))
    .join('\n')
    .trim()
}

const deepest = 100

function treeText(node: unknown, depth: number): string {
  const fields = asObject(node)
  if (fields === undefined || depth > deepest) return ''
  const text = asText(fields.text)
  if (text !== undefined) return fields.lineBreakBefore === true ? `\n${text}` : text
  return objectsIn(fields.children)
    .map((child) => treeText(child, depth + 1))
    .join('')
}

/** The files that a call with several replacements changed. */
function changesOf(input: unknown): FileChange[] {
  return objectsIn(asObject(input)?.replacements).flatMap(({ filePath, oldString, newString }) => {
    const path = asText(filePath)
    if (path === undefined) return []
    return [{ path, action: 'modified' as const, ...changedLines(textOf(oldString), textOf(newString)) }]
  })
}
