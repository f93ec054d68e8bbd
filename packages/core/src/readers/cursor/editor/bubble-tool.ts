import type { EventDraft, FileChange, ToolKind, ToolResultEvent } from '../../../session/event.ts'
import { asNumber, asObject, asText, type JsonObject } from '../../../session/json-values.ts'
import { known } from '../../../session/known.ts'
import { toolKindOf } from '../../../tools/tool-kind.ts'
import { parseShallow } from '../../log/parse-line.ts'
import { type EditedFile, editedFile } from './edited-file.ts'
import { resultText } from './tool-text.ts'

/** The call of a tool in a message, and how it ended. */
export interface BubbleTool {
  /** The id that the log gives it. */
  readonly id?: string
  readonly call: Omit<Extract<EventDraft, { type: 'tool_call' }>, 'callId'>
  /** `undefined` if it has no result yet. */
  readonly result?: Pick<ToolResultEvent, 'status' | 'text' | 'exitCode' | 'changes'>
  /** The conversation of the subagent that it started. */
  readonly child?: string
}

/** Names of the editor's tools that no other agent has. */
const kinds: Readonly<Record<string, ToolKind>> = {
  ripgrep_search: 'search',
  ripgrep_raw_search: 'search',
  glob_file_search: 'search',
  semantic_search_full: 'search',
  read_semsearch_files: 'search',
  deep_search: 'search',
  search_symbols: 'search',
  go_to_definition: 'search',
  read_lints: 'read',
  fetch_pull_request: 'fetch',
  update_current_step: 'think',
}

/**
 * Reads `toolFormerData`: arguments and results are JSON as text. `contents` has texts that the result refers to.
 * Returns `undefined` if no tool is named.
 */
export function bubbleTool(tool: JsonObject, contents: ReadonlyMap<string, string>): BubbleTool | undefined {
  const name = asText(tool.name) ?? (typeof tool.tool === 'number' ? `tool_${tool.tool}` : undefined)
  if (name === undefined) return undefined
  const bare = name.replace(/_v\d+$/, '')
  const params = objectIn(tool.params)
  const result = objectIn(tool.result)
  const edited = /^(?:edit_file|search_replace|write|apply_patch)/.test(bare)
    ? editedFile(params, result, contents)
    : undefined
  const kind = (Object.hasOwn(kinds, bare) && kinds[bare]) || toolKindOf(bare)
  const input = inputOf(bare, tool, params, result, edited)
  return {
    call: { type: 'tool_call', name: name === 'mcp' ? mcpName(params) : name, kind, input },
    ...known({
      id: asText(tool.toolCallId),
      child: asText(asObject(tool.additionalData)?.subagentComposerId) ?? asText(result.agentId),
      result: resultOf(bare, tool, result, params, edited),
    }),
  }
}

function objectIn(value: unknown): JsonObject {
  return asObject(typeof value === 'string' ? parseShallow(value) : value) ?? {}
}

/** Fields of the arguments that the editor adds for itself. */
const ownFields = new Set([
  'toolCallId',
  'parsingResult',
  'requestedSandboxPolicy',
  'charsLimit',
  'noCodeblock',
  'cloudAgentEdit',
  'shouldSendBackLinterErrors',
  'fileOutputThresholdBytes',
  'relativeWorkspacePath',
  'targetFile',
  'effectiveUri',
])

/**
 * The arguments as the model wrote them, or else as the editor completed them, with the path under one name and what an
 * edit changed.
 */
function inputOf(
  bare: string,
  tool: JsonObject,
  params: JsonObject,
  result: JsonObject,
  edited: EditedFile | undefined,
): unknown {
  const asked = objectIn(tool.rawArgs)
  const given = Object.keys(asked).some((name) => !ownFields.has(name)) ? asked : params
  const kept = Object.entries(given).filter(([name]) => !ownFields.has(name))
  const path = asText(params.relativeWorkspacePath) ?? asText(params.targetFile)
  const raw = asText(tool.rawArgs)
  // A patch may be written as it is.
  if (kept.length === 0 && path === undefined && raw !== undefined && parseShallow(raw) === undefined)
    return raw
  return {
    ...(path !== undefined && { path }),
    ...Object.fromEntries(kept),
    ...edited?.input,
    // Only the result has the whole list if the call merged into it.
    ...(bare === 'todo_write' && Array.isArray(result.finalTodos) && { todos: result.finalTodos }),
  }
}

/** `mcp__server__tool`, as Claude Code names such tools. */
function mcpName(params: JsonObject): string {
  const tool = asObject(Array.isArray(params.tools) ? params.tools[0] : undefined)
  const parts = [asText(tool?.serverName), asText(tool?.name)].filter((part) => part !== undefined)
  return ['mcp', ...parts].join('__')
}

function resultOf(
  bare: string,
  tool: JsonObject,
  result: JsonObject,
  params: JsonObject,
  edited: EditedFile | undefined,
): BubbleTool['result'] {
  const additional = asObject(tool.additionalData)
  const status = asText(tool.status) ?? asText(additional?.status)
  if (status === 'loading' || status === 'pending') return undefined
  const text = errorText(tool.error) ?? resultText(bare, tool.result, result, params)
  if (tool.userDecision === 'rejected' || result.rejected === true) return { status: 'denied', text }
  if (status === 'cancelled') return { status: 'cancelled', text }
  const exitCode = /^run_terminal_c/.test(bare) ? exitCodeOf(result) : undefined
  const failed = status === 'error' || result.error !== undefined || (exitCode ?? 0) !== 0
  return {
    status: failed ? 'error' : status === 'completed' || status === 'success' ? 'ok' : 'unknown',
    text,
    ...known({ exitCode, changes: failed ? undefined : changesOf(bare, params, edited) }),
  }
}

/** A command's exit code; 0 is not written, but a command that still runs has none either. */
function exitCodeOf(result: JsonObject): number | undefined {
  const code = asNumber(result.exitCodeV2) ?? asNumber(result.exitCode)
  if (code !== undefined) return Number.isSafeInteger(code) ? code : undefined
  const ended =
    'output' in result &&
    result.isRunningInBackground !== true &&
    result.poppedOutIntoBackground !== true &&
    result.notInterrupted === true
  return ended ? 0 : undefined
}

/** What the model was told of an error. */
function errorText(value: unknown): string | undefined {
  const error = asObject(typeof value === 'string' ? (parseShallow(value) ?? { message: value }) : value)
  return (
    asText(error?.modelVisibleErrorMessage) ??
    asText(error?.clientVisibleErrorMessage) ??
    asText(error?.message)
  )
}

function changesOf(
  bare: string,
  params: JsonObject,
  edited: EditedFile | undefined,
): FileChange[] | undefined {
  const path = asText(params.relativeWorkspacePath) ?? asText(params.path)
  if (bare === 'delete_file' && path !== undefined) return [{ path, action: 'deleted' }]
  return edited?.change === undefined ? undefined : [edited.change]
}
