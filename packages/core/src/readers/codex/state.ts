import type { SourcePosition } from '../../session/event.ts'
import * as json from '../../session/json.ts'
import type { TokenUsage } from '../../session/usage.ts'
import type { SessionWriter } from '../reader/reader.ts'
import { type Change, createWriter, type WrittenCall } from '../shared/writer.ts'

export interface CodexCallEnd {
  readonly exitCode: number | undefined
  readonly failed: 'error' | 'denied' | undefined
  readonly changes: readonly Change[]
  readonly text: string
  readonly at: SourcePosition
  readonly call?: WrittenCall
}

export type CodexState = ReturnType<typeof createCodexState>

function createChildren() {
  return { started: new Set<string>(), ended: new Set<string>(), threads: new Map<string, string>() }
}

export function createCodexState(out: SessionWriter, children = createChildren()) {
  return Object.assign(createWriter(out), {
    children,
    file: 0,
    threadId: undefined as string | undefined,
    metas: 0,
    began: false,
    forked: false,
    isSubagent: false,
    /** Beginning of the file that repeats another session, while `copied` is set. */
    copy: { marked: false, last: Number.NaN, before: 0, until: undefined as number | undefined },
    hasTurns: false,
    working: false,
    abortNoted: false,
    /** How often each channel contained a text; a text occurs in up to four channels. */
    occurrences: new Map<string, Map<string, number>>(),
    called: new Map<string, WrittenCall>(),
    ends: new Map<string, CodexCallEnd>(),
    searches: new Map<string, number>(),
    /** Outputs of the calls that a script made, by the script's call id: the script's own output repeats them. */
    inner: new Map<string, string[]>(),
    totals: undefined as TokenUsage | undefined,
    responses: 0,
  })
}

/** Whether a text is a repetition: its n-th occurrence in a channel repeats the n-th in any other, whichever came first. */
export function isRepeat(state: CodexState, kind: string, channel: string, text: string): boolean {
  const key = `${kind}\n${text.trim()}`
  const counts = state.occurrences.get(key) ?? new Map<string, number>()
  state.occurrences.set(key, counts)
  const count = (counts.get(channel) ?? 0) + 1
  const elsewhere = [...counts].some(([other, times]) => other !== channel && times >= count)
  counts.set(channel, count)
  return elsewhere
}

export function noteChildren(state: CodexState, call: WrittenCall, output: string): void {
  const name = call.name.slice(call.name.lastIndexOf('.') + 1)
  if (!/^(?:spawn_agent|wait_agent|wait|close_agent)$/.test(name) || !output.startsWith('{')) return
  const answer = json.fields(json.parse(output))
  if (name === 'spawn_agent') startChild(state, call, answer)
  else if (name !== 'close_agent')
    for (const [child, status] of Object.entries(json.fields(answer.status))) endChild(state, child, status)
  else {
    const { id, target, agent_id } = json.fields(call.input)
    endChild(state, json.text(id) ?? json.text(target) ?? json.text(agent_id), answer.previous_status)
  }
}

export function noteNotification(state: CodexState, text: string): void {
  const { agent_id, agent_path, status } = json.fields(json.parse(text))
  endChild(state, json.text(agent_path) ?? json.text(agent_id), status)
}

export function readActivity(state: CodexState, item: json.Fields): void {
  const child = json.text(item.agent_thread_id)
  const path = json.text(item.agent_path)
  state.out.absorb('subagent activity')
  if (child === undefined) return
  if (path !== undefined) state.children.threads.set(path, child)
  const call = state.called.get(json.text(item.id) ?? '')
  if (item.kind === 'started' && call !== undefined)
    startChild(state, call, { agent_id: child, nickname: path })
  else endChild(state, child, item.kind)
}

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

function startChild(state: CodexState, { callId, input }: WrittenCall, answer: json.Fields): void {
  const { started, threads } = state.children
  const reported = json.text(answer.agent_id) ?? json.text(answer.agent_path) ?? json.text(answer.task_name)
  const child = threads.get(reported ?? '') ?? reported
  if (child === undefined || started.has(child)) return
  started.add(child)
  if (state.copied) state.write({ type: 'subagent_start', child, callId })
  else state.begin(child, { callId, type: json.text(input, 'agent_type'), title: json.text(answer.nickname) })
}

/** A status such as `{"completed": "…"}` ends a child; `"running"` does not. */
function endChild(state: CodexState, reported: string | undefined, status: unknown): void {
  const { started, ended, threads } = state.children
  const child = threads.get(reported ?? '') ?? reported
  const word = json.text(status) ?? Object.keys(json.fields(status))[0] ?? ''
  if (!/^(?:completed|errored|shutdown|interrupted|closed)$/.test(word)) return
  if (child === undefined || !started.has(child) || ended.has(child)) return
  ended.add(child)
  state.end(child)
}
