import { known } from '../../session/known.ts'
import type { AgentNode } from '../../session/session.ts'
import { asObject, asText, parseJson } from '../shared/json-values.ts'
import { type CodexCall, type CodexState, write } from './state.ts'

const tools = new Set(['spawn_agent', 'wait_agent', 'wait', 'close_agent'])

/**
 * Notes the start and end of child threads that an answered call reports; their own messages are in their own files.
 */
export function noteChildren(state: CodexState, call: CodexCall, output: string): void {
  if (!tools.has(call.name) || !output.startsWith('{')) return
  const answer = asObject(parseJson(output))
  if (answer === undefined) return
  if (call.name === 'spawn_agent') startChild(state, call, answer)
  if (call.name === 'wait_agent' || call.name === 'wait') {
    for (const [child, status] of Object.entries(asObject(answer.status) ?? {}))
      endChild(state, child, status)
  }
  if (call.name === 'close_agent') {
    const input = asObject(call.input)
    const child = asText(input?.id) ?? asText(input?.target) ?? asText(input?.agent_id)
    if (child !== undefined) endChild(state, child, answer.previous_status)
  }
}

/** Reads `{"agent_path", "status"}` from a notification. */
export function noteNotification(state: CodexState, json: string): void {
  const notification = asObject(parseJson(json))
  const child = asText(notification?.agent_path) ?? asText(notification?.agent_id)
  if (child !== undefined) endChild(state, child, notification?.status)
}

function startChild(state: CodexState, call: CodexCall, answer: Readonly<Record<string, unknown>>): void {
  const child = asText(answer.agent_id) ?? asText(answer.agent_path) ?? asText(answer.task_name)
  if (child === undefined || state.children.started.has(child)) return
  state.children.started.add(child)
  if (!state.copy.active) {
    const type = asText(asObject(call.input)?.agent_type)
    state.out.agent(
      known<AgentNode>({
        id: child,
        parent: 'main',
        callId: call.callId,
        type,
        title: asText(answer.nickname),
      }),
    )
  }
  write(state, { type: 'subagent_start', child, callId: call.callId })
}

/** A status such as `{"completed": "…"}` ends a child; `"running"` does not. */
function endChild(state: CodexState, child: string, status: unknown): void {
  const { started, ended } = state.children
  const word = asText(status) ?? Object.keys(asObject(status) ?? {})[0]
  if (word === undefined || !/^(?:completed|errored|shutdown|interrupted|closed)$/.test(word)) return
  if (!started.has(child) || ended.has(child)) return
  ended.add(child)
  write(state, { type: 'subagent_end', child })
}
