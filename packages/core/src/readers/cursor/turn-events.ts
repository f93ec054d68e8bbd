import type { EventDraft, SessionEvent } from '../../session/event.ts'
import { toolInputText } from '../../session/event-text.ts'
import * as json from '../../session/json.ts'
import { plainValue, textOf } from '../../session/plain-value.ts'
import { toolKindOf } from '../../tools/tool-kind.ts'
import type { SessionWriter } from '../reader/reader.ts'
import { tableOf } from '../shared/by-kind.ts'
import { createWriter, type Outcome, type Writer } from '../shared/writer.ts'

/** Returns the events of a turn that is in no log. */
export function turnEvents(turn: unknown, number: number, note: SessionWriter['note']): EventDraft[] {
  const drafts: EventDraft[] = []
  const event = (draft: EventDraft): SessionEvent => {
    drafts.push(draft)
    return draft as SessionEvent
  }
  const silent = { files: [], absorb() {}, meta() {}, agent() {}, usage() {}, alsoRead() {} }
  const out = { ...silent, rewind: () => 0, copied: () => 0, event, note }
  readTurn(createWriter(out), turn, number)
  return drafts
}

/** Maximum levels of nested subagents to read; deeper ones become a note. */
const deepest = 16

/**
 * Reads a `ConversationTurn`, whatever it contains. `number` counts turns from 1 and forms the call ids (`t1s2`), which
 * turns lack. A shell command of the user becomes a call of `user_shell`; the steps of a `task` become events of a
 * subagent. Steps and turns of unknown types become `other` events and notes.
 */
export function readTurn(writer: Writer, turn: unknown, number: number): void {
  const body = json.fields(turn, 'turn')
  writer.out.absorb('empty turn')
  if (Array.isArray(body.steps) || 'userMessage' in body) {
    writer.ask(messageText(body.userMessage))
    readSteps(writer, body.steps, `t${number}s`, 0)
  } else if ('shellCommand' in body || 'shellOutput' in body) {
    const input = plainValue(body.shellCommand)
    const call = writer.call({ id: `t${number}`, name: 'user_shell', kind: 'execute', input })
    const output = body.shellOutput ?? undefined
    if (output !== undefined) writer.result(call, successOf('shell', undefined, output))
  } else {
    const name = json.text(turn, 'type') ?? 'turn'
    writer.out.note('unknown-turn', `turn ${number} has a kind or shape that is not known: ${name}`)
    writer.other(plainValue(turn), name)
  }
}

function messageText(message: unknown): string {
  return textOf(json.at(message, 'text') ?? message)
}

function readSteps(writer: Writer, steps: unknown, before: string, depth: number): void {
  for (const [index, step] of json.list(steps).entries()) {
    const { message, type } = json.fields(step)
    const place = `${before}${index + 1}`
    if (type === 'assistantMessage') writer.say(messageText(message))
    else if (type === 'thinkingMessage') writer.think(messageText(message))
    else if (type === 'toolCall' && json.object(message)) readCall(writer, json.fields(message), place, depth)
    else {
      const name = json.text(type) ?? 'step'
      writer.out.note('unknown-step', `step ${place} has a kind or shape that is not known: ${name}`)
      writer.other(plainValue(step), name)
    }
  }
}

function readCall(writer: Writer, { args, result, type }: json.Fields, callId: string, depth: number): void {
  const tool = json.text(type) ?? 'tool'
  const name =
    tool === 'mcp' ? mcpToolName(json.at(args, 'providerIdentifier'), json.at(args, 'toolName')) : tool
  const call = writer.call({ id: callId, name, kind: toolKindOf(name), input: plainValue(args) })
  const steps = tool === 'task' ? json.list(result, 'value', 'conversationSteps') : []
  const tooDeep = `the ${steps.length} steps of the task in step ${callId} are nested too deep`
  if (steps.length > 0 && depth >= deepest) writer.out.note('deep-steps', tooDeep)
  else if (steps.length > 0) {
    const named = json.text(result, 'value', 'agentId')
    const child = named === undefined || named === 'main' ? `task-${callId}` : named
    const { description, subagentType } = json.fields(args)
    const kind = json.text(subagentType) ?? json.text(subagentType, 'name') ?? json.text(subagentType, 'kind')
    writer.within(child, { callId, type: kind, title: json.text(description) }, () =>
      readSteps(writer, steps, `${callId}.`, depth + 1),
    )
  }
  if (result !== undefined && result !== null) writer.result(call, outcomeOf(tool, args, result))
}

function outcomeOf(tool: string, args: unknown, result: unknown): Outcome {
  const { error, status, value, ...rest } = json.fields(result)
  if (status === 'error') return { failed: true, text: json.text(error, 'message') ?? valueText(error) }
  if (status === 'success' && value !== undefined) return successOf(tool, args, value)
  const isEmpty = status !== undefined && error === undefined && Object.keys(rest).length === 0
  const whole = status === undefined ? result : { ...rest, ...(error !== undefined && { error }) }
  return { text: valueText(value ?? (isEmpty ? undefined : whole)) }
}

function successOf(tool: string, args: unknown, value: unknown): Outcome {
  const fields = json.fields(value)
  const content = tool === 'mcp' ? json.list(fields.content) : []
  const drawn = tool === 'generateImage' && fields.imageData !== undefined ? 1 : 0
  const path = json.text(args, 'path')
  const lines = { added: json.count(fields.linesAdded), removed: json.count(fields.linesRemoved) }
  const action = tool === 'delete' ? 'deleted' : 'modified'
  const changed = path !== undefined && (tool === 'delete' || tool === 'edit')
  return {
    failed: tool === 'mcp' && fields.isError === true,
    text: resultText(tool, value),
    exitCode: tool === 'shell' ? json.number(fields.exitCode) : undefined,
    changes: changed ? [{ path, action, ...(tool === 'edit' && lines) }] : [],
    images: drawn + content.filter(isImage).length,
  }
}

