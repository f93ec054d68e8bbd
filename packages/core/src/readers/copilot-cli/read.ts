import { asCount, asObject, asText, type JsonObject } from '../../session/json-values.ts'
import { known } from '../../session/known.ts'
import { byWord } from '../../tools/by-word.ts'
import type { LogRecord, SessionWriter } from '../reader/reader.ts'
import { readAssistant, readSystemPrompt, readUser } from './messages.ts'
import { readHookEnd, readNotice, readPermission } from './notices.ts'
import { agentOf, type CopilotState, createCopilotState, write, writeAnswer, writeOnce } from './state.ts'
import { readComplete, readStart, readUserCommand } from './tools.ts'
import {
  countCompaction,
  countResponse,
  noteUnread,
  readShutdown,
  readUsageRecord,
  startRun,
  usageOf,
} from './usage.ts'

export async function readCopilotCli(records: AsyncIterable<LogRecord>, out: SessionWriter): Promise<void> {
  const state = createCopilotState(out)
  for await (const record of records) readRecord(state, record)
  noteUnread(state)
}

function readRecord(state: CopilotState, { value }: LogRecord): void {
  const record = asObject(value)
  const type = asText(record?.type)
  const data = asObject(record?.data)
  state.time = asText(record?.timestamp)
  state.agent = 'main'
  if (record !== undefined && type !== undefined && data !== undefined) {
    state.agent = agentOf(state, record, data)
    const id = asText(record.id)
    if (id !== undefined && !state.turnsBefore.has(id)) state.turnsBefore.set(id, state.userTurns)
    if (readKnown(state, type, data)) return
  }
  write(state, { type: 'other', name: type ?? 'untyped', raw: value })
}

/** Kinds that say nothing lasting: what the interface showed, or what another record reports in full. */
const passing = byWord({
  turn: 'assistant.turn_start assistant.turn_end assistant.idle session.idle assistant.intent',
  'stream of a response':
    'assistant.message_delta assistant.message_start assistant.reasoning assistant.reasoning_delta assistant.streaming_delta',
  hook: 'hook.start hook.progress',
  settings:
    'session.mode_changed session.permissions_changed session.tools_updated session.remote_steerable_changed session.custom_agents_updated session.skills_loaded session.mcp_servers_loaded session.mcp_server_status_changed session.extensions_loaded session.background_tasks_changed session.usage_checkpoint session.usage_info session.context_changed session.commands_changed subagent.selected subagent.deselected subagent.configured pending_messages.modified session.plan_changed session.todos_changed',
  'compaction begins': 'session.compaction_start',
  'file of the workspace': 'session.workspace_file_changed session.workspace_file_created',
  'progress of a tool': 'tool.execution_progress tool.execution_partial_result',
  'question to the user':
    'permission.requested user_input.requested user_input.completed elicitation.requested elicitation.completed exit_plan_mode.requested exit_plan_mode.completed external_tool.requested external_tool.completed command.queued command.execute command.completed',
})

/** What reads the records of each kind; it returns `false` if their form is not known. */
const kinds = new Map<string, (state: CopilotState, data: JsonObject, type: string) => unknown>([
  ['session.start', readSessionStart],
  ['session.resume', readSessionStart],
  ['session.model_change', readModelChange],
  ['session.title_changed', readTitle],
  ['session.usage_record', readUsageRecord],
  ['session.shutdown', readShutdown],
  ['session.task_complete', readTaskComplete],
  ['session.compaction_complete', readCompaction],
  ['session.truncation', readTruncation],
  ['session.snapshot_rewind', readRewind],
  ['system.message', readSystemPrompt],
  ['user.message', readUser],
  ['assistant.message', readAssistant],
  ['assistant.usage', readUsage],
  ['tool.user_requested', readUserCommand],
  ['tool.execution_start', readStart],
  ['tool.execution_complete', readComplete],
  ['hook.end', readHookEnd],
  ['permission.completed', readPermission],
  ['subagent.started', readSubagent],
  ['subagent.completed', readSubagent],
  ['subagent.failed', readSubagent],
])

