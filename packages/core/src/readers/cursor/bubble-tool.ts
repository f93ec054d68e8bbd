import type { FileChange } from '../../session/event.ts'
import * as json from '../../session/json.ts'
import { known } from '../../session/known.ts'
import { textOf } from '../../session/plain-value.ts'
import { parseShallow } from '../log/parse-line.ts'
import { changedRegion, diffCounts } from '../shared/diff-counts.ts'
import type { NewCall, Outcome } from '../shared/writer.ts'
import { mcpToolName, treeText } from './turn-events.ts'

type BubbleTool = NewCall & { readonly outcome: Outcome | undefined; readonly child: string | undefined }

interface ToolData extends Readonly<Record<'tool' | 'params' | 'result', json.Fields>> {
  readonly bare: string
  readonly edited: { readonly input?: json.Fields; readonly change?: FileChange }
}

export function bubbleTool(tool: json.Fields, contents: ReadonlyMap<string, string>): BubbleTool | undefined {
  const name = json.text(tool.name) ?? (typeof tool.tool === 'number' ? `tool_${tool.tool}` : undefined)
  if (name === undefined) return undefined
  const bare = name.replace(/_v\d+$/, '')
  const params = objectIn(tool.params)
  const result = objectIn(tool.result)
  const isEdit = /^(?:edit_file|search_replace|write|apply_patch)/.test(bare)
  const data = { tool, bare, params, result, edited: isEdit ? editOf(params, result, contents) : {} }
  const mcp = json.fields(json.list(params.tools)[0])
  return {
    id: tool.toolCallId,
    name: name === 'mcp' ? mcpToolName(mcp.serverName, mcp.name) : name,
    input: inputOf(data),
    child: json.text(tool.additionalData, 'subagentComposerId') ?? json.text(result.agentId),
    outcome: outcomeOf(data),
  }
}

function objectIn(value: unknown): json.Fields {
  return json.fields(typeof value === 'string' ? parseShallow(value) : value)
}

const ownFields =
  /^(?:toolCallId|parsingResult|requestedSandboxPolicy|charsLimit|noCodeblock|cloudAgentEdit|shouldSendBackLinterErrors|fileOutputThresholdBytes|relativeWorkspacePath|targetFile|effectiveUri)$/

/** Returns the arguments as the model wrote them, otherwise as completed by the editor, with the path under one name. */
function inputOf({ tool, bare, params, result, edited }: ToolData): unknown {
  const written = objectIn(tool.rawArgs)
  const raw = json.text(tool.rawArgs)
  const given = [written, params].map((fields) =>
    Object.entries(fields).filter(([name]) => !ownFields.test(name)),
  )
  const path = json.text(params.relativeWorkspacePath) ?? json.text(params.targetFile)
  const fields = given.find((entries) => entries.length > 0) ?? []
  // A patch may be raw text.
  if (fields.length === 0 && path === undefined && raw !== undefined && parseShallow(raw) === undefined)
    return raw
  return {
    ...known({ path }),
    ...Object.fromEntries(fields),
    ...edited.input,
    // Only the result has the whole list if the call merged into it.
    ...(bare === 'todo_write' && Array.isArray(result.finalTodos) && { todos: result.finalTodos }),
  }
}

function outcomeOf(data: ToolData): Outcome | undefined {
  const { tool, bare, params, result, edited } = data
  const ended = json.text(tool.status) ?? json.text(tool.additionalData, 'status')
  if (ended === 'loading' || ended === 'pending') return undefined
  const text = errorText(tool.error) ?? resultText(data)
  if (tool.userDecision === 'rejected' || result.rejected === true) return { status: 'denied', text }
  if (ended === 'cancelled') return { status: 'cancelled', text }
  const exitCode = /^run_terminal_c/.test(bare) ? exitCodeOf(result) : undefined
  const failed = ended === 'error' || result.error !== undefined || (exitCode ?? 0) !== 0
  const succeeded = ended === 'completed' || ended === 'success'
  const path = json.text(params.relativeWorkspacePath) ?? json.text(params.path)
  const deleted: FileChange[] = bare === 'delete_file' && path ? [{ path, action: 'deleted' }] : []
  const changes = [...deleted, ...(edited.change === undefined ? [] : [edited.change])]
  return { status: failed ? 'error' : succeeded ? 'ok' : 'unknown', text, exitCode, changes }
}

/** Returns a command's exit code. 0 is not written, but a running command has none either. */
function exitCodeOf(result: json.Fields): number | undefined {
  const { isRunningInBackground, notInterrupted, poppedOutIntoBackground } = result
  const isAway = isRunningInBackground === true || poppedOutIntoBackground === true
  const ended = 'output' in result && !isAway && notInterrupted === true
  return json.number(result.exitCodeV2) ?? json.number(result.exitCode) ?? (ended ? 0 : undefined)
}

function errorText(value: unknown): string | undefined {
  const error = json.fields(typeof value === 'string' ? (parseShallow(value) ?? { message: value }) : value)
  return json.texts([error.modelVisibleErrorMessage, error.clientVisibleErrorMessage, error.message])[0]
}