const resultTexts = tableOf<(fields: json.Fields) => string | undefined>({
  read: ({ content }) => givenText(content),
  semSearch: ({ results }) => givenText(results),
  edit: ({ diffString }) => givenText(diffString),
  shell: ({ stdout, stderr }) => json.texts([stdout, stderr].map(textOf)).join('\n'),
  glob: ({ files }) => (Array.isArray(files) ? files.map(textOf).join('\n') : undefined),
  // Content blocks of the Model Context Protocol; Cursor wraps their text once more.
  mcp({ content }) {
    const shown = json.list(content).filter((part) => !isImage(part))
    const texts = shown.map((part) => json.at(part, 'text') ?? part)
    const plain = texts.map((text) => textOf(json.at(text, 'text') ?? text)).join('\n')
    return Array.isArray(content) ? plain : undefined
  },
  grep({ workspaceResults, activeEditorResult }) {
    const results = [...Object.values(json.fields(workspaceResults)), activeEditorResult]
    const lines = results.filter((result) => result !== undefined).map(grepLines)
    return lines.length > 0 && lines.every((each) => each !== undefined) ? lines.flat().join('\n') : undefined
  },
  ls: treeText,
})

/** Fields that only repeat other events, or are bytes. */
const passing = /^(?:fileContentAfterWrite|imageData|conversationSteps)$/

function resultText(tool: string, value: unknown): string {
  const fields = json.object(value)
  if (fields === undefined || ArrayBuffer.isView(value)) return valueText(value)
  const rest = Object.entries(fields).filter(([name]) => !passing.test(name))
  return resultTexts.get(tool)?.(fields) ?? valueText(Object.fromEntries(rest))
}

function givenText(value: unknown): string | undefined {
  return value === undefined ? undefined : textOf(value)
}

function valueText(value: unknown): string {
  return toolInputText(plainValue(value))
}

function isImage(part: unknown): boolean {
  const fields = json.fields(part)
  return fields.type === 'image' || 'image' in fields
}

function grepLines(result: unknown): readonly string[] | undefined {
  const { type, output } = json.fields(result)
  const { files, matches, counts, count, totalMatches, total } = json.fields(output)
  const withMore = (lines: string[], shown: number, all: unknown): string[] =>
    typeof all === 'number' && all > shown ? [...lines, `… ${all - shown} more`] : lines
  if (type === 'files' && Array.isArray(files)) return withMore(files.map(String), files.length, count)
  if (type === 'content' && Array.isArray(matches))
    return withMore(matches.flatMap(matchLines), matches.length, totalMatches)
  if (type !== 'count' || !Array.isArray(counts)) return undefined
  const sum = counts.reduce((all: number, each) => all + Number(json.at(each, 'count') ?? 0), 0)
  const lines = counts.map((each) => `${json.at(each, 'file')}:${json.at(each, 'count')}`)
  return withMore(lines, sum, total)
}

/** Returns a match as `file:12:text`, with the lines around it as `file-11-text`. */
function matchLines(match: unknown): string[] {
  const { file, line, lineNumber, beforeContext, afterContext } = json.fields(match)
  const before = json.list(beforeContext)
  const place = (offset: number, mark: string): string =>
    typeof lineNumber === 'number' ? `${file}${mark}${lineNumber + offset}${mark}` : `${file}${mark}`
  return [
    ...before.map((text, index) => `${place(index - before.length, '-')}${text}`),
    `${place(0, ':')}${line}`,
    ...json.list(afterContext).map((text, index) => `${place(index + 1, '-')}${text}`),
  ]
}

export function treeText({ directoryTreeRoot }: json.Fields): string | undefined {
  const lines: string[] = []
  const left: unknown[] = [directoryTreeRoot]
  while (left.length > 0) {
    const { absPath, childrenDirs, childrenFiles, childrenWereProcessed, numFiles } = json.fields(left.pop())
    if (typeof absPath !== 'string' || !Array.isArray(childrenDirs) || !Array.isArray(childrenFiles))
      return undefined
    const mark = childrenWereProcessed === false ? ` (${numFiles} files, not listed)` : ''
    lines.push(`${absPath}/${mark}`, ...childrenFiles.map((file) => `${absPath}/${json.at(file, 'name')}`))
    left.push(...childrenDirs.toReversed())
  }
  return lines.join('\n')
}

/** Returns `mcp__server__tool`, the form that Claude Code uses. */
export function mcpToolName(server: unknown, tool: unknown): string {
  return ['mcp', server, tool].filter((part) => json.text(part)).join('__')
}

/**
 * A turn of `Run.conversation()` in `@cursor/sdk` 1.0: a prompt with the steps that followed, or a shell command of the
 * user. Turns have no ids, times or usage; a call and its result are one object. Turns of a newer SDK are read as far
 * as they are similar. Declared here to avoid a dependency on the SDK. https://cursor.com/docs/sdk/typescript
 */
export interface ConversationTurn {
  /** Ends in `ConversationTurn`. */
  readonly type: string
  /** The prompt with the steps, or the command. */
  readonly turn?: unknown
}
