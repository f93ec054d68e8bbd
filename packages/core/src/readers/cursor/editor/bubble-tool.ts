import type { FileChange, ToolKind } from '../../../session/event.ts'
import { asList, asNumber, asObject, asText, type JsonObject } from '../../../session/json-values.ts'
import { byWord } from '../../../tools/by-word.ts'
import { toolKindOf } from '../../../tools/tool-kind.ts'
import { parseShallow } from '../../log/parse-line.ts'
import type { Outcome } from '../../shared/outcome.ts'
import { mcpToolName } from '../mcp-tool-name.ts'
import { type EditedFile, editedFile } from './edited-file.ts'
import { resultText } from './tool-text.ts'

/** The call of a tool in a message, and how it ended. */
export interface BubbleTool {
  /** The id that the log gives it. */
  readonly id: string | undefined
  readonly name: string
  readonly kind: ToolKind
  readonly input: unknown
  /** `undefined` if it has no result yet. */
  readonly result: Outcome | undefined
  /** The conversation of the subagent that it started. */
  readonly child: string | undefined
}

/** Names of the editor's tools that no other agent has. */
const kinds = byWord<ToolKind>({
  search:
    'ripgrep_search ripgrep_raw_search glob_file_search semantic_search_full read_semsearch_files deep_search search_symbols go_to_definition',
  read: 'read_lints',
  fetch: 'fetch_pull_request',
  think: 'update_current_step',
})

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
  const kind = kinds.get(bare) ?? toolKindOf(bare)
  const mcp = asObject(asList(params.tools)[0])
  const input = inputOf(bare, tool, params, result, edited)
  return {
    id: asText(tool.toolCallId),
    name: name === 'mcp' ? mcpToolName(mcp?.serverName, mcp?.name) : name,
    kind,
    input,
    child: asText(asObject(tool.additionalData)?.subagentComposerId) ?? asText(result.agentId),
    result: resultOf(bare, tool, result, params, edited),
  }
}

function objectIn(value: unknown): JsonObject {
  return asObject(typeof value === 'string' ? parseShallow(value) : value) ?? {}
}

/** Fields of the arguments that the editor adds for itself. */
const ownFields =
  /^(?:toolCallId|parsingResult|requestedSandboxPolicy|charsLimit|noCodeblock|cloudAgentEdit|shouldSendBackLinterErrors|fileOutputThresholdBytes|relativeWorkspacePath|targetFile|effectiveUri)$/

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
  const given = Object.keys(asked).some((name) => !ownFields.test(name)) ? asked : params
  const kept = Object.entries(given).filter(([name]) => !ownFields.test(name))
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

function resultOf(
  bare: string,
  tool: JsonObject,
  result: JsonObject,
  params: JsonObject,
  edited: EditedFile | undefined,
): Outcome | undefined {
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
    exitCode,
    changes: failed ? undefined : changesOf(bare, params, edited),
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

function changesOf(bare: string, params: JsonObject, edited?: EditedFile): FileChange[] | undefined {
  const path = asText(params.relativeWorkspacePath) ?? asText(params.path)
  if (bare === 'delete_file' && path !== undefined) return [{ path, action: 'deleted' }]
  return edited?.change === undefined ? undefined : [edited.change]
}
