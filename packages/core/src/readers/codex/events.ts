import type { ContextEvent } from '../../session/event.ts'
import { asCount, asList, asObject, asText, type JsonObject } from '../../session/json-values.ts'
import { byKind } from '../shared/writer.ts'
import { readCallEnd, readSearchEnd } from './calls.ts'
import { readAnswer, readThoughts, readUserParts, writeContext } from './messages.ts'
import { type CodexState, readActivity, type CodexState as State } from './state.ts'

/** Reads an `event_msg` by its type: what the interface showed. Most of it repeats items. */
export const readEvent = byKind<State>({
  user_message(state, { images, local_images, message }) {
    if (typeof message !== 'string') return false
    readUserParts(state, [message], asList(images).length + asList(local_images).length, 'event')
  },
  agent_message(state, { message, phase }) {
    if (typeof message !== 'string') return false
    readAnswer(state, message, phase, 'event')
  },
  'agent_reasoning agent_reasoning_raw_content'(state, { text }) {
    if (typeof text !== 'string') return false
    readThoughts(state, [text], 'event')
  },
  token_count: (state, { info }) => readTokenCount(state, info),
  'task_started turn_started'(state) {
    Object.assign(state, { hasTurns: true, working: false, abortNoted: false })
    state.out.absorb('turn')
  },
  'task_complete turn_complete'(state, { last_agent_message }) {
    state.out.absorb('turn')
    const last = asText(last_agent_message)
    if (last !== undefined) readAnswer(state, last, 'final_answer', 'turn-end')
    state.working = false
  },
  turn_aborted(state, { reason }, type) {
    if (state.abortNoted) state.out.absorb('turn')
    else state.context('harness', type, `turn aborted: ${asText(reason) ?? 'no reason given'}`)
    Object.assign(state, { working: false, abortNoted: false })
  },
  'exec_command_end patch_apply_end mcp_tool_call_end dynamic_tool_call_response': readCallEnd,
  web_search_end: readSearchEnd,
  // Takes back the last turns; their records stay in the file.
  thread_rolled_back(state, { num_turns }) {
    const turns = asCount(num_turns)
    if (turns === undefined) return false
    state.rewind(turns)
  },
  item_completed: (state, { item }) => readView(state, asObject(item) ?? {}),
  // `/review`: its custom instructions are the user's words.
  entered_review_mode(state, { prompt, target, user_facing_hint }) {
    const { instructions, type } = asObject(target) ?? {}
    const text = type === 'custom' ? asText(instructions) : undefined
    if (text !== undefined) state.write({ type: 'user', origin: 'command', text })
    else writeNotice(state, 'harness', 'review', asText(user_facing_hint) ?? asText(prompt) ?? '')
  },
  thread_name_updated({ out }, { thread_name }) {
    out.meta({ title: asText(thread_name) })
    out.absorb('session metadata')
  },
  thread_settings_applied(state, { thread_settings }) {
    state.model = asText(asObject(thread_settings)?.model) ?? state.model
    state.out.absorb('thread settings')
  },
  'error warning stream_error undo_completed background_event': (state, { message }, type) =>
    typeof message === 'string' && void writeNotice(state, 'notification', type, message),
  guardian_assessment: (state, { rationale }, type) =>
    writeNotice(state, 'harness', type, asText(rationale) ?? ''),
  context_compacted: 'compaction',
  thread_goal_updated: 'thread settings',
  exited_review_mode: 'review',
  sub_agent_activity: 'subagent activity',
  'view_image_tool_call dynamic_tool_call_request': 'repeated tool call',
  image_generation_end: 'repeated tool output',
  'agent_reasoning_section_break shutdown_complete': 'turn',
  session_configured: 'session metadata',
})

function writeNotice(state: State, origin: ContextEvent['origin'], name: string, text: string): void {
  if (text.trim() === '') state.out.absorb('empty message')
  else writeContext(state, { origin, name, text, standing: false })
}

