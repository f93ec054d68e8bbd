import type { FileChange, ToolKind } from '../../../session/event.ts'
import {
  asCount,
  asList,
  asNumber,
  asObject,
  asText,
  type JsonObject,
  objectsIn,
} from '../../../session/json-values.ts'
import { textOf } from '../../../session/plain-value.ts'
import { toolKindOf } from '../../../tools/tool-kind.ts'
import { parseShallow } from '../../log/parse-line.ts'
import { changedRegion, diffCounts } from '../../shared/diff-counts.ts'
import type { Outcome } from '../../shared/writer.ts'
import { mcpToolName, treeText } from '../turn-events.ts'

/** The call of a tool in a message, and how it ended. */
interface BubbleTool {
  readonly id: string | undefined
  readonly name: string
  readonly kind: ToolKind
  readonly input: unknown
  /** `undefined` if it has no result yet. */
  readonly result: Outcome | undefined
  /** The conversation of the subagent that it started. */
  readonly child: string | undefined
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
  const mcp = asObject(asList(params.tools)[0])
  const input = inputOf(bare, tool, params, result, edited)
  return {
    id: asText(tool.toolCallId),
    name: name === 'mcp' ? mcpToolName(mcp?.serverName, mcp?.name) : name,
    kind: toolKindOf(bare),
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

interface EditedFile {
  /** The lines that changed, under the names that arguments of edits have. */
  readonly input?: JsonObject
  readonly change?: FileChange
}

/** Hash of the empty text, under which a file that did not exist is kept. */
const empty = 'composer.content.e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855'

/**
 * What an edit changed: between the contents that its result refers to, or otherwise from the diff in the result or the
 * text in the arguments.
 */
function editedFile(
  params: JsonObject,
  result: JsonObject,
  contents: ReadonlyMap<string, string>,
): EditedFile | undefined {
  const path = asText(params.relativeWorkspacePath)
  if (path === undefined) return undefined
  const before = asText(result.beforeContentId) ?? empty
  const [old, text] = [
    before === empty ? '' : (contents.get(before) ?? asText(result.contentsBeforeEdit)),
    contents.get(asText(result.afterContentId) ?? '') ?? asText(result.contentsAfterEdit),
  ]
  if (old !== undefined && text !== undefined) return betweenContents(path, old, text)
  const diff = fromDiff(path, result)
  const streamed = asText(params.streamingContent) ?? asText(params.contentsAfterEdit)
  return streamed === undefined ? diff : { input: { patch: streamed }, ...diff }
}

function betweenContents(path: string, before: string, after: string): EditedFile {
  const { added, removed } = changedRegion(before.replace(/\n$/, ''), after.replace(/\n$/, ''))
  const action = before === '' ? 'created' : 'modified'
  return {
    input: { old_string: removed.join('\n'), new_string: added.join('\n') },
    change: { path, action, added: added.length, removed: removed.length },
  }
}

/** The chunks of a result's diff, whose lines are counted there or in their text. */
function fromDiff(path: string, result: JsonObject): EditedFile | undefined {
  const chunks = objectsIn(asObject(result.diff)?.chunks)
  if (chunks.length === 0) return undefined
  const sum = (name: 'added' | 'removed', field: string): number =>
    chunks.reduce((total, chunk) => total + (asCount(chunk[field]) ?? countIn(chunk, name)), 0)
  const action = result.fileWasCreated === true ? 'created' : 'modified'
  return {
    change: { path, action, added: sum('added', 'linesAdded'), removed: sum('removed', 'linesRemoved') },
  }
}

function countIn({ diffString }: JsonObject, name: 'added' | 'removed'): number {
  const text = asText(diffString) ?? ''
  return diffCounts(text.startsWith('@@') ? text : `@@\n${text}`)?.[name] ?? 0
}

/** Fields that hold the text of a result, the first one that is there. */
const textFields = 'contents output outputRaw markdown text content stdout resultForModel result'.split(' ')

/** Fields that say nothing to a reader: pointers, flags, and what other events hold. */
const silentFields =
  /^(?:totalLinesInFile|numCharactersInRequestedRange|beforeContentId|afterContentId|contentsBeforeEdit|contentsAfterEdit|agentId|isBackground|isFinal|rejected|notInterrupted|exitCode|exitCodeV2|endedReason|resultingWorkingDirectory|effectiveSandboxPolicy|terminalInstanceId|isApplied|finalTodos|initialTodos|readyTaskIds|wasMerge|needsInProgressTodos)$/

/** The readable text of a tool's result: `raw` as the log has it, `result` as an object. */
function resultText(bare: string, raw: unknown, result: JsonObject, params: JsonObject): string {
  if (Object.keys(result).length === 0) return textOf(raw).replace(/^\{\}$/, '')
  if (bare === 'ask_question') return answersText(result, params)
  if (bare === 'glob_file_search') return filesText(result) ?? restText(result)
  const field = textFields.find((name) => asText(result[name]) !== undefined)
  if (field !== undefined) return unpackedText(textOf(result[field]))
  return diffText(result) ?? treeText(result) ?? restText(result)
}

/** What an MCP server returned, which is JSON with content blocks. */
function unpackedText(text: string): string {
  if (!text.startsWith('{"content":[')) return text
  const texts = objectsIn(asObject(parseShallow(text))?.content).flatMap((block) => asText(block.text) ?? [])
  return texts.length === 0 ? text : texts.join('\n')
}

/** The answers by the id of their question, as other agents report them. */
function answersText(result: JsonObject, params: JsonObject): string {
  const questions = objectsIn(params.questions)
  const answers = objectsIn(result.answers).flatMap(({ questionId, selectedOptionIds, freeformText }) => {
    const options = objectsIn(questions.find(({ id }) => id === questionId)?.options)
    const chosen = asList(selectedOptionIds).map(
      (id) => asText(options.find((each) => each.id === id)?.label) ?? textOf(id),
    )
    const words = [...chosen, asText(freeformText)].filter((part) => part !== undefined)
    return words.length === 0 ? [] : [[textOf(questionId), words.join('; ')] as const]
  })
  return answers.length === 0 ? restText(result) : JSON.stringify({ answers: Object.fromEntries(answers) })
}

/** The files that a pattern found, a path a line. */
function filesText(result: JsonObject): string | undefined {
  if (!Array.isArray(result.directories)) return undefined
  const paths = objectsIn(result.directories).flatMap(({ absPath, files }) =>
    objectsIn(files).map(({ relPath }) => [asText(absPath), textOf(relPath)].filter(Boolean).join('/')),
  )
  return paths.join('\n')
}

function diffText(result: JsonObject): string | undefined {
  const chunks = objectsIn(asObject(result.diff)?.chunks).flatMap((chunk) => asText(chunk.diffString) ?? [])
  return chunks.length === 0 ? undefined : chunks.join('\n')
}

function restText(result: JsonObject): string {
  const rest = Object.entries(result).filter(([name]) => !silentFields.test(name))
  return rest.length === 0 ? '' : textOf(Object.fromEntries(rest))
}
