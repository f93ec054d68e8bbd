import { asCount, asList, asObject, asText, type JsonObject, parseJson } from '../../session/json-values.ts'
import { known } from '../../session/known.ts'
import { byWord } from '../../tools/by-word.ts'
import { timeOfMillis } from '../shared/epoch-time.ts'
import { writeCall, writeResult } from './calls.ts'
import { uiKind } from './content.ts'
import { writeEnvironment } from './history.ts'
import { type ClineState, write, writeContext, writeUser, writeWords } from './state.ts'
import { splitUserText } from './user-text.ts'

/** Entries that the interface shows and the conversation holds elsewhere, or that are nobody's message. */
const passing = byWord({
  checkpoint: 'checkpoint_created checkpoint_saved',
  'question to the user':
    'ask:completion_result ask:resume_task ask:resume_completed_task ask:command_output_request ask:auto_approval_max_req_reached ask:condense ask:summarize_task ask:report_bug ask:interactive_app ask:act_mode_respond',
  'state of a request':
    'api_req_finished api_req_retried api_req_rate_limit_wait api_req_retry_delayed mcp_server_request_started load_mcp_documentation',
})
const errors = new Set(
  'error error_retry diff_error clineignore_error rooignore_error condense_context_error api_req_failed mistake_limit_reached command_permission_denied shell_integration_warning shell_integration_warning_with_suggestion hook_output hook_output_stream hook_status mcp_notification conditional_rules_applied info too_many_tools_warning'.split(
    ' ',
  ),
)
/** Entries that hold usage: of a request, of subagents, and of requests whose entries are gone. */
export const usageKinds = new Set(['api_req_started', 'subagent_usage', 'deleted_api_reqs'])
const compactions = new Set(['condense_context', 'sliding_window_truncation', 'compaction', 'summarize_task'])

/** Progress of a command while its output arrives. */
export interface UiReading {
  readonly state: ClineState
  command: { id: string; outputs: string[] } | undefined
  requests: number
}

/** Reads one entry of `ui_messages.json` if the conversation itself is not available. */
export function readUiEntry(reading: UiReading, value: unknown): void {
  const { state } = reading
  const entry = asObject(value)
  const kind = uiKind(entry)
  state.time = timeOfMillis(entry?.ts)
  if (entry === undefined || kind === undefined) {
    write(state, { type: 'other', name: 'entry', raw: value })
    return
  }
  state.model = asText(asObject(entry.modelInfo)?.modelId) ?? state.model
  if (kind !== 'command_output') endCommand(reading)
  const text = asText(entry.text) ?? ''
  if (usageKinds.has(kind)) {
    readRequest(reading, text, asText(asObject(parseJson(text))?.request))
    return
  }
  if (readUiExtra(reading, entry, kind) || readUiTool(reading, kind, text)) return
  write(state, { type: 'other', name: kind, raw: value })
}

/** Reads a message, error or compaction that the conversation may lack. Returns `false` for all other entries. */
export function readUiExtra(reading: UiReading, entry: JsonObject, kind: string): boolean {
  const { state } = reading
  const { out } = state
  const text = asText(entry.text) ?? ''
  const reason = passing.get(kind) ?? passing.get(`${asText(entry.type)}:${kind}`)
  if (reason !== undefined) {
    out.absorb(reason)
    return true
  }
  if (errors.has(kind)) {
    if (!writeContext(state, 'harness', kind, text)) out.absorb('repeated context')
    return true
  }
  if (compactions.has(kind)) {
    readCompaction(state, entry, kind, text)
    return true
  }
  switch (kind) {
    case 'task':
    case 'user_feedback':
      writeUser(state, text, asList(entry.images).length)
      out.absorb('empty message')
      return true
    case 'user_feedback_diff':
    case 'user_edit_todos':
      if (!writeContext(state, 'attachment', kind, text)) out.absorb('repeated context')
      return true
    case 'subtask_result':
      if (!writeContext(state, 'agent', kind, text)) out.absorb('repeated context')
      return true
    case 'task_progress':
      writeProgress(state, text)
      return true
    case 'text':
      writeWords(state, text)
      out.absorb('empty message')
      return true
    case 'completion_result':
    case 'plan_completion_result':
      if (!state.written.has(text.trim())) writeWords(state, text, 'final')
      out.absorb('empty message')
      return true
    case 'reasoning':
      if (text.trim() === '') out.absorb('encrypted reasoning')
      else write(state, { type: 'reasoning', text })
      return true
  }
  return false
}

/** `contextCondense` of Roo, or the text. */
function readCompaction(state: ClineState, entry: JsonObject, kind: string, text: string): void {
  const parsed =
    asObject(entry.contextCondense) ?? asObject(entry.contextTruncation) ?? asObject(parseJson(text))
  const summary = asText(parsed?.summary) ?? (parsed === undefined ? text : '')
  if (summary !== '' && state.written.has(summary.trim())) {
    state.out.absorb('repeated context')
    return
  }
  state.written.add(summary.trim())
  const tokensBefore = asCount(parsed?.prevContextTokens)
  const truncated = kind === 'sliding_window_truncation'
  write(state, {
    type: 'compaction',
    text: summary,
    ...(truncated && { trigger: 'truncation' }),
    ...(tokensBefore !== undefined && { tokensBefore }),
  })
}

/** Writes the agent's check list if it changed: whole, since a task may be gone. */
function writeProgress(state: ClineState, text: string): void {
  if (!writeContext(state, 'harness', 'task_progress', text)) state.out.absorb('repeated context')
}

