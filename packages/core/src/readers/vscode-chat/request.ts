import type { FileChange, ToolKind } from '../../session/event.ts'
import {
  asCount,
  asNumber,
  asObject,
  asText,
  at,
  fieldsOf,
  type JsonObject,
  objectsIn,
  parseJson,
  textAt,
} from '../../session/json-values.ts'
import { known } from '../../session/known.ts'
import { textOf } from '../../session/plain-value.ts'
import { toolKindOf } from '../../tools/tool-kind.ts'
import { changedLines } from '../shared/diff-counts.ts'
import { pathOfUri } from '../shared/path-of-uri.ts'
import { timeOfMillis } from '../shared/time.ts'
import type { Outcome, Writer } from '../shared/writer.ts'

export function readRequest(writer: Writer, request: JsonObject, index: number): void {
  const started = timeOfMillis(request.timestamp)
  writer.time = started
  const message = asObject(request.message)
  const parts = objectsIn(message?.parts).map((part) => textOf(part.text))
  const variables = objectsIn(at(request.variableData, 'variables'))
  const images = variables.filter(({ kind }) => kind === 'image').length
  writer.ask(asText(message?.text) ?? asText(request.message) ?? parts.join(''), { images })
  const files = variables.flatMap(({ value }) => pathOfUri(asObject(value)?.uri ?? value) ?? [])
  writer.context('attachment', 'attached', [...new Set(files)].join('\n'))
  const result = asObject(request.result)
  const metadata = asObject(result?.metadata)
  const model = asText(metadata?.resolvedModel) ?? asText(request.modelId)?.replace(/^copilot\//, '')
  writer.model = model
  const rounds = objectsIn(metadata?.toolCallRounds)
  const response = objectsIn(request.response)
  if (rounds.length === 0) readResponse(writer, response)
  else {
    const results = fieldsOf(metadata?.toolCallResults)
    const shown = shownTerminals(rounds, response)
    let said = false
    for (const round of rounds) {
      writer.time = timeOfMillis(round.timestamp) ?? started
      writer.model = asText(round.modelId) ?? model
      const thought = at(round.thinking, 'text')
      writer.think(Array.isArray(thought) ? thought.map(textOf).join('\n') : textOf(thought))
      if (writer.say(textOf(round.response))) said = true
      writer.model = model
      for (const call of objectsIn(round.toolCalls))
        writeTool(writer, roundTool(call, results, shown.get(call)))
    }
    writer.time = started
    if (!said) readResponse(writer, response, true)
  }
  writer.context('harness', 'error', textAt(result?.errorDetails, 'message') ?? '')
  if (request.isCanceled === true) writer.context('harness', 'interrupted', 'The user stopped the answer.')
  const inputTokens = asCount(metadata?.promptTokens) ?? asCount(request.promptTokens)
  const outputTokens = asCount(metadata?.outputTokens) ?? asCount(request.completionTokens)
  if (inputTokens !== undefined || outputTokens !== undefined)
    writer.usage(`answer-${index + 1}`, { inputTokens, outputTokens })
}

/** The terminal commands of the rounds, with what VS Code shows of each: it has ids of its own, but the same order. */
function shownTerminals(
  rounds: readonly JsonObject[],
  response: readonly JsonObject[],
): Map<JsonObject, JsonObject> {
  const ran = rounds
    .flatMap((round) => objectsIn(round.toolCalls))
    .filter(({ name }) => name === 'run_in_terminal')
  const shown = response.filter((part) => at(part.toolSpecificData, 'kind') === 'terminal')
  if (ran.length !== shown.length) return new Map()
  return new Map(ran.map((call, index) => [call, shown[index] ?? {}]))
}

function writeTool(writer: Writer, { id, name, input, result }: ChatTool): void {
  const call = writer.call({ id, name, input, kind: kindOfTool(name) })
  if (result !== undefined) writer.result(call, result)
}

/**
 * Writes the texts and tools in what VS Code shows of an answer, in order. Parts of a text come one by one, with
 * references between.
 */
function readResponse(writer: Writer, response: readonly JsonObject[], onlyAnswer = false): void {
  let text = ''
  let thought = ''
  const flush = (): void => {
    if (!onlyAnswer) writer.think(thought)
    writer.say(text)
    text = ''
    thought = ''
  }
  for (const part of response) {
    const { kind } = part
    if (kind === undefined || kind === 'markdownContent') text += markdownOf(part)
    else if (kind === 'inlineReference') text += `\`${referenceOf(part)}\``
    else if (kind === 'thinking') {
      if (text !== '') flush()
      thought += Array.isArray(part.value) ? part.value.map(textOf).join('') : textOf(part.value)
    } else if (kind === 'toolInvocationSerialized' || kind === 'textEditGroup') {
      flush()
      if (!onlyAnswer) writeTool(writer, invocationTool(part))
    }
  }
  flush()
}

function markdownOf({ value, content }: JsonObject): string {
  return asText(value) ?? textAt(value, 'value') ?? textAt(content, 'value') ?? ''
}

function referenceOf({ name, inlineReference }: JsonObject): string {
  const reference = asObject(inlineReference)
  const place = asObject(reference?.location)?.uri ?? reference?.uri ?? inlineReference
  return asText(name) ?? asText(reference?.name) ?? pathOfUri(place) ?? ''
}

interface ChatTool {
  readonly id: string | undefined
  readonly name: string
  readonly input: unknown
  readonly result: Outcome | undefined
}

function kindOfTool(name: string): ToolKind {
  const bare = name.replace(/^(?:copilot|vscode)_/, '').replace(/_internal$/, '')
  return toolKindOf(bare)
}

/** A call that the extension kept with its arguments; `shown` is what VS Code shows of a command in its terminal. */
function roundTool(call: JsonObject, results: JsonObject, shown: JsonObject | undefined): ChatTool {
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
function invocationTool(part: JsonObject): ChatTool {
  if (part.kind === 'textEditGroup') return editTool(part)
  const data = asObject(part.toolSpecificData)
  const details = asObject(part.resultDetails)
  const said = shownText(part.pastTenseMessage) || shownText(part.invocationMessage)
  const output = objectsIn(details?.output).flatMap((item) => asText(item.value) ?? [])
  const terminal = textAt(data?.terminalCommandOutput, 'text')
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

function isRefused(shown: JsonObject | undefined): boolean {
  return shown?.isConfirmed === false || at(shown?.isConfirmed, 'type') === 0
}

function exitCodeOf(shown: JsonObject | undefined): number | undefined {
  const code = asNumber(asObject(at(shown?.toolSpecificData, 'terminalCommandState'))?.exitCode)
  return Number.isSafeInteger(code) ? code : undefined
}

function shownText(value: unknown): string {
  return asText(value) ?? textAt(value, 'value') ?? ''
}

/** The text of a result: parts of text, or trees of the library that the extension builds prompts with. */
function contentText(content: unknown): string {
  return objectsIn(content)
    .map(({ value }) => (typeof value === 'string' ? value : treeText(at(value, 'node'), 0)))
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

function changesOf(input: unknown): FileChange[] {
  return objectsIn(at(input, 'replacements')).flatMap(({ filePath, oldString, newString }) => {
    const path = asText(filePath)
    if (path === undefined) return []
    return [{ path, action: 'modified' as const, ...changedLines(textOf(oldString), textOf(newString)) }]
  })
}
