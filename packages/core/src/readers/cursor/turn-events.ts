import type { EventDraft, FileChange } from '../../session/event.ts'
import { toolInputText } from '../../session/event-text.ts'
import { asCount, asList, asObject, asText, type JsonObject, textsIn } from '../../session/json-values.ts'
import { known } from '../../session/known.ts'
import { plainValue, textOf } from '../../session/plain-value.ts'
import { toolKindOf } from '../../tools/tool-kind.ts'
import type { Outcome } from '../shared/writer.ts'

/** Called for anything in a turn that has no event of its own. */
type TurnNote = (code: 'unknown-turn' | 'unknown-step' | 'deep-steps', message: string) => void

/** Maximum levels of nested subagents to read; deeper ones become a note. */
const deepest = 16

/**
 * The events of one `ConversationTurn`, no matter what it contains; `number` counts turns from 1 and forms the call ids
 * (`t1s2`), which turns lack. A shell command of the user is a call of `user_shell`; the steps of a `task` are events
 * of a subagent. Steps and turns of unknown types become `other` events and notes.
 */
export function turnEvents(turn: unknown, number: number, note: TurnNote): EventDraft[] {
  const record = asObject(turn)
  const body = asObject(record?.turn)
  if (body !== undefined && (Array.isArray(body.steps) || 'userMessage' in body)) {
    const prompt = textOf(asObject(body.userMessage)?.text ?? body.userMessage)
    const user: EventDraft[] = prompt === '' ? [] : [{ type: 'user', origin: 'typed', text: prompt }]
    return [...user, ...stepEvents(body.steps, { place: `t${number}s`, agent: 'main', depth: 0, note })]
  }
  if (body !== undefined && ('shellCommand' in body || 'shellOutput' in body)) return shellTurn(body, number)
  const name = asText(record?.type) ?? 'turn'
  note('unknown-turn', `turn ${number} has a kind or shape that is not known: ${name}`)
  return [{ type: 'other', name, raw: plainValue(turn) }]
}

interface StepPlace {
  readonly place: string
  readonly agent: string
  readonly depth: number
  readonly note: TurnNote
}

function stepEvents(steps: unknown, at: StepPlace): EventDraft[] {
  return asList(steps).flatMap((step, index) => stepEvent(step, { ...at, place: `${at.place}${index + 1}` }))
}

function stepEvent(step: unknown, at: StepPlace): EventDraft[] {
  const record = asObject(step)
  const { agent } = at
  const message = record?.message
  if (record?.type === 'assistantMessage' || record?.type === 'thinkingMessage') {
    const text = textOf(asObject(message)?.text ?? message)
    if (text === '') return []
    return [{ type: record.type === 'assistantMessage' ? 'assistant' : 'reasoning', agent, text }]
  }
  const call = asObject(message)
  if (record?.type === 'toolCall' && call !== undefined) return callEvents(call, at)
  const name = asText(record?.type) ?? 'step'
  at.note('unknown-step', `step ${at.place} has a kind or shape that is not known: ${name}`)
  return [{ type: 'other', agent, name, raw: plainValue(step) }]
}

function callEvents(call: Readonly<Record<string, unknown>>, at: StepPlace): EventDraft[] {
  const { agent, place: callId } = at
  const tool = asText(call.type) ?? 'tool'
  const { providerIdentifier, toolName } = asObject(call.args) ?? {}
  const name = tool === 'mcp' ? mcpToolName(providerIdentifier, toolName) : tool
  const begun: EventDraft = {
    type: 'tool_call',
    agent,
    callId,
    name,
    kind: toolKindOf(tool),
    input: plainValue(call.args),
  }
  const result = toolResultOf(tool, call.args, call.result)
  const done: EventDraft[] = result === undefined ? [] : [{ type: 'tool_result', agent, callId, ...result }]
  return [begun, ...(tool === 'task' ? subagentEvents(call, at) : []), ...done]
}

function subagentEvents(call: Readonly<Record<string, unknown>>, at: StepPlace): EventDraft[] {
  const value = asObject(asObject(call.result)?.value)
  const steps = value?.conversationSteps
  if (!Array.isArray(steps) || steps.length === 0) return []
  if (at.depth >= deepest) {
    at.note('deep-steps', `the ${steps.length} steps of the task in step ${at.place} are nested too deep`)
    return []
  }
  const named = value?.agentId
  const child = typeof named === 'string' && named !== '' && named !== 'main' ? named : `task-${at.place}`
  const link = { agent: at.agent, child, callId: at.place }
  const inside = stepEvents(steps, { ...at, place: `${at.place}.`, agent: child, depth: at.depth + 1 })
  return [{ type: 'subagent_start', ...link }, ...inside, { type: 'subagent_end', ...link }]
}

