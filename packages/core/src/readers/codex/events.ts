import type { ContextEvent } from '../../session/event.ts'
import { asCount, asList, asObject, asText, type JsonObject } from '../../session/json-values.ts'
import { byWord } from '../../tools/by-word.ts'
import { readAnswer, readThoughts, readUserParts, writeContext } from './messages.ts'
import { readCallEnd, readSearchEnd } from './results.ts'
import { type CodexState, write } from './state.ts'
import { readActivity } from './subagents.ts'
import { readTokenCount } from './usage.ts'

const views = byWord({
  compaction: 'context_compacted',
  'thread settings': 'thread_goal_updated',
  review: 'exited_review_mode',
  'subagent activity': 'sub_agent_activity',
  'repeated tool call': 'view_image_tool_call dynamic_tool_call_request',
  'repeated tool output': 'image_generation_end',
  turn: 'agent_reasoning_section_break shutdown_complete',
  'session metadata': 'session_configured',
})

/**
 * Reads an `event_msg`: what the interface showed. Most of it repeats items. Returns `false` if its kind is not known.
 */
export function readEvent(state: CodexState, payload: JsonObject): boolean {
  const { out } = state
  const type = asText(payload.type) ?? ''
  switch (type) {
    case 'user_message': {
      const images = asList(payload.images).length + asList(payload.local_images).length
      if (typeof payload.message !== 'string') return false
      readUserParts(state, [payload.message], images, 'event')
      return true
    }
    case 'agent_message':
      if (typeof payload.message !== 'string') return false
      readAnswer(state, payload.message, payload.phase, 'event')
      return true
    case 'agent_reasoning':
    case 'agent_reasoning_raw_content':
      if (typeof payload.text !== 'string') return false
      readThoughts(state, [payload.text], 'event')
      return true
    case 'token_count':
      return readTokenCount(state, payload.info)
    case 'task_started':
    case 'turn_started':
      state.hasTurns = true
      state.working = false
      state.abortNoted = false
      out.absorb('turn')
      return true
    case 'task_complete':
    case 'turn_complete': {
      out.absorb('turn')
      const last = asText(payload.last_agent_message)
      if (last !== undefined) readAnswer(state, last, 'final_answer', 'turn-end')
      state.working = false
      return true
    }
    case 'turn_aborted':
      state.working = false
      if (state.abortNoted) out.absorb('turn')
      else writeNotice(state, 'harness', type, `turn aborted: ${asText(payload.reason) ?? 'no reason given'}`)
      state.abortNoted = false
      return true
    case 'exec_command_end':
    case 'patch_apply_end':
    case 'mcp_tool_call_end':
    case 'dynamic_tool_call_response':
      readCallEnd(state, payload)
      return true
    case 'web_search_end':
      readSearchEnd(state, payload)
      return true
    case 'thread_rolled_back':
      return readRollback(state, payload)
    case 'item_completed':
      readView(state, asObject(payload.item))
      return true
    case 'entered_review_mode':
      readReview(state, payload)
      return true
    case 'thread_name_updated': {
      const title = asText(payload.thread_name)
      if (title !== undefined) out.meta({ title })
      out.absorb('session metadata')
      return true
    }
    case 'thread_settings_applied':
      state.model = asText(asObject(payload.thread_settings)?.model) ?? state.model
      out.absorb('thread settings')
      return true
    case 'error':
    case 'warning':
    case 'stream_error':
    case 'undo_completed':
    case 'background_event':
      if (typeof payload.message !== 'string') return false
      writeNotice(state, 'notification', type, payload.message)
      return true
    case 'guardian_assessment':
      writeNotice(state, 'harness', type, asText(payload.rationale))
      return true
  }
  if (type.startsWith('collab_')) out.absorb('subagent activity')
  else if (views.has(type)) out.absorb(views.get(type) ?? type)
  else return false
  return true
}

function writeNotice(
  state: CodexState,
  origin: ContextEvent['origin'],
  name: string,
  text: string | undefined,
): void {
  if (text === undefined || text.trim() === '') state.out.absorb('empty message')
  else writeContext(state, { by: 'program', origin, name, text, standing: false })
}

/** Takes back the last turns; their records stay in the file. */
function readRollback(state: CodexState, payload: JsonObject): boolean {
  const turns = asCount(payload.num_turns)
  if (turns === undefined) return false
  state.out.rewind(turns)
  write(state, { type: 'rewind', turns })
  return true
}

/** A completed item of the user interface; texts and plans count if no other record has them. */
function readView(state: CodexState, item: JsonObject | undefined): void {
  const end = item === undefined ? undefined : endOfItem(item)
  if (end !== undefined) {
    readCallEnd(state, end)
    return
  }
  if (item?.type === 'SubAgentActivity') {
    readActivity(state, item)
    return
  }
  const texts = asList(item?.content).flatMap((part) => asText(asObject(part)?.text) ?? [])
  if (item?.type === 'UserMessage' && texts.length > 0) readUserParts(state, texts, 0, 'view')
  else if (item?.type === 'AgentMessage' && texts.length > 0)
    readAnswer(state, texts.join('\n'), item.phase, 'view')
  else state.out.absorb('view of an item')
}

/** The end of a call that an item describes (0.169 and later), in the form of the earlier events. */
function endOfItem(item: JsonObject): JsonObject | undefined {
  const { id: call_id, status, changes } = item
  switch (item.type) {
    case 'CommandExecution': {
      const { command, exit_code, aggregated_output } = item
      return {
        type: 'exec_command_end',
        call_id,
        status,
        command: scriptOf(command),
        exit_code,
        aggregated_output,
      }
    }
    case 'FileChange':
      return { type: 'patch_apply_end', call_id, status, changes, stdout: item.stdout, stderr: item.stderr }
    case 'McpToolCall': {
      const { server, tool, result, error } = item
      const invocation = { server, tool, arguments: item.arguments }
      const outcome = result === undefined || result === null ? { Err: error ?? '' } : { Ok: result }
      return { type: 'mcp_tool_call_end', call_id, status, invocation, result: outcome }
    }
  }
  return undefined
}

/** The script of `["/bin/bash", "-lc", script]`. */
function scriptOf(command: unknown): unknown {
  const words = asList(command)
  const isShell = words.length === 3 && /(?:^|\/)(?:ba|z|da)?sh$/.test(asText(words[0]) ?? '')
  return isShell && /^-l?c$/.test(asText(words[1]) ?? '') ? words[2] : command
}

/** `/review`: its custom instructions are the user's words. */
function readReview(state: CodexState, payload: JsonObject): void {
  const target = asObject(payload.target)
  const instructions = target?.type === 'custom' ? asText(target.instructions) : undefined
  if (instructions !== undefined) write(state, { type: 'user', origin: 'command', text: instructions })
  else writeNotice(state, 'harness', 'review', asText(payload.user_facing_hint) ?? asText(payload.prompt))
}
