import { asCount, asObject, asText, type JsonObject } from '../../session/json-values.ts'
import type { LogRecord, SessionWriter } from '../reader/reader.ts'
import { readBuiltInCall, readCall } from './calls.ts'
import { isBareMeta } from './detect.ts'
import { readEvent } from './events.ts'
import { beginCopy, endCopy, endCopyAt, trackCopy } from './fork.ts'
import { readAgentMessage, readMessage, readReasoning, writeContext } from './messages.ts'
import { flushEnds, readResult } from './results.ts'
import { type CodexState, createCodexState, write } from './state.ts'
import { beginChild, endChildFile } from './subagents.ts'

const opaqueItems = new Set([
  'compaction',
  'context_compaction',
  'compaction_summary',
  'ghost_snapshot',
  'other',
])
const bareItems = new Set([
  'message',
  'reasoning',
  'function_call',
  'function_call_output',
  'custom_tool_call',
  'custom_tool_call_output',
  'local_shell_call',
  'web_search_call',
])

export async function readCodex(records: AsyncIterable<LogRecord>, out: SessionWriter): Promise<void> {
  let state = createCodexState(out)
  for await (const record of records) {
    if (record.file !== state.at.file) {
      finish(state)
      state = createCodexState(out, state.children)
    }
    readRecord(state, record)
  }
  finish(state)
}

function finish(state: CodexState): void {
  state.time = undefined
  flushEnds(state)
  endCopy(state)
  endChildFile(state)
}

function readRecord(state: CodexState, { value, file, line }: LogRecord): void {
  state.at = { file, line }
  const record = asObject(value)
  const type = asText(record?.type)
  state.time = asText(record?.timestamp)
  endCopyAt(state, asCount(record?.ordinal))
  if (state.copy.active && state.agent !== 'main') {
    state.out.absorb('history of the parent thread')
    return
  }
  if (record === undefined) {
    write(state, { type: 'other', name: 'no-object', raw: value })
    return
  }
  const payload = asObject(record.payload)
  const isKnown =
    type !== undefined && payload !== undefined
      ? readWrapped(state, type, payload)
      : readBare(state, record, type)
  if (isKnown) return
  const kind = asText(payload?.type)
  const name = kind === undefined ? (type ?? 'untyped') : `${type ?? 'untyped'}/${kind}`
  write(state, { type: 'other', name, raw: value })
}

/** Reads a record of the wrapped era; returns `false` if its kind or form is not known. */
function readWrapped(state: CodexState, type: string, payload: JsonObject): boolean {
  trackCopy(state, type, payload)
  if (type !== 'session_meta') state.began = true
  switch (type) {
    case 'session_meta':
      readMeta(state, payload)
      return true
    case 'turn_context':
      state.model = asText(payload.model) ?? state.model
      state.out.meta({ cwd: asText(payload.cwd) })
      state.out.absorb('turn settings')
      return true
    case 'response_item':
      return readItem(state, payload)
    case 'event_msg':
      return readEvent(state, payload)
    case 'compacted':
      write(state, { type: 'compaction', text: asText(payload.message) ?? '' })
      return true
    case 'world_state':
      readWorld(state, payload)
      return true
    case 'inter_agent_communication':
      return readAgentMessage(state, payload)
    case 'inter_agent_communication_metadata':
      state.out.absorb('subagent activity')
      return true
    case 'token_usage_record':
      state.out.absorb('usage, as the count after it says')
      return true
  }
  return false
}

function readBare(state: CodexState, record: JsonObject, type: string | undefined): boolean {
  if (record.record_type === 'state') {
    state.out.absorb('state')
    return true
  }
  if (type !== undefined) return bareItems.has(type) && readItem(state, record)
  if (!isBareMeta(record)) return false
  readMeta(state, record)
  return true
}

/** What reads the items of each type; it returns `false` if their form is not known. */
const items = new Map<string, (state: CodexState, item: JsonObject) => unknown>([
  ['message', readMessage],
  ['reasoning', readReasoning],
  ['function_call', readCall],
  ['custom_tool_call', readCall],
  ['local_shell_call', readBuiltInCall],
  ['tool_search_call', readBuiltInCall],
  ['web_search_call', readBuiltInCall],
  ['image_generation_call', readBuiltInCall],
  ['function_call_output', readResult],
  ['custom_tool_call_output', readResult],
  ['tool_search_output', readResult],
  ['agent_message', readAgentMessage],
  ['additional_tools', ({ out }) => out.absorb('definitions of tools')],
])

function readItem(state: CodexState, item: JsonObject): boolean {
  const type = asText(item.type) ?? ''
  const read = items.get(type)
  if (read !== undefined) return read(state, item) !== false
  if (!opaqueItems.has(type)) return false
  state.out.absorb(type === 'ghost_snapshot' ? 'git snapshot' : 'encrypted compaction')
  return true
}

/**
 * The first session_meta describes the file; another one of a parent begins a copied history, all others are resumes.
 */
function readMeta(state: CodexState, payload: JsonObject): void {
  const { out } = state
  const id = asText(payload.id) ?? asText(payload.session_id)
  state.metas++
  if (state.metas === 1) describe(state, id, payload)
  else if (state.metas === 2 && !state.began && (state.forked || id !== state.threadId)) beginCopy(state)
  out.absorb('session metadata')
}

function describe(state: CodexState, id: string | undefined, payload: JsonObject): void {
  const { out } = state
  const git = asObject(payload.git)
  const source = asObject(asObject(payload.source)?.subagent)
  const subagent = source ?? asText(asObject(payload.source)?.subagent)
  state.threadId = id
  state.forked = asText(payload.forked_from_id) !== undefined
  state.isSubagent = subagent !== undefined || payload.thread_source === 'subagent'
  const spawn = asObject(source?.thread_spawn)
  const type = asText(spawn?.agent_role) ?? (typeof subagent === 'string' ? subagent : undefined)
  const historyEnd = asCount(payload.subagent_history_start_ordinal)
  if (historyEnd !== undefined && historyEnd > 1) {
    state.copy.until = historyEnd
    beginCopy(state)
  }
  const title = asText(spawn?.agent_nickname) ?? asText(payload.agent_nickname)
  if (state.at.file > 0) {
    beginChild(state, id ?? `thread-${state.at.file}`, title)
    return
  }
  if (type !== undefined || title !== undefined) out.agent({ id: 'main', type, title })
  out.meta({
    id,
    agentVersion: asText(payload.cli_version),
    cwd: asText(payload.cwd),
    branch: asText(git?.branch),
    commit: asText(git?.commit_hash),
  })
}

/** A snapshot of the harness's state; only AGENTS.md is text that the agent received. */
function readWorld(state: CodexState, payload: JsonObject): void {
  const file = asObject(asObject(payload.state)?.agents_md)
  const text = asText(file?.text)
  if (text === undefined) state.out.absorb('world state')
  else writeContext(state, { by: 'program', origin: 'attachment', name: 'AGENTS.md', text, standing: true })
}
