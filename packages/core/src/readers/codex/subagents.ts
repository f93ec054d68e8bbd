import { asObject, asText, type JsonObject, parseJson } from '../../session/json-values.ts'
import type { WrittenCall } from '../shared/writer.ts'
import type { CodexState } from './state.ts'

/**
 * Notes the start and end of child threads that an answered call reports; their own messages are in their own files.
 */
export function noteChildren(state: CodexState, call: WrittenCall, output: string): void {
  const name = call.name.slice(call.name.lastIndexOf('.') + 1)
  if (!/^(?:spawn_agent|wait_agent|wait|close_agent)$/.test(name) || !output.startsWith('{')) return
  const answer = asObject(parseJson(output))
  if (answer === undefined) return
  if (name === 'spawn_agent') startChild(state, call, answer)
  if (name === 'wait_agent' || name === 'wait') {
    for (const [child, status] of Object.entries(asObject(answer.status) ?? {}))
      endChild(state, child, status)
  }
  const { id, target, agent_id } = asObject(call.input) ?? {}
  if (name === 'close_agent')
    endChild(state, asText(id) ?? asText(target) ?? asText(agent_id), answer.previous_status)
}

/** Reads `{"agent_path", "status"}` from a notification. */
export function noteNotification(state: CodexState, json: string): void {
  const { agent_id, agent_path, status } = asObject(parseJson(json)) ?? {}
  endChild(state, asText(agent_path) ?? asText(agent_id), status)
}

/** Reads the start or end of a child thread, as an item that names its thread and the call that started it. */
export function readActivity(state: CodexState, item: JsonObject): void {
  const child = asText(item.agent_thread_id)
  const path = asText(item.agent_path)
  state.out.absorb('subagent activity')
  if (child === undefined) return
  if (path !== undefined) state.children.threads.set(path, child)
  const call = state.called.get(asText(item.id) ?? '')
  if (item.kind === 'started' && call !== undefined)
    startChild(state, call, { agent_id: child, nickname: path })
  else endChild(state, child, item.kind)
}

/** Begins the rollout of a child thread, read after that of its parent. */
export function beginChild(state: CodexState, child: string, title: string | undefined): void {
  const { children, out } = state
  state.agent = child
  if (children.started.has(child)) return
  children.started.add(child)
  out.agent({ id: child, parent: 'main', title })
  out.event({ type: 'subagent_start', child })
}

export function endChildFile({ agent, children, out }: CodexState): void {
  if (agent === 'main' || children.ended.has(agent)) return
  children.ended.add(agent)
  out.event({ type: 'subagent_end', child: agent })
}

function startChild(state: CodexState, call: WrittenCall, answer: JsonObject): void {
  const reported = asText(answer.agent_id) ?? asText(answer.agent_path) ?? asText(answer.task_name)
  const child = state.children.threads.get(reported ?? '') ?? reported
  if (child === undefined || state.children.started.has(child)) return
  state.children.started.add(child)
  const { callId, input } = call
  const type = asText(asObject(input)?.agent_type)
  if (state.copied) state.write({ type: 'subagent_start', child, callId })
  else state.begin(child, { callId, type, title: asText(answer.nickname) })
}

/** A status such as `{"completed": "…"}` ends a child; `"running"` does not. */
function endChild(state: CodexState, reported: string | undefined, status: unknown): void {
  const { started, ended, threads } = state.children
  const child = threads.get(reported ?? '') ?? reported
  const word = asText(status) ?? Object.keys(asObject(status) ?? {})[0]
  if (word === undefined || !/^(?:completed|errored|shutdown|interrupted|closed)$/.test(word)) return
  if (child === undefined || !started.has(child) || ended.has(child)) return
  ended.add(child)
  state.end(child)
}
