import type { EventDraft, EventId, SessionEvent } from '../../src/session/event.ts'
import type { AgentNode, Session } from '../../src/session/session.ts'

/**
 * A session from event drafts: numbered `e1`, `e2`, …, one line each, agent `main` if none is given, a new
 * turn with each user event, and one agent node per agent named.
 */
export function makeSession(drafts: readonly EventDraft[], overrides: Partial<Session> = {}): Session {
  const startedIn = new Map<string, number>()
  const agents = new Map<string, AgentNode>([['main', { id: 'main' }]])
  let turn = 0
  const events = drafts.map((draft, index): SessionEvent => {
    const agent = draft.agent ?? 'main'
    if (!agents.has(agent)) agents.set(agent, { id: agent, parent: 'main' })
    if (draft.type === 'user') turn += 1
    if (draft.type === 'subagent_start') {
      startedIn.set(draft.child, turn)
      const call = draft.callId === undefined ? {} : { callId: draft.callId }
      agents.set(draft.child, { id: draft.child, parent: agent, ...call })
    }
    const id: EventId = `e${index + 1}`
    return {
      ...draft,
      id,
      agent,
      turn: agent === 'main' ? turn : (startedIn.get(agent) ?? turn),
      source: { file: 0, line: index + 1 },
    } as SessionEvent
  })
  return {
    id: 'session-1',
    format: 'test',
    models: [],
    agents: [...agents.values()],
    events,
    usage: [],
    notes: [],
    source: {
      files: [{ name: 'log.jsonl', bytes: 0, sha256: '', lines: events.length }],
      bytes: 0,
      sha256: '',
      images: 0,
      account: { lines: events.length, events: events.length, other: 0, notes: 0, blank: 0, absorbed: [] },
    },
    ...overrides,
  }
}

/** Draft of a user message. */
export function user(text: string): EventDraft {
  return { type: 'user', origin: 'typed', text }
}

/** Draft of an answer of the agent. */
export function assistant(text: string): EventDraft {
  return { type: 'assistant', text }
}

/** Drafts of a tool call and its result, joined by a call id; `null` for a call without a result. */
export function toolCall(
  callId: string,
  name: string,
  input: unknown,
  result: Partial<Omit<Extract<EventDraft, { type: 'tool_result' }>, 'type' | 'callId'>> | null = {},
): EventDraft[] {
  const kind = ['Bash', 'shell', 'exec_command', 'local_shell'].includes(name)
    ? 'execute'
    : ['Edit', 'Write', 'MultiEdit', 'NotebookEdit', 'apply_patch'].includes(name)
      ? 'edit'
      : name === 'Read'
        ? 'read'
        : 'other'
  const call: EventDraft = { type: 'tool_call', callId, name, kind, input }
  if (result === null) return [call]
  return [call, { type: 'tool_result', callId, status: 'ok', text: '', ...result }]
}

/** Drafts of a shell command and its result, under the tool name `Bash`. */
export function shell(
  callId: string,
  command: string,
  text = '',
  result: { readonly status?: 'ok' | 'error' | 'denied' | 'cancelled'; readonly exitCode?: number } = {},
): EventDraft[] {
  return toolCall(callId, 'Bash', { command }, { text, ...result })
}
