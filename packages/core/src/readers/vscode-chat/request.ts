import type { FileChange, ToolKind } from '../../session/event.ts'
import * as json from '../../session/json.ts'
import { known } from '../../session/known.ts'
import { textOf } from '../../session/plain-value.ts'
import { toolKindOf } from '../../tools/tool-kind.ts'
import { changedLines } from '../shared/diff-counts.ts'
import { pathOfUri, timeOfMillis } from '../shared/values.ts'
import type { Outcome, Writer } from '../shared/writer.ts'

export function readRequest(writer: Writer, request: json.Fields, index: number): void {
  const started = timeOfMillis(request.timestamp)
  writer.time = started
  const message = json.object(request.message)
  const parts = json.objects(message?.parts).map((part) => textOf(part.text))
  const variables = json.objects(request.variableData, 'variables')
  const images = variables.filter(({ kind }) => kind === 'image').length
  writer.ask(json.text(message?.text) ?? json.text(request.message) ?? parts.join(''), { images })
  const files = variables.flatMap(({ value }) => pathOfUri(json.object(value)?.uri ?? value) ?? [])
  writer.context('attachment', 'attached', [...new Set(files)].join('\n'))
  const result = json.object(request.result)
  const metadata = json.object(result?.metadata)
  const model = json.text(metadata?.resolvedModel) ?? json.text(request.modelId)?.replace(/^copilot\//, '')
  writer.model = model
  const rounds = json.objects(metadata?.toolCallRounds)
  const response = json.objects(request.response)
  if (rounds.length === 0) readResponse(writer, response)
  else {
    const results = json.fields(metadata?.toolCallResults)
    const shown = shownTerminals(rounds, response)
    let said = false
    for (const round of rounds) {
      writer.time = timeOfMillis(round.timestamp) ?? started
      writer.model = json.text(round.modelId) ?? model
      const thought = json.at(round.thinking, 'text')
      writer.think(Array.isArray(thought) ? thought.map(textOf).join('\n') : textOf(thought))
      if (writer.say(textOf(round.response))) said = true
      writer.model = model
      for (const call of json.objects(round.toolCalls))
        writeTool(writer, roundTool(call, results, shown.get(call)))
    }
    writer.time = started
    if (!said) readResponse(writer, response, true)
  }
  writer.context('harness', 'error', json.at(result?.errorDetails, 'message'))
  if (request.isCanceled === true) writer.context('harness', 'interrupted', 'The user stopped the answer.')
  const inputTokens = json.count(metadata?.promptTokens) ?? json.count(request.promptTokens)
  const outputTokens = json.count(metadata?.outputTokens) ?? json.count(request.completionTokens)
  if (inputTokens !== undefined || outputTokens !== undefined)
    writer.usage(`answer-${index + 1}`, { inputTokens, outputTokens })
}

/** The terminal commands of the rounds, with what VS Code shows of each: it has ids of its own, but the same order. */
function shownTerminals(
  rounds: readonly json.Fields[],
  response: readonly json.Fields[],
): Map<json.Fields, json.Fields> {
  const ran = rounds
    .flatMap((round) => json.objects(round.toolCalls))
    .filter(({ name }) => name === 'run_in_terminal')
  const shown = response.filter((part) => json.at(part.toolSpecificData, 'kind') === 'terminal')
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
function readResponse(writer: Writer, response: readonly json.Fields[], onlyAnswer = false): void {
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

function markdownOf({ value, content }: json.Fields): string {
  return json.text(value) ?? json.text(value, 'value') ?? json.text(content, 'value') ?? ''
}

function referenceOf({ name, inlineReference }: json.Fields): string {
  const reference = json.object(inlineReference)
  const place = json.object(reference?.location)?.uri ?? reference?.uri ?? inlineReference
  return json.text(name) ?? json.text(reference?.name) ?? pathOfUri(place) ?? ''
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
function roundTool(call: json.Fields, results: json.Fields, shown: json.Fields | undefined): ChatTool {
  const id = json.text(call.id)
  const name = json.text(call.name) ?? 'tool'
  const written = json.text(call.arguments)
  const input = written === undefined ? (call.arguments ?? null) : (json.parse(written) ?? written)
  const found = id !== undefined && Object.hasOwn(results, id) ? json.object(results[id]) : undefined
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
function invocationTool(part: json.Fields): ChatTool {
  if (part.kind === 'textEditGroup') return editTool(part)
  const data = json.object(part.toolSpecificData)
  const details = json.object(part.resultDetails)
  const said = shownText(part.pastTenseMessage) || shownText(part.invocationMessage)
  const output = json.objects(details?.output).flatMap((item) => json.text(item.value) ?? [])
  const terminal = json.text(data?.terminalCommandOutput, 'text')
  const exitCode = exitCodeOf(part)
  const status = isRefused(part)
    ? 'denied'
    : details?.isError === true || (exitCode ?? 0) !== 0
      ? 'error'
      : 'ok'
  const text = terminal ?? (output.length > 0 ? output.join('\n') : said)
  return {
    id: json.text(part.toolCallId),
    name: json.text(part.toolId) ?? 'tool',
    input: shownInput(data, json.text(details?.input)) ?? (said === '' ? {} : { description: said }),
    result: part.isComplete === false ? undefined : { status, text, exitCode },
  }
}

function shownInput(data: json.Fields | undefined, input: string | undefined): unknown {
  const line = json.object(data?.commandLine)
  const command = json.text(line?.original) ?? json.text(data?.command)
  if (command !== undefined) return { command, ...known({ cwd: pathOfUri(data?.cwd) }) }
  if (Array.isArray(data?.todoList)) return { todoList: data.todoList }
  if (json.text(data?.prompt) !== undefined) return { description: data?.description, prompt: data?.prompt }
  return input === undefined ? undefined : (json.parse(input) ?? input)
}

function editTool({ uri, edits }: json.Fields): ChatTool {
  const path = pathOfUri(uri) ?? ''
  const texts = (Array.isArray(edits) ? edits : []).flatMap((group: unknown) => json.objects(group))
  const text = texts.map((edit) => textOf(edit.text)).join('\n')
  const changes: FileChange[] = [{ path, action: 'modified' }]
  const result = { status: 'ok', text: '', changes } as const
  return { id: undefined, name: 'textEditGroup', input: { path, code: text }, result }
}

function isRefused(shown: json.Fields | undefined): boolean {
  return shown?.isConfirmed === false || json.at(shown?.isConfirmed, 'type') === 0
}

function exitCodeOf(shown: json.Fields | undefined): number | undefined {
  const code = json.number(json.object(shown?.toolSpecificData, 'terminalCommandState')?.exitCode)
  return Number.isSafeInteger(code) ? code : undefined
}

function shownText(value: unknown): string {
  return json.text(value) ?? json.text(value, 'value') ?? ''
}

/** The text of a result: parts of text, or trees of the library that the extension builds prompts with. */
function contentText(content: unknown): string {
  return json
    .objects(content)
    .map(({ value }) => (typeof value === 'string' ? value : treeText(json.at(value, 'node'), 0)))
    .join('\n')
    .trim()
}

const deepest = 100

function treeText(node: unknown, depth: number): string {
  const fields = json.object(node)
  if (fields === undefined || depth > deepest) return ''
  const text = json.text(fields.text)
  if (text !== undefined) return fields.lineBreakBefore === true ? `\n${text}` : text
  return json
    .objects(fields.children)
    .map((child) => treeText(child, depth + 1))
    .join('')
}

function changesOf(input: unknown): FileChange[] {
  return json.objects(input, 'replacements').flatMap(({ filePath, oldString, newString }) => {
    const path = json.text(filePath)
    if (path === undefined) return []
    return [{ path, action: 'modified' as const, ...changedLines(textOf(oldString), textOf(newString)) }]
  })
}