/** A request to the model: its usage, and in `request` the model's input. */
function readRequest(reading: UiReading, text: string, request: string | undefined): void {
  const { state } = reading
  countRequest(reading, text)
  for (const part of (request ?? '').split(
    /\n\n(?=\[[a-zA-Z_]{2,60}[^\n]{0,2100}\] Result:|<environment_details>)/,
  )) {
    for (const piece of splitUserText(part)) {
      if (piece.kind === 'environment') writeEnvironment(state, piece.text)
      else if (piece.kind === 'result' && isOpen(state, piece.tool))
        writeResult(state, { name: piece.tool }, [{ text: piece.text }])
      else if (piece.kind === 'attachment') writeContext(state, 'attachment', piece.name, piece.text)
    }
  }
  state.out.absorb('request')
}

/** Whether a command waits for its output: the interface shows it before the model gets it. */
function isOpen(state: ClineState, name: string): boolean {
  return state.open.some(({ calls }) => calls[0]?.name === name)
}

/** `{tokensIn, tokensOut, cacheWrites, cacheReads}`; input excludes the cache. */
export function countRequest(reading: UiReading, text: string): void {
  const { state } = reading
  const parsed = asObject(parseJson(text))
  reading.requests++
  const failure = asText(parsed?.streamingFailedMessage)
  if (failure !== undefined) writeContext(state, 'harness', 'request failed', failure)
  const input = asCount(parsed?.tokensIn)
  const outputTokens = asCount(parsed?.tokensOut)
  const cacheReadTokens = asCount(parsed?.cacheReads)
  const cacheWriteTokens = asCount(parsed?.cacheWrites)
  if (input === undefined && outputTokens === undefined) return
  const inputTokens = (input ?? 0) + (cacheReadTokens ?? 0) + (cacheWriteTokens ?? 0)
  state.out.usage(`request ${reading.requests}`, 'main', state.model ?? 'unknown', {
    inputTokens,
    ...known({ outputTokens, cacheReadTokens, cacheWriteTokens }),
  })
}

/** API names of tools that have other names in the interface. */
const toolNames = new Map(
  Object.entries({
    readFile: 'read_file',
    newFileCreated: 'write_to_file',
    editedExistingFile: 'replace_in_file',
    appliedDiff: 'apply_diff',
    listFilesTopLevel: 'list_files',
    listFilesRecursive: 'list_files',
    listCodeDefinitionNames: 'list_code_definition_names',
    searchFiles: 'search_files',
    codebaseSearch: 'codebase_search',
    webFetch: 'web_fetch',
    webSearch: 'web_search',
    updateTodoList: 'update_todo_list',
  }),
)

/** Calls as the interface shows them; their results are in the next request. */
function readUiTool(reading: UiReading, kind: string, text: string): boolean {
  const { state } = reading
  switch (kind) {
    case 'tool': {
      const parsed = asObject(parseJson(text))
      const tool = asText(parsed?.tool)
      if (parsed === undefined || tool === undefined) return false
      const { tool: _, ...input } = parsed
      writeCall(state, undefined, toolNames.get(tool) ?? tool, input)
      return true
    }
    case 'command': {
      const command = text.replace(/\n?REQ_APP$/, '')
      const [line = '', ...output] = command.split('\nOutput:')
      const id = `call-${state.calls + 1}`
      writeCall(state, undefined, 'execute_command', { command: line })
      reading.command = { id, outputs: output }
      return true
    }
    case 'command_output':
      if (reading.command === undefined) return false
      reading.command.outputs.push(text)
      state.out.absorb('output of a command')
      return true
    case 'followup':
      writeCall(state, undefined, 'ask_followup_question', asObject(parseJson(text)) ?? { question: text })
      return true
    case 'plan_mode_respond':
    case 'plan_mode_response':
      writeWords(state, asText(asObject(parseJson(text))?.response) ?? text)
      state.out.absorb('empty message')
      return true
    case 'use_mcp_server': {
      const parsed = asObject(parseJson(text))
      const name = [parsed?.serverName, parsed?.toolName].map(asText).filter((part) => part !== undefined)
      writeCall(
        state,
        undefined,
        name.join('.') || 'use_mcp_tool',
        parseArguments(parsed?.arguments ?? parsed),
      )
      return true
    }
    case 'mcp_server_response':
    case 'browser_action_result':
    case 'codebase_search_result':
    case 'subagent':
      return readUiResult(state, kind, text)
    case 'browser_action_launch':
      writeCall(state, undefined, 'browser_action', { action: 'launch', url: text })
      return true
    case 'browser_action':
      writeCall(state, undefined, 'browser_action', asObject(parseJson(text)) ?? { action: text })
      return true
    case 'use_subagents':
    case 'new_task':
      writeCall(state, undefined, kind, asObject(parseJson(text)) ?? { context: text })
      return true
  }
  return false
}

function parseArguments(value: unknown): unknown {
  return typeof value === 'string' ? (parseJson(value) ?? value) : value
}

function readUiResult(state: ClineState, kind: string, text: string): boolean {
  const parsed = asObject(parseJson(text))
  if (kind === 'subagent' && parsed?.status === 'running') {
    state.out.absorb('progress of a tool')
    return true
  }
  const last = state.open.at(-1)
  if (last === undefined) return false
  const screenshot = kind === 'browser_action_result' && parsed?.screenshot !== undefined
  const shown = screenshot ? [asText(parsed?.currentUrl), asText(parsed?.logs)] : [text]
  const plain = shown.filter((part) => part !== undefined).join('\n')
  writeResult(state, { id: last.id }, [{ text: plain, ...(screenshot && { images: 1 }) }])
  return true
}

/** The output of a command ends with the first entry of another kind. */
export function endCommand(reading: UiReading): void {
  const { state, command } = reading
  if (command === undefined) return
  reading.command = undefined
  const text = command.outputs.join('\n').trim()
  if (text !== '') writeResult(state, { id: command.id }, [{ text }])
}
