import type { FileChange } from '../../session/event.ts'
import * as json from '../../session/json.ts'
import { known } from '../../session/known.ts'
import { textOf } from '../../session/plain-value.ts'
import { callArguments } from '../messages/conversation.ts'
import type { EventPlace, LogRecord, SessionWriter } from '../reader/reader.ts'
import { changedLines } from '../shared/diff-counts.ts'
import { pathOfUri, timeOfMillis } from '../shared/values.ts'
import { createWriter, type NewCall, type Outcome, type Writer } from '../shared/writer.ts'

export async function readChat(records: AsyncIterable<LogRecord>, out: SessionWriter): Promise<void> {
  const writer = createWriter(out)
  let chat: json.Fields | undefined
  let cwd: string | undefined
  // The line that last changed each request.
  const lines = new Map<number, EventPlace>()
  let at: EventPlace | undefined
  for await (const { value, file, line } of records) {
    const record = json.object(value)
    if (file > 0) {
      cwd = pathOfUri(record?.folder)
      out.absorb('folder of the workspace')
      continue
    }
    at = { file, line }
    if (record !== undefined && kinds.includes(record.kind)) {
      const before = json.list(chat?.requests).length
      const changed = applyChange(chat ?? {}, record)
      if (changed === undefined) writer.other(record, 'change')
      else {
        chat = changed
        for (const index of placed(record, before, json.list(chat.requests).length)) lines.set(index, at)
        out.absorb('change of the chat')
      }
    } else if (record !== undefined && Array.isArray(record.requests)) {
      chat = record
      out.absorb('chat')
    } else writer.other(value, json.text(record?.kind))
  }
  if (chat === undefined) return
  const named = { id: json.text(chat.sessionId), title: json.text(chat.customTitle) }
  const agentVersion = json.text(json.objects(chat.requests).at(-1), 'agent', 'extensionVersion')
  out.meta({ ...named, agentVersion, cwd: cwd ?? pathOfUri(chat.workingDirectory) })
  for (const [index, value] of json.list(chat.requests).entries()) {
    const request = json.object(value)
    writer.at = lines.get(index) ?? at
    if (request !== undefined) readRequest(writer, request, index)
  }
}

const kinds: readonly unknown[] = [0, 1, 2, 3]

function placed({ k }: json.Fields, before: number, after: number): readonly number[] {
  const added = Array.from({ length: Math.max(0, after - before) }, (_, index) => before + index)
  const [field, index] = json.list(k)
  return field === 'requests' && typeof index === 'number' ? [...added, index] : added
}

/** Maximum length of the gap that a change may create beyond the end of a list. */
const maxGap = 1000

/**
 * Applies a line of a chat's log to the chat so far, and returns the chat: `kind` 0 replaces it, 1 sets the value at
 * the path `k`, 2 appends items to a list there, after cutting it at `i` if that is given, and 3 deletes the value.
 * Returns `undefined` if the line does not fit the chat.
 * https://github.com/microsoft/vscode/blob/main/src/vs/workbench/contrib/chat/common/model/objectMutationLog.ts
 */
export function applyChange(chat: json.Fields, { kind, k, v, i }: json.Fields): json.Fields | undefined {
  if (kind === 0) return json.object(v)
  const [first, ...path] = json.list(k)
  let slot = slotAt(chat, first)
  for (const place of path) {
    const holder = holderIn(slot?.get(), typeof place === 'number')
    slot?.set(holder)
    slot &&= slotAt(holder, place)
  }
  const list = kind === 2 ? holderIn(slot?.get(), true) : slot?.get()
  // A list is not replaced by a value of another type, which would lose what other lines put into it.
  const fits = v === undefined || Array.isArray(v) || (kind !== 2 && !Array.isArray(list))
  if (slot === undefined || !fits || (kind === 2 && !Array.isArray(list))) return undefined
  if (kind === 2 && Array.isArray(list)) {
    list.length = Math.min(list.length, json.count(i) ?? list.length)
    for (const item of json.list(v)) list.push(item)
  }
  slot.set(kind === 2 ? list : kind === 1 ? v : undefined)
  return chat
}

/** Returns the container that a change continues in; a new one if it is missing or of another type after a damaged line. */
function holderIn(value: unknown, isList: boolean): unknown {
  const isHolder = isList ? Array.isArray(value) : json.objects([value].flat()).length > 0
  return isHolder || typeof value === 'string' ? value : isList ? [] : {}
}

