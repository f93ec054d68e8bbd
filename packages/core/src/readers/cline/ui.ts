import { asCount, asList, asObject, asText, type JsonObject, parseJson } from '../../session/json-values.ts'
import { timeOfMillis } from '../shared/time.ts'
import { byKind, countOf } from '../shared/writer.ts'
import {
  nextId,
  parsedInput,
  type ClineState as State,
  writeCall,
  writeContext,
  writeResult,
  writeUser,
  writeWords,
} from './calls.ts'
import { uiKind } from './documents.ts'
import { writeEnvironment } from './history.ts'
import { splitUserText } from './texts.ts'

/** Entries that hold usage: of a request, of subagents, and of requests whose entries are gone. */
export const usageKinds = /^(?:api_req_started|subagent_usage|deleted_api_reqs)$/

/** Reads one entry of `ui_messages.json` if the conversation itself is not available. */
export function readUiEntry(state: State, value: unknown): void {
  const entry = asObject(value)
  const kind = uiKind(entry)
  state.time = timeOfMillis(entry?.ts)
  if (entry === undefined || kind === undefined) {
    state.other(value, 'entry')
    return
  }
  state.model = asText(asObject(entry.modelInfo)?.modelId) ?? state.model
  if (kind !== 'command_output') endCommand(state)
  const text = asText(entry.text) ?? ''
  if (usageKinds.test(kind)) readRequest(state, asObject(parseJson(text)))
  else if (!readUiExtra(state, entry, kind) && !readTool(state, kind, text)) state.other(value, kind)
}

/** Reads a message, error or compaction that the conversation may lack. Returns `false` for all other entries. */
export function readUiExtra(state: State, entry: JsonObject, kind: string): boolean {
  return readSaid(state, kind, entry) || (entry.type === 'ask' && readAsked(state, kind, entry))
}

const readAsked = byKind<State>({
  'resume_task resume_completed_task command_output_request condense report_bug': 'question to the user',
  'auto_approval_max_req_reached interactive_app act_mode_respond': 'question to the user',
})

const readSaid = byKind<State>({
  'task user_feedback': (state, { images, text }) => writeUser(state, textIn(text), asList(images).length),
  'user_feedback_diff user_edit_todos': (state, { text }, kind) =>
    void writeContext(state, 'attachment', kind, textIn(text)),
  subtask_result: (state, { text }, kind) => void writeContext(state, 'agent', kind, textIn(text)),
  text: (state, { text }) => writeWords(state, textIn(text)),
  'completion_result plan_completion_result'(state, { text, type }, kind) {
    if (type === 'ask' && kind === 'completion_result') state.out.absorb('question to the user')
    else if (state.isNew(textIn(text))) writeWords(state, textIn(text), 'final')
    else state.out.absorb('repeated answer')
  },
  reasoning: (state, { text }) => void state.think(textIn(text)),
  'condense_context sliding_window_truncation compaction summarize_task': readCompaction,
  'checkpoint_created checkpoint_saved': 'checkpoint',
  'api_req_finished api_req_retried api_req_rate_limit_wait api_req_retry_delayed': 'state of a request',
  'mcp_server_request_started load_mcp_documentation': 'state of a request',
  // The agent's check list is written whole, since a task may be gone.
  'error error_retry diff_error clineignore_error rooignore_error condense_context_error task_progress':
    readNotice,
  'api_req_failed mistake_limit_reached command_permission_denied shell_integration_warning': readNotice,
  'shell_integration_warning_with_suggestion hook_output hook_output_stream hook_status': readNotice,
  'mcp_notification conditional_rules_applied info too_many_tools_warning': readNotice,
})

function textIn(text: unknown): string {
  return asText(text) ?? ''
}

function readNotice(state: State, { text }: JsonObject, kind: string): void {
  writeContext(state, 'harness', kind, textIn(text))
}

/** `contextCondense` of Roo, or the text. */
function readCompaction(state: State, entry: JsonObject, kind: string): void {
  if (entry.type === 'ask' && kind === 'summarize_task') {
    state.out.absorb('question to the user')
    return
  }
  const { contextCondense, contextTruncation } = entry
  const text = textIn(entry.text)
  const parsed = asObject(contextCondense) ?? asObject(contextTruncation) ?? asObject(parseJson(text))
  const summary = asText(parsed?.summary) ?? (parsed === undefined ? text : '')
  const trigger = kind === 'sliding_window_truncation' ? 'truncation' : undefined
  if (!state.isNew(summary) && summary !== '') state.out.absorb('repeated context')
  else
    state.write({
      type: 'compaction',
      text: summary,
      trigger,
      tokensBefore: asCount(parsed?.prevContextTokens),
    })
}

