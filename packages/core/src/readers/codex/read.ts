import * as json from '../../session/json.ts'
import type { LogRecord, SessionWriter } from '../reader/reader.ts'
import { byKind } from '../shared/by-kind.ts'
import { flushEnds, readBuiltInCall, readCall, readResult, readWebSearch } from './calls.ts'
import { readEvent } from './events.ts'
import { readAgentMessage, readMessage, readReasoning, writeContext } from './messages.ts'
import { isBareMeta } from './shapes.ts'
import { beginChild, createCodexState, endChildFile, type CodexState as State } from './state.ts'

export async function readCodex(records: AsyncIterable<LogRecord>, out: SessionWriter): Promise<void> {
  let state = createCodexState(out)
  for await (const { value, file, line } of records) {
    if (file !== state.file) {
      finish(state)
      state = createCodexState(out, state.children)
    }
    state.file = file
    state.at = { file, line }
    readRecord(state, value)
  }
  finish(state)
}

function finish(state: State): void {
  state.time = undefined
  flushEnds(state)
  endCopy(state)
  endChildFile(state)
}

function readRecord(state: State, value: unknown): void {
  const record = json.object(value)
  const payload = json.object(record?.payload)
  const type = json.text(record?.type) ?? 'untyped'
  const { until } = state.copy
  state.time = json.text(record?.timestamp)
  if (until !== undefined && (json.count(record?.ordinal) ?? 0) >= until) endCopy(state)
  if (state.copied && state.agent !== 'main') {
    state.out.absorb('history of the parent thread')
    return
  }
  if (payload !== undefined) trackCopy(state, type, payload)
  if (record === undefined) state.other(value)
  else if (payload === undefined || record.type === undefined) {
    if (!readBare(state, record)) state.other(value, type)
  } else {
    if (type !== 'session_meta') state.began = true
    const kind = json.text(payload.type)
    if (!readWrapped(state, type, payload)) state.other(value, kind === undefined ? type : `${type}/${kind}`)
  }
}

const readWrapped = byKind<State>({
  session_meta: readMeta,
  turn_context(state, payload) {
    state.model = json.text(payload.model) ?? state.model
    state.out.meta({ cwd: json.text(payload.cwd) })
    state.out.absorb('turn settings')
  },
  response_item: (state, payload) => readItem(state, payload.type, payload),
  event_msg(state, payload) {
    if (json.text(payload.type)?.startsWith('collab_') !== true)
      return readEvent(state, payload.type, payload)
    state.out.absorb('subagent activity')
  },
  compacted: (state, { message }) => state.compact(message),
  // A snapshot of the harness's state, in which only AGENTS.md is text for the agent.
  world_state(state, payload) {
    const text = json.text(payload.state, 'agents_md', 'text')
    if (text === undefined) state.out.absorb('world state')
    else writeContext(state, { origin: 'attachment', name: 'AGENTS.md', text, standing: true })
  },
  inter_agent_communication: readAgentMessage,
  inter_agent_communication_metadata: 'subagent activity',
  token_usage_record: 'usage, as the count after it says',
})

const bareItems =
  /^(?:message|reasoning|function_call(?:_output)?|custom_tool_call(?:_output)?|local_shell_call|web_search_call)$/

function readBare(state: State, record: json.Fields): boolean {
  const type = json.text(record.type)
  if (record.record_type === 'state') state.out.absorb('state')
  else if (type !== undefined) return bareItems.test(type) && readItem(state, type, record)
  else if (isBareMeta(record)) readMeta(state, record)
  else return false
  return true
}

const readItem = byKind<State>({
  message: readMessage,
  reasoning: readReasoning,
  'function_call custom_tool_call': readCall,
  'local_shell_call tool_search_call image_generation_call': readBuiltInCall,
  web_search_call: readWebSearch,
  'function_call_output custom_tool_call_output tool_search_output': readResult,
  agent_message: readAgentMessage,
  additional_tools: 'definitions of tools',
  ghost_snapshot: 'git snapshot',
  'compaction context_compaction compaction_summary other': 'encrypted compaction',
})

/** The first one describes the file; one of a parent begins a copied history, and others are resumes. */
function readMeta(state: State, payload: json.Fields): void {
  const id = json.text(payload.id) ?? json.text(payload.session_id)
  state.metas++
  if (state.metas === 1) describe(state, id, payload)
  else if (state.metas === 2 && !state.began && (state.forked || id !== state.threadId)) beginCopy(state)
  state.out.absorb('session metadata')
}

function describe(state: State, id: string | undefined, payload: json.Fields): void {
  const { out } = state
  const { git, source } = payload
  const subagent = json.at(source, 'subagent')
  const spawn = json.fields(subagent, 'thread_spawn')
  const historyEnd = json.count(payload.subagent_history_start_ordinal) ?? 0
  const isSpawned = (json.object(subagent) ?? json.text(subagent)) !== undefined
  state.threadId = id
  state.forked = json.text(payload.forked_from_id) !== undefined
  state.isSubagent = isSpawned || payload.thread_source === 'subagent'
  if (historyEnd > 1) {
    state.copy.until = historyEnd
    beginCopy(state)
  }
  const type = json.text(spawn.agent_role) ?? json.text(subagent)
  const title = json.text(spawn.agent_nickname) ?? json.text(payload.agent_nickname)
  if (state.file > 0) {
    beginChild(state, id ?? `thread-${state.file}`, title)
    return
  }
  const parent = json.text(spawn.parent_thread_id)
  if (type !== undefined || title !== undefined) out.agent({ id: 'main', type, title, parent })
  const place = { branch: json.text(git, 'branch'), commit: json.text(git, 'commit_hash') }
  out.meta({ id, agentVersion: json.text(payload.cli_version), cwd: json.text(payload.cwd), ...place })
}

const marker = 'You are the newly spawned agent.'
// A copy is written within milliseconds; a longer pause is the new thread waiting for a model or the user.
const pauseMs = 500

function beginCopy(state: State): void {
  state.copied = true
  state.copy.before = state.events
}

/** Ends the copied history at the first turn after the marker, or otherwise at the first pause. */
function trackCopy(state: State, type: string, payload: json.Fields): void {
  const { copied, copy } = state
  if (!copied || copy.until !== undefined) return
  const time = Date.parse(state.time ?? '')
  if (time - copy.last > pauseMs || (copy.marked && payload.type === 'task_started')) {
    endCopy(state)
    return
  }
  if (!Number.isNaN(time)) copy.last = time
  const output = payload.type === 'function_call_output' ? payload.output : undefined
  const text = json.text(output) ?? json.text(output, 'content')
  if (type === 'response_item' && text?.startsWith(marker) === true) copy.marked = true
}

function endCopy(state: State): void {
  if (!state.copied) return
  const events = state.events - state.copy.before
  state.copied = false
  state.working = false
  if (events > 0)
    state.out.note('copied-history', `${events} events repeat the history of the parent session`)
}