function shellTurn(body: Readonly<Record<string, unknown>>, number: number): EventDraft[] {
  const callId = `t${number}`
  const input = plainValue(body.shellCommand)
  const call: EventDraft = { type: 'tool_call', callId, name: 'user_shell', kind: 'execute', input }
  if (body.shellOutput === undefined || body.shellOutput === null) return [call]
  const result = toolResultOf('shell', undefined, { status: 'success', value: body.shellOutput })
  return result === undefined ? [call] : [call, { type: 'tool_result', callId, ...result }]
}

/** The outcome of a tool call in a `ConversationTurn`; `undefined` if there is no result yet. */
function toolResultOf(tool: string, args: unknown, result: unknown): Outcome | undefined {
  if (result === undefined || result === null) return undefined
  const record = asObject(result)
  const value = record?.status === 'success' ? record.value : undefined
  if (record?.status === 'error')
    return { status: 'error', text: asText(asObject(record.error)?.message) ?? valueText(record.error) }
  if (value === undefined) return { status: 'ok', text: valueText(record?.value ?? withoutStatus(result)) }
  const fields = asObject(value)
  const exitCode = tool === 'shell' && Number.isSafeInteger(fields?.exitCode) ? Number(fields?.exitCode) : 0
  const failed = exitCode !== 0 || (tool === 'mcp' && fields?.isError === true)
  return {
    status: failed ? 'error' : 'ok',
    text: resultText(tool, value),
    exitCode: tool === 'shell' && typeof fields?.exitCode === 'number' ? exitCode : undefined,
    changes: failed ? [] : changesOf(tool, args, fields),
    images: imagesIn(tool, fields),
  }
}

function withoutStatus(result: unknown): unknown {
  const { status, ...rest } = asObject(result) ?? {}
  return status === undefined ? result : Object.keys(rest).length === 0 ? undefined : rest
}

/** The field of a result that holds its text. */
const textFields = new Map([
  ['read', 'content'],
  ['semSearch', 'results'],
  ['edit', 'diffString'],
])
/** Fields that only repeat what other events hold, or are bytes. */
const passing = /^(?:fileContentAfterWrite|imageData|conversationSteps)$/

function resultText(tool: string, value: unknown): string {
  const fields = asObject(value)
  if (fields === undefined) return valueText(value)
  const field = textFields.get(tool) ?? ''
  if (field in fields) return textOf(fields[field])
  if (tool === 'shell') return textsIn([fields.stdout, fields.stderr].map(textOf)).join('\n')
  if (tool === 'glob' && Array.isArray(fields.files)) return fields.files.map(textOf).join('\n')
  if (tool === 'mcp' && Array.isArray(fields.content))
    return fields.content.flatMap((part) => (isImage(part) ? [] : [contentText(part)])).join('\n')
  const listed = tool === 'grep' ? grepText(fields) : tool === 'ls' ? treeText(fields) : undefined
  if (listed !== undefined || !Object.keys(fields).some((name) => passing.test(name)))
    return listed ?? valueText(fields)
  return valueText(Object.fromEntries(Object.entries(fields).filter(([name]) => !passing.test(name))))
}

function valueText(value: unknown): string {
  return toolInputText(plainValue(value))
}

/** A content block of the Model Context Protocol; Cursor wraps its text once more. */
function contentText(part: unknown): string {
  const text = asObject(part)?.text
  return textOf(asObject(text)?.text ?? text ?? part)
}

function isImage(part: unknown): boolean {
  const fields = asObject(part)
  return fields !== undefined && (fields.type === 'image' || 'image' in fields)
}

function imagesIn(tool: string, fields: JsonObject | undefined): number {
  if (tool === 'generateImage') return fields?.imageData === undefined ? 0 : 1
  if (tool !== 'mcp' || !Array.isArray(fields?.content)) return 0
  return fields.content.filter(isImage).length
}

function changesOf(tool: string, args: unknown, fields: JsonObject | undefined): FileChange[] {
  const path = asObject(args)?.path
  if (typeof path !== 'string' || path === '') return []
  if (tool === 'delete') return [{ path, action: 'deleted' }]
  if (tool !== 'edit') return []
  const lines = { added: asCount(fields?.linesAdded), removed: asCount(fields?.linesRemoved) }
  return [{ path, action: 'modified', ...known(lines) }]
}

/** The lines of a `grep` result as the program prints them; undefined if the result has another form. */
function grepText({ workspaceResults, activeEditorResult }: JsonObject): string | undefined {
  const results = [...Object.values(asObject(workspaceResults) ?? {}), activeEditorResult]
  const lines = results.filter((result) => result !== undefined).map(resultLines)
  return lines.length > 0 && lines.every((each) => each !== undefined) ? lines.flat().join('\n') : undefined
}