/** A request to the model: its usage, and in `request` the model's input. */
function readRequest(state: State, parsed: JsonObject | undefined): void {
  countRequest(state, parsed)
  const parts = textIn(parsed?.request).split(
    /\n\n(?=\[[a-zA-Z_]{2,60}[^\n]{0,2100}\] Result:|<environment_details>)/,
  )
  for (const piece of parts.flatMap(splitUserText)) {
    if (piece.kind === 'environment') writeEnvironment(state, piece.text)
    // The interface shows the output of a command before the model gets it.
    else if (piece.kind === 'result' && state.waiting.some(({ name }) => name === piece.tool))
      writeResult(state, { name: piece.tool }, [{ text: piece.text }])
    else if (piece.kind === 'attachment') writeContext(state, 'attachment', piece.name, piece.text)
  }
  state.out.absorb('request')
}

/** `{tokensIn, tokensOut, cacheWrites, cacheReads}`; input excludes the cache. */
export function countRequest(state: State, parsed: JsonObject = {}): void {
  const { cacheReads, cacheWrites, streamingFailedMessage, tokensIn, tokensOut } = parsed
  state.requests++
  writeContext(state, 'harness', 'request failed', textIn(streamingFailedMessage))
  if (asCount(tokensIn) === undefined && asCount(tokensOut) === undefined) return
  state.usage(`request ${state.requests}`, {
    inputTokens: countOf(0, tokensIn, cacheReads, cacheWrites),
    outputTokens: tokensOut,
    cacheReadTokens: cacheReads,
    cacheWriteTokens: cacheWrites,
  })
}

/** API names of tools that have other names in the interface. */
const toolNames: Readonly<Record<string, string>> = {
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
}

/** Calls as the interface shows them; their results are in the next request. */
const readTool = byKind<State, string>({
  tool(state, text) {
    const { tool, ...input } = asObject(parseJson(text)) ?? {}
    const name = asText(tool)
    if (name === undefined) return false
    writeCall(state, undefined, (Object.hasOwn(toolNames, name) && toolNames[name]) || name, input)
  },
  command(state, text) {
    const [command = '', ...outputs] = text.replace(/\n?REQ_APP$/, '').split('\nOutput:')
    state.command = { id: nextId(state), outputs }
    writeCall(state, undefined, 'execute_command', { command })
  },
  command_output(state, text) {
    if (state.command === undefined) return false
    state.command.outputs.push(text)
    state.out.absorb('output of a command')
  },
  followup: (state, text) => callOf(state, 'ask_followup_question', text, 'question'),
  'plan_mode_respond plan_mode_response': (state, text) =>
    writeWords(state, asText(asObject(parseJson(text))?.response) ?? text),
  use_mcp_server(state, text) {
    const parsed = asObject(parseJson(text))
    const name = [parsed?.serverName, parsed?.toolName].flatMap((part) => asText(part) ?? []).join('.')
    writeCall(state, undefined, name || 'use_mcp_tool', parsedInput(parsed?.arguments ?? parsed))
  },
  browser_action_launch: (state, url) =>
    writeCall(state, undefined, 'browser_action', { action: 'launch', url }),
  browser_action: (state, text, kind) => callOf(state, kind, text, 'action'),
  'use_subagents new_task': (state, text, kind) => callOf(state, kind, text, 'context'),
  'mcp_server_response browser_action_result codebase_search_result subagent': readUiResult,
})

/** A call whose arguments are JSON, or else the text under a name. */
function callOf(state: State, name: string, text: string, field: string): void {
  writeCall(state, undefined, name, asObject(parseJson(text)) ?? { [field]: text })
}

function readUiResult(state: State, text: string, kind: string): boolean {
  const parsed = asObject(parseJson(text))
  if (kind === 'subagent' && parsed?.status === 'running') {
    state.out.absorb('progress of a tool')
    return true
  }
  const last = state.waiting.at(-1)
  if (last === undefined) return false
  const isPicture = kind === 'browser_action_result' && parsed?.screenshot !== undefined
  const shown = isPicture ? [parsed?.currentUrl, parsed?.logs].flatMap((part) => asText(part) ?? []) : [text]
  writeResult(state, { id: last.id }, [{ text: shown.join('\n'), images: isPicture ? 1 : 0 }])
  return true
}

/** The output of a command ends with the first entry of another kind. */
export function endCommand(state: State): void {
  const { id, outputs = [] } = state.command ?? {}
  const text = outputs.join('\n').trim()
  state.command = undefined
  if (text !== '') writeResult(state, { id }, [{ text }])
}
