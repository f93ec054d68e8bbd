import * as json from '../../session/json.ts'
import { byWord } from '../../tools/by-word.ts'
import { byKind } from '../shared/by-kind.ts'
import { countOf } from '../shared/usage.ts'
import { timeOfMillis } from '../shared/values.ts'
import { nextId, type ClineState as State, writeCall, writeResult, writeUser, writeWords } from './calls.ts'
import { splitUserText, writeEnvironment } from './history.ts'
import { uiKind } from './shapes.ts'

export const usageKinds = /^(?:api_req_started|subagent_usage|deleted_api_reqs)$/

export function readUiEntry(state: State, value: unknown): void {
  openEntry(state, value, (entry, kind, text) => {
    if (kind !== 'command_output') endCommand(state)
    if (usageKinds.test(kind)) readRequest(state, json.fields(json.parse(text)))
    else if (!readUiExtra(state, kind, entry) && !readTool(state, kind, text)) state.other(value, kind)
  })
}

export function openEntry(
  state: State,
  value: unknown,
  read: (entry: json.Fields, kind: string, text: string) => void,
): void {
  const entry = json.fields(value)
  const kind = uiKind(entry)
  state.time = timeOfMillis(entry.ts)
  state.model = json.text(entry.modelInfo, 'modelId') ?? state.model
  if (kind === undefined) state.other(value, 'entry')
  else read(entry, kind, textIn(entry))
}

export const readUiExtra = byKind<State>({
  'resume_task resume_completed_task command_output_request condense report_bug': 'question to the user',
  'auto_approval_max_req_reached interactive_app act_mode_respond': 'question to the user',
  'task user_feedback': (state, entry) => writeUser(state, textIn(entry), json.list(entry.images).length),
  'user_feedback_diff user_edit_todos subtask_result': readNotice,
  text: (state, entry) => writeWords(state, textIn(entry)),
  'completion_result plan_completion_result'(state, entry, kind) {
    const text = textIn(entry)
    if (entry.type === 'ask' && kind === 'completion_result') state.out.absorb('question to the user')
    else if (state.isNew(text)) writeWords(state, text, 'final')
    else state.out.absorb('repeated answer')
  },
  reasoning: (state, entry) => void state.think(textIn(entry)),
  // Uses `contextCondense` of Roo, otherwise the text.
  'condense_context sliding_window_truncation compaction summarize_task'(state, entry, kind) {
    if (entry.type === 'ask' && kind === 'summarize_task') return state.out.absorb('question to the user')
    const given = textIn(entry)
    const [parsed] = json.objects([entry.contextCondense, entry.contextTruncation, json.parse(given)])
    const text = json.text(parsed?.summary) ?? (parsed === undefined ? given : '')
    const trigger = kind === 'sliding_window_truncation' ? 'truncation' : undefined
    if (!state.isNew(text) && text !== '') state.out.absorb('repeated context')
    else state.compact(text, { trigger, tokensBefore: parsed?.prevContextTokens })
  },
  'checkpoint_created checkpoint_saved': 'checkpoint',
  'api_req_finished api_req_retried api_req_rate_limit_wait api_req_retry_delayed': 'state of a request',
  'mcp_server_request_started load_mcp_documentation': 'state of a request',
  // The agent's check list is written in full, since a task may be gone.
  'error error_retry diff_error clineignore_error rooignore_error condense_context_error task_progress':
    readNotice,
  'api_req_failed mistake_limit_reached command_permission_denied shell_integration_warning': readNotice,
  'shell_integration_warning_with_suggestion hook_output hook_output_stream hook_status': readNotice,
  'mcp_notification conditional_rules_applied info too_many_tools_warning': readNotice,
})

function textIn({ text }: json.Fields): string {
  return json.text(text) ?? ''
}

function readNotice(state: State, entry: json.Fields, kind: string): void {
  const origin = kind.startsWith('user_') ? 'attachment' : kind === 'subtask_result' ? 'agent' : 'harness'
  state.contextOnce(origin, kind, textIn(entry).trim())
}

function readRequest(state: State, parsed: json.Fields): void {
  countRequest(state, parsed)
  const parts = (json.text(parsed.request) ?? '').split(
    /\n\n(?=\[[a-zA-Z_]{2,60}[^\n]{0,2100}\] Result:|<environment_details>)/,
  )
  for (const { kind, name = 'result', text } of parts.flatMap(splitUserText)) {
    if (kind === 'environment') writeEnvironment(state, text)
    // The interface shows the output of a command before the model gets it.
    else if (kind === 'result' && state.waiting.some((open) => open.name === name))
      writeResult(state, { name }, [{ text }])
    else if (kind === 'attachment') state.contextOnce('attachment', name, text)
  }
  state.out.absorb('request')
}

/** Reads `{tokensIn, tokensOut, cacheWrites, cacheReads}`; input excludes the cache. */
export function countRequest(state: State, parsed: json.Fields): void {
  const { cacheReads, cacheWrites, streamingFailedMessage, tokensIn, tokensOut } = parsed
  state.requests++
  state.contextOnce('harness', 'request failed', json.text(streamingFailedMessage)?.trim())
  if (json.count(tokensIn) === undefined && json.count(tokensOut) === undefined) return
  const read = { inputTokens: countOf(0, tokensIn, cacheReads, cacheWrites), cacheReadTokens: cacheReads }
  state.usage(`request ${state.requests}`, {
    ...read,
    outputTokens: tokensOut,
    cacheWriteTokens: cacheWrites,
  })
}

const toolNames = byWord({
  write_to_file: 'newFileCreated',
  replace_in_file: 'editedExistingFile',
  apply_diff: 'appliedDiff',
  list_files: 'listFilesTopLevel listFilesRecursive',
})

const readTool = byKind<State, string>({
  tool(state, text) {
    const { tool, ...input } = json.fields(json.parse(text))
    const name = json.text(tool)
    if (name === undefined) return false
    const snake = name.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`)
    writeCall(state, undefined, toolNames.get(name) ?? snake, input)
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
  // Arguments are JSON, otherwise plain text, which gets a name.
  'followup use_subagents new_task'(state, text, kind) {
    const field = kind === 'followup' ? 'question' : 'context'
    const name = kind === 'followup' ? 'ask_followup_question' : kind
    writeCall(state, undefined, name, json.object(json.parse(text)) ?? { [field]: text })
  },
  subagent(state, text) {
    const last = state.waiting.at(-1)
    if (json.at(json.parse(text), 'status') === 'running') state.out.absorb('progress of a tool')
    else if (last === undefined) return false
    else writeResult(state, { id: last.id }, [{ text }])
  },
})

/** Ends the output of a command, at the first entry of another kind. */
export function endCommand(state: State): void {
  const { id, outputs = [] } = state.command ?? {}
  const text = outputs.join('\n').trim()
  state.command = undefined
  if (text !== '') writeResult(state, { id }, [{ text }])
}