function resultLines(result: unknown): readonly string[] | undefined {
  const { type, output } = asObject(result) ?? {}
  const { files, matches, counts, count, totalMatches, total } = asObject(output) ?? {}
  if (type === 'files' && Array.isArray(files)) return withMore(files.map(String), files.length, count)
  if (type === 'content' && Array.isArray(matches))
    return withMore(matches.flatMap(matchLines), matches.length, totalMatches)
  if (type === 'count' && Array.isArray(counts)) {
    const sum = counts.reduce((all: number, each) => all + Number(asObject(each)?.count ?? 0), 0)
    return withMore(
      counts.map((each) => `${asObject(each)?.file}:${asObject(each)?.count}`),
      sum,
      total,
    )
  }
  return undefined
}

/** `file:12:text` of a match, with the lines around it as `file-11-text`. */
function matchLines(match: unknown): string[] {
  const { file, line, lineNumber, beforeContext = [], afterContext = [] } = asObject(match) ?? {}
  const at = typeof lineNumber === 'number' ? lineNumber : undefined
  const before = Array.isArray(beforeContext) ? beforeContext : []
  const after = Array.isArray(afterContext) ? afterContext : []
  const place = (offset: number, mark: string) =>
    at === undefined ? `${file}${mark}` : `${file}${mark}${at + offset}${mark}`
  return [
    ...before.map((text, index) => `${place(index - before.length, '-')}${text}`),
    `${place(0, ':')}${line}`,
    ...after.map((text, index) => `${place(index + 1, '-')}${text}`),
  ]
}

function withMore(lines: string[], shown: number, total: unknown): string[] {
  return typeof total === 'number' && total > shown ? [...lines, `… ${total - shown} more`] : lines
}

/** The folders and files of an `ls` result, a path a line; undefined if the result has another form. */
export function treeText({ directoryTreeRoot }: JsonObject): string | undefined {
  const lines: string[] = []
  const left: unknown[] = [directoryTreeRoot]
  while (left.length > 0) {
    const { absPath, childrenDirs, childrenFiles, childrenWereProcessed, numFiles } =
      asObject(left.pop()) ?? {}
    if (typeof absPath !== 'string' || !Array.isArray(childrenDirs) || !Array.isArray(childrenFiles))
      return undefined
    lines.push(
      childrenWereProcessed === false ? `${absPath}/ (${numFiles} files, not listed)` : `${absPath}/`,
    )
    lines.push(...childrenFiles.map((file) => `${absPath}/${asObject(file)?.name}`))
    left.push(...childrenDirs.toReversed())
  }
  return lines.join('\n')
}

/** `mcp__server__tool`, as Claude Code names such tools. */
export function mcpToolName(server: unknown, tool: unknown): string {
  return ['mcp', server, tool].filter((part) => asText(part)).join('__')
}

// The part of `Run.conversation()` of `@cursor/sdk` 1.0 that is read (https://cursor.com/docs/sdk/typescript),
// described here so that the SDK is not a dependency. Turns have no ids, no times and no usage; call and result are one
// object.

/** One turn of a run: a prompt with the steps that followed, or a shell command of the user. */
export type ConversationTurn =
  | { readonly type: 'agentConversationTurn'; readonly turn: AgentConversationTurn }
  | { readonly type: 'shellConversationTurn'; readonly turn: ShellConversationTurn }
  /** From a newer SDK: read as far as it resembles one of the others. */
  | { readonly type: string; readonly turn?: unknown }

interface AgentConversationTurn {
  readonly userMessage?: { readonly text: string } | undefined
  readonly steps: readonly ConversationStep[]
}

interface ShellConversationTurn {
  readonly shellCommand?:
    | { readonly command: string; readonly workingDirectory?: string | undefined }
    | undefined
  readonly shellOutput?:
    | { readonly stdout: string; readonly stderr: string; readonly exitCode: number }
    | undefined
}

export type ConversationStep =
  | { readonly type: 'assistantMessage'; readonly message: { readonly text: string } }
  | {
      readonly type: 'thinkingMessage'
      readonly message: { readonly text: string; readonly thinkingDurationMs?: number | undefined }
    }
  | { readonly type: 'toolCall'; readonly message: ConversationToolCall }
  | { readonly type: string; readonly message?: unknown }

/** A tool call with its result, which is missing while the call runs. */
interface ConversationToolCall {
  /** `shell`, `write`, `delete`, `glob`, `grep`, `read`, `edit`, `ls`, `mcp`, `task`, …: any name is accepted. */
  readonly type: string
  readonly args?: unknown
  readonly result?:
    | { readonly status: 'success'; readonly value?: unknown }
    | { readonly status: 'error'; readonly error?: unknown }
    | { readonly status: string }
    | undefined
}