function slotAt(holder: unknown, place: unknown) {
  const index = json.count(place)
  const fits = Array.isArray(holder)
    ? index !== undefined && index <= holder.length + maxGap
    : json.object(holder) !== undefined && typeof place === 'string' && place !== '__proto__'
  if (!fits) return undefined
  const values = holder as Record<string, unknown>
  const key = String(place)
  return {
    get: () => (Object.hasOwn(values, key) ? values[key] : undefined),
    set: (value: unknown) => Object.assign(values, { [key]: value }),
  }
}

function readRequest(writer: Writer, request: json.Fields, index: number): void {
  const { message, modelId, response: shown, result, timestamp, variableData } = request
  const metadata = json.fields(result, 'metadata')
  const started = timeOfMillis(timestamp)
  const model = json.text(metadata.resolvedModel) ?? json.text(modelId)?.replace(/^copilot\//, '')
  const variables = json.objects(variableData, 'variables')
  const images = variables.filter(({ kind }) => kind === 'image').length
  const parts = json.objects(message, 'parts').map((part) => textOf(part.text))
  writer.time = started
  writer.ask(json.text(message, 'text') ?? json.text(message) ?? parts.join(''), { images })
  const files = variables.flatMap(({ value }) => pathOfUri(json.object(value)?.uri ?? value) ?? [])
  writer.context('attachment', 'attached', [...new Set(files)].join('\n'))
  writer.model = model
  const rounds = json.objects(metadata.toolCallRounds)
  const response = json.objects(shown)
  const terminals = terminalsOf(rounds, response)
  let said = false
  for (const round of rounds) {
    writer.time = timeOfMillis(round.timestamp) ?? started
    writer.model = json.text(round.modelId) ?? model
    const thought = json.at(round.thinking, 'text')
    writer.think(Array.isArray(thought) ? thought.map(textOf).join('\n') : textOf(thought))
    said = writer.say(textOf(round.response)) || said
    writer.model = model
    for (const call of json.objects(round.toolCalls))
      writeTool(writer, roundTool(call, json.fields(metadata.toolCallResults), terminals.get(call)))
  }
  writer.time = started
  if (!said) readResponse(writer, response, rounds.length > 0)
  writer.context('harness', 'error', json.at(result, 'errorDetails', 'message'))
  if (request.isCanceled === true) writer.context('harness', 'interrupted', 'The user stopped the answer.')
  writer.usage(`answer-${index + 1}`, {
    inputTokens: json.count(metadata.promptTokens) ?? request.promptTokens,
    outputTokens: json.count(metadata.outputTokens) ?? request.completionTokens,
  })
}

/** Returns the terminal commands of the rounds with VS Code's view of each, which has other ids but the same order. */
function terminalsOf(rounds: readonly json.Fields[], response: readonly json.Fields[]) {
  const calls = rounds.flatMap((round) => json.objects(round.toolCalls))
  const ran = calls.filter(({ name }) => name === 'run_in_terminal')
  const shown = response.filter((part) => json.at(part.toolSpecificData, 'kind') === 'terminal')
  return new Map(ran.length === shown.length ? ran.map((call, index) => [call, shown[index] ?? {}]) : [])
}

type ChatTool = NewCall & { readonly result: Outcome | undefined }

function writeTool(writer: Writer, { result, ...given }: ChatTool): void {
  const call = writer.call(given)
  if (result !== undefined) writer.result(call, result)
}

/** Reads VS Code's view of an answer. Parts of a text come separately, with references in between. */
function readResponse(writer: Writer, response: readonly json.Fields[], onlyAnswer: boolean): void {
  let text = ''
  let thought = ''
  const flush = (): void => {
    if (!onlyAnswer) writer.think(thought)
    writer.say(text)
    text = ''
    thought = ''
  }
  for (const part of response) {
    const { content, kind, value } = part
    if (kind === undefined || kind === 'markdownContent') text += shownText(value) || shownText(content)
    else if (kind === 'inlineReference') text += `\`${referenceOf(part)}\``
    else if (kind === 'thinking') {
      if (text !== '') flush()
      thought += [value].flat().map(textOf).join('')
    } else if (kind === 'toolInvocationSerialized' || kind === 'textEditGroup') {
      flush()
      if (!onlyAnswer) writeTool(writer, kind === 'textEditGroup' ? editTool(part) : invocationTool(part))
    }
  }
  flush()
}

function shownText(value: unknown): string {
  return json.text(value) ?? json.text(value, 'value') ?? ''
}

function referenceOf({ name, inlineReference }: json.Fields): string {
  const { location, name: own, uri } = json.fields(inlineReference)
  const path = pathOfUri(json.at(location, 'uri') ?? uri ?? inlineReference)
  return json.text(name) ?? json.text(own) ?? path ?? ''
}

function roundTool(call: json.Fields, results: json.Fields, shown: json.Fields = {}): ChatTool {
  const id = json.text(call.id)
  const input = callArguments(call.arguments)
  const found = id !== undefined && Object.hasOwn(results, id) ? json.object(results[id]) : undefined
  const { exitCode, status } = endOf(shown)
  const isOpen = found === undefined && exitCode === undefined && status === undefined
  const text = contentText(found?.content)
  const failed = exitCode === undefined && /^(?:ERROR|Error)\b/.test(text)
  const result = isOpen ? undefined : { status, failed, text, exitCode, changes: changesOf(input) }
  return { id, name: json.text(call.name) ?? 'tool', input, result }
}

function invocationTool(part: json.Fields): ChatTool {
  const { invocationMessage, isComplete, pastTenseMessage, resultDetails, toolCallId, toolId } = part
  const data = json.fields(part.toolSpecificData)
  const details = json.fields(resultDetails)
  const said = shownText(pastTenseMessage) || shownText(invocationMessage)
  const output = json.texts(json.objects(details.output).map(({ value }) => value)).join('\n')
  const text = json.text(data.terminalCommandOutput, 'text') ?? (output || said)
  return {
    id: toolCallId,
    name: json.text(toolId) ?? 'tool',
    input: shownInput(data, json.text(details.input)) ?? known({ description: said || undefined }),
    result: isComplete === false ? undefined : { ...endOf(part), failed: details.isError === true, text },
  }
}

function endOf({ isConfirmed, toolSpecificData }: json.Fields): Pick<Outcome, 'status' | 'exitCode'> {
  const code = json.number(toolSpecificData, 'terminalCommandState', 'exitCode')
  const isRefused = isConfirmed === false || json.at(isConfirmed, 'type') === 0
  return { status: isRefused ? 'denied' : undefined, exitCode: Number.isSafeInteger(code) ? code : undefined }
}

function shownInput(data: json.Fields, input = '') {
  const { commandLine, cwd, description, prompt, todoList } = data
  const command = json.text(commandLine, 'original') ?? json.text(data.command)
  if (command !== undefined) return { command, ...known({ cwd: pathOfUri(cwd) }) }
  if (Array.isArray(todoList)) return { todoList }
  if (json.text(prompt) !== undefined) return { description, prompt }
  return input === '' ? undefined : (json.parse(input) ?? input)
}

function editTool({ uri, edits }: json.Fields): ChatTool {
  const path = pathOfUri(uri) ?? ''
  const texts = json.list(edits).flatMap((group) => json.objects(group).map((edit) => textOf(edit.text)))
  const result: Outcome = { text: '', changes: [{ path, action: 'modified' }] }
  return { name: 'textEditGroup', input: { path, code: texts.join('\n') }, result }
}

function contentText(content: unknown): string {
  const values = json.objects(content).map(({ value }) => value)
  return values
    .map((value) => json.text(value) ?? treeText(json.at(value, 'node'), 0))
    .join('\n')
    .trim()
}

const deepest = 100

function treeText(node: unknown, depth: number): string {
  const { children, lineBreakBefore, text } = json.fields(node)
  if (depth > deepest) return ''
  if (json.text(text) !== undefined) return `${lineBreakBefore === true ? '\n' : ''}${text}`
  return json.list(children).reduce<string>((inner, child) => inner + treeText(child, depth + 1), '')
}

function changesOf(input: unknown): FileChange[] {
  return json.objects(input, 'replacements').flatMap(({ filePath, oldString, newString }) => {
    const path = json.text(filePath)
    if (path === undefined) return []
    return [{ path, action: 'modified' as const, ...changedLines(textOf(oldString), textOf(newString)) }]
  })
}