/** A completed item of the user interface; texts and plans count if no other record has them. */
function readView(state: State, item: JsonObject): void {
  const { changes, content, id, phase, status, stderr, stdout, type } = item
  const texts = asList(content).flatMap((part) => asText(asObject(part)?.text) ?? [])
  const end = { call_id: id, status }
  // The end of a call that an item describes (0.169 and later), in the form of the earlier events.
  if (type === 'CommandExecution') {
    const { aggregated_output, command, exit_code } = item
    const more = { command: scriptOf(command), exit_code, aggregated_output }
    readCallEnd(state, { type: 'exec_command_end', ...end, ...more })
  } else if (type === 'FileChange')
    readCallEnd(state, { type: 'patch_apply_end', ...end, changes, stdout, stderr })
  else if (type === 'McpToolCall') {
    const { server, tool, result, error, arguments: input } = item
    const invocation = { server, tool, arguments: input }
    const outcome = result === undefined || result === null ? { Err: error ?? '' } : { Ok: result }
    readCallEnd(state, { type: 'mcp_tool_call_end', ...end, invocation, result: outcome })
  } else if (type === 'SubAgentActivity') readActivity(state, item)
  else if (type === 'UserMessage' && texts.length > 0) readUserParts(state, texts, 0, 'view')
  else if (type === 'AgentMessage' && texts.length > 0) readAnswer(state, texts.join('\n'), phase, 'view')
  else state.out.absorb('view of an item')
}

/** The script of `["/bin/bash", "-lc", script]`. */
function scriptOf(command: unknown): unknown {
  const words = asList(command)
  const isShell = words.length === 3 && /(?:^|\/)(?:ba|z|da)?sh$/.test(asText(words[0]) ?? '')
  return isShell && /^-l?c$/.test(asText(words[1]) ?? '') ? words[2] : command
}

type Totals = Readonly<Record<string, number>>

/** Codex's own names; the input already includes what was read from the cache. */
const fields = {
  inputTokens: 'input_tokens',
  outputTokens: 'output_tokens',
  cacheReadTokens: 'cached_input_tokens',
  cacheWriteTokens: 'cache_write_input_tokens',
  reasoningTokens: 'reasoning_output_tokens',
}

/**
 * Reads one token_count. Codex counts up over the whole thread and repeats itself, so a response's usage is the growth
 * of the total. The total of a copied history is only the starting value.
 */
function readTokenCount(state: CodexState, info: unknown): boolean {
  const { out } = state
  if (info === null || info === undefined) {
    out.absorb('rate limits')
    return true
  }
  const total = totalsOf(asObject(info)?.total_token_usage)
  const last = totalsOf(asObject(info)?.last_token_usage)
  if (total === undefined && last === undefined) return false
  if (state.copied) {
    state.totals = total ?? state.totals
    out.absorb('usage of the copied history')
    return true
  }
  const growth = growthOf(state, total, last)
  state.totals = total ?? state.totals
  if (Object.values(growth).every((count) => count === 0)) {
    out.absorb('repeated usage')
    return true
  }
  state.responses++
  state.usage(`${state.agent} ${state.responses}`, growth)
  out.absorb('usage')
  return true
}

function growthOf(state: CodexState, total: Totals | undefined, last: Totals | undefined): Totals {
  if (total === undefined) return last ?? {}
  const before = state.totals
  // Since 0.169 the counter of a child starts at 0.
  if (before === undefined) return state.forked && state.copy.until === undefined ? (last ?? {}) : total
  const fell = (name: string): boolean => (total[name] ?? 0) < (before[name] ?? 0)
  // The counter was reset: it shows what was billed since then.
  if (fell('inputTokens') || fell('outputTokens')) return last ?? total
  const growths = Object.entries(total).map(([name, count]) => [
    name,
    Math.max(0, count - (before[name] ?? 0)),
  ])
  return Object.fromEntries(growths)
}

function totalsOf(value: unknown): Totals | undefined {
  const usage = asObject(value)
  const counts = Object.entries(fields).flatMap(([name, field]): [string, number][] => {
    const count = asCount(usage?.[field])
    return count === undefined ? [] : [[name, count]]
  })
  return counts.length === 0 ? undefined : Object.fromEntries(counts)
}
