import * as json from '../../session/json.ts'
import type { TokenUsage } from '../../session/usage.ts'
import { byKind } from '../shared/by-kind.ts'
import { exceeding, isUnused, usageIn } from '../shared/usage.ts'
import { readCallEnd, readSearchEnd } from './calls.ts'
import { readAnswer, readThoughts, readUserParts } from './messages.ts'
import { readActivity, type CodexState as State } from './state.ts'

export const readEvent = byKind<State>({
  user_message(state, { images, local_images, message }) {
    if (typeof message !== 'string') return false
    readUserParts(state, [message], json.list(images).length + json.list(local_images).length, 'event')
  },
  agent_message: (state, { message, phase }) =>
    typeof message === 'string' && void readAnswer(state, message, phase, 'event'),
  'agent_reasoning agent_reasoning_raw_content': (state, { text }) =>
    typeof text === 'string' && void readThoughts(state, [text], 'event'),
  token_count: (state, { info }) => readTokenCount(state, info),
  'task_started turn_started'(state) {
    Object.assign(state, { hasTurns: true, working: false, abortNoted: false })
    return 'turn'
  },
  'task_complete turn_complete'(state, { last_agent_message }) {
    state.out.absorb('turn')
    const last = json.text(last_agent_message)
    if (last !== undefined) readAnswer(state, last, 'final_answer', 'turn-end')
    state.working = false
  },
  turn_aborted(state, { reason }, type) {
    if (state.abortNoted) state.out.absorb('turn')
    else state.context('harness', type, `turn aborted: ${json.text(reason) ?? 'no reason given'}`)
    Object.assign(state, { working: false, abortNoted: false })
  },
  'exec_command_end patch_apply_end mcp_tool_call_end dynamic_tool_call_response': readCallEnd,
  web_search_end: readSearchEnd,
  // Takes back the last turns; their records stay in the file.
  thread_rolled_back(state, { num_turns }) {
    const turns = json.count(num_turns)
    if (turns === undefined) return false
    state.rewind(turns)
  },
  item_completed: (state, { item }) => readView(state, json.fields(item)),
  // For `/review`, custom instructions are the user's words.
  entered_review_mode(state, { prompt, target, user_facing_hint }) {
    const text = json.at(target, 'type') === 'custom' ? json.text(target, 'instructions') : undefined
    if (text !== undefined) state.write({ type: 'user', origin: 'command', text })
    else state.context('harness', 'review', json.text(user_facing_hint) ?? json.text(prompt))
  },
  thread_name_updated: ({ meta }, { thread_name }) => meta({ title: json.text(thread_name) }),
  thread_settings_applied(state, { thread_settings }) {
    state.model = json.text(thread_settings, 'model') ?? state.model
    return 'thread settings'
  },
  'error warning stream_error undo_completed background_event': (state, { message }, type) =>
    typeof message === 'string' && void state.context('notification', type, message),
  guardian_assessment: (state, { rationale }, type) => void state.context('harness', type, rationale),
  context_compacted: 'compaction',
  thread_goal_updated: 'thread settings',
  exited_review_mode: 'review',
  sub_agent_activity: 'subagent activity',
  'view_image_tool_call dynamic_tool_call_request': 'repeated tool call',
  image_generation_end: 'repeated tool output',
  'agent_reasoning_section_break shutdown_complete': 'turn',
  session_configured: 'session metadata',
})

function readView(state: State, item: json.Fields): string | undefined {
  const { changes, content, id: call_id, phase, status, stderr, stdout, type } = item
  const texts = json.texts(json.list(content).map((part) => json.at(part, 'text')))
  const end = { call_id, status }
  // The end of a call as an item (0.169 and later), in the form of the earlier events.
  if (type === 'CommandExecution') {
    const { aggregated_output, command, exit_code } = item
    const more = { command: scriptOf(command), exit_code, aggregated_output }
    return readCallEnd(state, { type: 'exec_command_end', ...end, ...more })
  }
  if (type === 'FileChange')
    return readCallEnd(state, { type: 'patch_apply_end', ...end, changes, stdout, stderr })
  if (type === 'McpToolCall') {
    const { server, tool, result = null, error = '', arguments: input } = item
    const invocation = { server, tool, arguments: input }
    const outcome = result === null ? { Err: error ?? '' } : { Ok: result }
    return readCallEnd(state, { type: 'mcp_tool_call_end', ...end, invocation, result: outcome })
  }
  if (type === 'SubAgentActivity') readActivity(state, item)
  else if (type === 'UserMessage' && texts.length > 0) readUserParts(state, texts, 0, 'view')
  else if (type === 'AgentMessage' && texts.length > 0) readAnswer(state, texts.join('\n'), phase, 'view')
  return 'view of an item'
}

/** Returns the script of `["/bin/bash", "-lc", script]`. */
function scriptOf(command: unknown): unknown {
  const [shell, option, script, ...more] = json.list(command)
  const isShell =
    /(?:^|\/)(?:ba|z|da)?sh$/.test(json.text(shell) ?? '') && /^-l?c$/.test(json.text(option) ?? '')
  return isShell && script !== undefined && more.length === 0 ? script : command
}

/** Codex counts up over the thread and repeats itself, so the usage of a response is the growth of the total. */
function readTokenCount(state: State, info: unknown): string | false {
  const total = totalsOf(json.at(info, 'total_token_usage'))
  const last = totalsOf(json.at(info, 'last_token_usage'))
  const isNone = info === null || info === undefined
  if (!isNone && total === undefined && last === undefined) return false
  const growth = state.copied || isNone ? {} : growthOf(state, total, last)
  state.totals = total ?? state.totals
  if (isNone) return 'rate limits'
  if (state.copied) return 'usage of the copied history'
  if (isUnused(growth)) return 'repeated usage'
  state.usage(`${state.agent} ${++state.responses}`, growth)
  return 'usage'
}

function growthOf(state: State, total: TokenUsage | undefined, last: TokenUsage | undefined): TokenUsage {
  if (total === undefined) return last ?? {}
  const before = state.totals
  // Since 0.169 the counter of a child starts at 0.
  if (before === undefined) return state.forked && state.copy.until === undefined ? (last ?? {}) : total
  const fell = (name: keyof TokenUsage): boolean => (total[name] ?? 0) < (before[name] ?? 0)
  // The counter was reset: it shows the usage since then.
  if (fell('inputTokens') || fell('outputTokens')) return last ?? total
  return exceeding(total, before)
}

function totalsOf(counts: unknown): TokenUsage | undefined {
  const usage = usageIn(counts, 'codex')
  return Object.keys(usage).length === 0 ? undefined : usage
}
