import type { EventDraft } from '../../session/event.ts'
import { asText, type JsonObject } from '../../session/json-values.ts'
import type { TokenUsage } from '../../session/usage.ts'
import type { SessionWriter } from '../reader/reader.ts'
import { createCallIds } from '../shared/call-ids.ts'

/** A tool call, as far as its result needs it. */
interface CopilotCall {
  readonly callId: string
  readonly name: string
  readonly input: unknown
}

/** The state of reading a log of Copilot CLI. */
export type CopilotState = ReturnType<typeof createCopilotState>

/** The state at the beginning. */
export function createCopilotState(out: SessionWriter) {
  return {
    out,
    /** Calls without a result, oldest first, by their id in the log. */
    open: new Map<string, CopilotCall[]>(),
    nameCall: createCallIds(),
    /** Number of calls with an id that were requested, and how many of them began. */
    asked: new Map<string, { calls: number; begun: number }>(),
    /** Calls whose text was written as something else (`task_complete`, commands of the user). */
    hidden: new Map<string, 'answer' | 'command'>(),
    /** Agents that made a call, by its id. */
    parents: new Map<string, string>(),
    /** Agents by the tool call that started them. */
    children: new Map<string, string>(),
    /** Calls that the user refused. */
    denied: new Set<string>(),
    /** Texts of the harness and of answers that were written. */
    written: new Set<string>(),
    /** Lines of system prompts that were written. */
    systemLines: new Set<string>(),
    /** Number of user messages before each event, by its id. */
    turnsBefore: new Map<string, number>(),
    userTurns: 0,
    /** Usage of the responses since the session was started or resumed, by model. */
    run: new Map<string, TokenUsage>(),
    runs: 0,
    /** Usage of all responses, by model. */
    total: new Map<string, TokenUsage>(),
    /** Ids of the responses whose whole usage is recorded. */
    recorded: new Set<string>(),
    /** Responses without input tokens since the sums of a run were reported. */
    unread: 0,
    model: undefined as string | undefined,
    time: undefined as string | undefined,
    /** Agent of the current record. */
    agent: 'main',
  }
}

/** Writes an event with the agent and time of the current record. */
export function write(state: CopilotState, draft: EventDraft): void {
  const { out, time, agent } = state
  out.event({ agent, ...(time !== undefined && { time }), ...draft })
}

/** Writes text of the harness, once. */
export function writeOnce(
  state: CopilotState,
  draft: Extract<EventDraft, { type: 'context' }>,
  absorbed: string,
): void {
  const key = draft.text.trim()
  if (key === '' || state.written.has(key)) {
    state.out.absorb(absorbed)
    return
  }
  state.written.add(key)
  write(state, draft)
}

/** The agent of a record: older versions give only the call that started the agent. */
export function agentOf(state: CopilotState, record: JsonObject, data: JsonObject): string {
  const reported = asText(record.agentId)
  if (reported !== undefined) return reported
  const call = asText(data.parentToolCallId)
  return call === undefined ? 'main' : (state.children.get(call) ?? call)
}

/** The final answer of a task that the agent had to finish alone. */
export function writeAnswer(state: CopilotState, text: string, model?: string): void {
  const key = `answer ${text.trim()}`
  if (state.written.has(key)) {
    state.out.absorb('repeated answer')
    return
  }
  state.written.add(key)
  write(state, { type: 'assistant', text, phase: 'final', ...(model !== undefined && { model }) })
}