/** Returns `false` if the kind, or its form, is not known. */
function readKnown(state: CopilotState, type: string, data: JsonObject): boolean {
  const { out } = state
  const reason = passing.get(type)
  if (reason !== undefined) {
    out.absorb(reason)
    return true
  }
  const read = kinds.get(type)
  return read === undefined ? readNotice(state, type, data) : read(state, data, type) !== false
}

function readSessionStart(state: CopilotState, data: JsonObject): void {
  const context = asObject(data.context)
  state.model = asText(data.selectedModel) ?? state.model
  startRun(state)
  state.out.meta({
    id: asText(data.sessionId),
    agentVersion: asText(data.copilotVersion),
    cwd: asText(context?.cwd),
    branch: asText(context?.branch),
    commit: asText(context?.headCommit),
  })
  state.out.absorb('session metadata')
}

function readModelChange(state: CopilotState, data: JsonObject): void {
  state.model = asText(data.newModel) ?? state.model
  state.out.absorb('settings')
}

function readTitle({ out }: CopilotState, data: JsonObject): void {
  out.meta({ title: asText(data.title) })
  out.absorb('session metadata')
}

function readTruncation(state: CopilotState, data: JsonObject): void {
  writeCompaction(state, '', 'truncation', data.preTruncationTokensInMessages)
}

function readTaskComplete(state: CopilotState, data: JsonObject): boolean {
  if (typeof data.summary !== 'string') return false
  if (data.summary.trim() === '') state.out.absorb('empty answer')
  else writeAnswer(state, data.summary)
  return true
}

function readCompaction(state: CopilotState, data: JsonObject): void {
  countCompaction(state, data)
  const error = asText(asObject(data.error)?.message) ?? asText(data.error)
  if (data.success === false) {
    const text = `compaction failed${error === undefined ? '' : `: ${error}`}`
    writeOnce(state, { type: 'context', origin: 'harness', name: 'compaction', text }, 'repeated context')
  } else writeCompaction(state, asText(data.summaryContent) ?? '', undefined, data.preCompactionTokens)
}

function writeCompaction(
  state: CopilotState,
  text: string,
  trigger: string | undefined,
  tokens: unknown,
): void {
  const tokensBefore = asCount(tokens)
  write(state, {
    type: 'compaction',
    text,
    ...known({ trigger, tokensBefore }),
  })
}

/** The user went back to an event: it and everything after it left the conversation. */
function readRewind(state: CopilotState, data: JsonObject): void {
  const before = state.turnsBefore.get(asText(data.upToEventId) ?? '')
  if (before === undefined) {
    state.out.note('rewind-unknown', 'the session was rewound to an event that is not in the log')
    return
  }
  const turns = state.userTurns - before
  state.out.rewind(turns)
  write(state, { type: 'rewind', turns })
  state.userTurns = before
}

/** The whole usage of a response, which only some versions keep. */
function readUsage(state: CopilotState, data: JsonObject): void {
  const key = asText(data.apiCallId) ?? asText(data.messageId)
  if (key === undefined) state.out.absorb('usage without response')
  else {
    const { outputTokens: _, ...usage } = usageOf(data)
    countResponse(state, `input ${key}`, state.agent, asText(data.model) ?? state.model ?? 'unknown', usage)
    state.out.absorb('usage')
  }
}

function readSubagent(state: CopilotState, data: JsonObject, type: string): boolean {
  const callId = asText(data.toolCallId)
  if (callId === undefined) return false
  const child = state.agent === 'main' ? callId : state.agent
  const call = state.open.get(callId)?.at(-1)
  // The records of a subagent have its own id: the call shows who started it.
  const parent = state.parents.get(callId) ?? 'main'
  state.agent = parent
  if (type === 'subagent.started') {
    state.children.set(callId, child)
    const title = asText(asObject(call?.input)?.description) ?? asText(data.agentDisplayName)
    state.out.agent({ id: child, parent, callId, type: asText(data.agentName), title })
    write(state, { type: 'subagent_start', child, callId })
    return true
  }
  write(state, { type: 'subagent_end', child, callId })
  const error = asText(data.error) ?? asText(asObject(data.error)?.message)
  if (error !== undefined)
    write(state, { type: 'context', origin: 'notification', name: 'subagent failed', text: error })
  return true
}