/** Hash of the empty text, which is used for a file that did not exist. */
const empty = 'composer.content.e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855'

/** Returns the change of an edit, by the contents that its result names, otherwise by its diff or arguments. */
function editOf(params: json.Fields, result: json.Fields, contents: ReadonlyMap<string, string>) {
  const path = json.text(params.relativeWorkspacePath)
  if (path === undefined) return {}
  const beforeId = json.text(result.beforeContentId) ?? empty
  const before = beforeId === empty ? '' : (contents.get(beforeId) ?? json.text(result.contentsBeforeEdit))
  const after = contents.get(json.text(result.afterContentId) ?? '') ?? json.text(result.contentsAfterEdit)
  if (before !== undefined && after !== undefined) {
    const { added, removed } = changedRegion(before.replace(/\n$/, ''), after.replace(/\n$/, ''))
    const action = before === '' ? 'created' : 'modified'
    const change = { path, action, added: added.length, removed: removed.length } as const
    return { input: { old_string: removed.join('\n'), new_string: added.join('\n') }, change }
  }
  const chunks = json.objects(result.diff, 'chunks')
  // The lines of a chunk are counted in its fields or in its text.
  const sum = (name: 'added' | 'removed', field: string): number =>
    chunks.reduce((total, { diffString, ...chunk }) => {
      const text = json.text(diffString) ?? ''
      const counts = diffCounts(text.startsWith('@@') ? text : `@@\n${text}`)
      return total + (json.count(chunk[field]) ?? counts?.[name] ?? 0)
    }, 0)
  const action: FileChange['action'] = result.fileWasCreated === true ? 'created' : 'modified'
  const lines = { added: sum('added', 'linesAdded'), removed: sum('removed', 'linesRemoved') }
  const streamed = json.text(params.streamingContent) ?? json.text(params.contentsAfterEdit)
  return {
    ...(streamed !== undefined && { input: { patch: streamed } }),
    ...(chunks.length > 0 && { change: { path, action, ...lines } }),
  }
}

const textFields = 'contents output outputRaw markdown text content stdout resultForModel result'.split(' ')

/** Fields without information: pointers, flags, and content of other events. */
const silentFields =
  /^(?:totalLinesInFile|numCharactersInRequestedRange|beforeContentId|afterContentId|contentsBeforeEdit|contentsAfterEdit|agentId|isBackground|isFinal|rejected|notInterrupted|exitCode|exitCodeV2|endedReason|resultingWorkingDirectory|effectiveSandboxPolicy|terminalInstanceId|isApplied|finalTodos|initialTodos|readyTaskIds|wasMerge|needsInProgressTodos)$/

function resultText({ tool, bare, result, params }: ToolData): string {
  if (Object.keys(result).length === 0) return textOf(tool.result).replace(/^\{\}$/, '')
  const [shown] = json.texts(textFields.map((name) => result[name]))
  const diff = json.texts(json.objects(result.diff, 'chunks').map(({ diffString }) => diffString)).join('\n')
  const own =
    bare === 'ask_question'
      ? answersText(result, params)
      : bare === 'glob_file_search'
        ? filesText(result)
        : shown === undefined
          ? (json.text(diff) ?? treeText(result))
          : unpackedText(shown)
  if (own !== undefined) return own
  const rest = Object.entries(result).filter(([name]) => !silentFields.test(name))
  return rest.length === 0 ? '' : textOf(Object.fromEntries(rest))
}

function unpackedText(text: string): string {
  if (!text.startsWith('{"content":[')) return text
  const texts = json.texts(json.objects(parseShallow(text), 'content').map((block) => block.text))
  return texts.length === 0 ? text : texts.join('\n')
}

/** Returns the answers by question id, in the form of other agents. */
function answersText(result: json.Fields, params: json.Fields): string | undefined {
  const questions = json.objects(params.questions)
  const answers = json.objects(result.answers).flatMap(({ questionId, selectedOptionIds, freeformText }) => {
    const options = json.objects(questions.find(({ id }) => id === questionId)?.options)
    const labelOf = (id: unknown): string =>
      json.text(options.find((each) => each.id === id)?.label) ?? textOf(id)
    const chosen = json.list(selectedOptionIds).map(labelOf)
    const words = [...chosen, ...json.texts([freeformText])]
    return words.length === 0 ? [] : [[textOf(questionId), words.join('; ')] as const]
  })
  return answers.length === 0 ? undefined : JSON.stringify({ answers: Object.fromEntries(answers) })
}

function filesText({ directories }: json.Fields): string | undefined {
  if (!Array.isArray(directories)) return undefined
  const paths = json.objects(directories).flatMap(({ absPath, files }) => {
    const names = json.objects(files).map(({ relPath }) => textOf(relPath))
    return names.map((name) => [json.text(absPath), name].filter(Boolean).join('/'))
  })
  return paths.join('\n')
}
