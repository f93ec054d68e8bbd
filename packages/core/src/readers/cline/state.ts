import type { EventDraft, ToolKind } from '../../session/event.ts'
import { known } from '../../session/known.ts'
import { toolKindOf } from '../../tools/tool-kind.ts'
import type { EventPlace, SessionWriter } from '../reader/reader.ts'
import { createCallIds } from '../shared/call-ids.ts'

/** A tool call that has no result yet. */
export interface ClineCall {
  readonly callId: string
  readonly name: string
  readonly kind: ToolKind
  readonly input: unknown
  /** Set for calls whose text was written as an answer. */
  readonly isAnswer?: true
}

/** The state of reading Cline's files. */
export type ClineState = ReturnType<typeof createClineState>

/** The state at the beginning. */
export function createClineState(out: SessionWriter) {
  return {
    out,
    /** The agent of the current file. */
    agent: 'main',
    /** Whether the session itself is that of a subagent. */
    byAgent: false,
    /** Tasks given to subagents, by call id, as long as no file of a subagent has them. */
    tasks: new Map<string, string>(),
    /** Calls of the last response without a result, in order, each by its id in the log. */
    open: [] as { readonly id: string; readonly calls: readonly ClineCall[] }[],
    nameCall: createCallIds(),
    /** Texts of users, agents and the harness that were written, trimmed. */
    written: new Set<string>(),
    /** Lines of environment details that were written. */
    environment: new Set<string>(),
    model: undefined as string | undefined,
    time: undefined as string | undefined,
    /** Position of the current record, if it is not the one just read. */
    place: undefined as EventPlace | undefined,
    calls: 0,
  }
}

/** Writes an event at the time and position of the current record. */
export function write(state: ClineState, draft: EventDraft): void {
  const { agent, out, time, place } = state
  out.event({ agent, ...(time !== undefined && { time }), ...draft }, place)
}

/** Writes a text of the harness once; returns `false` if it was already written. */
export function writeContext(
  state: ClineState,
  origin: Extract<EventDraft, { type: 'context' }>['origin'],
  name: string,
  text: string,
): boolean {
  const key = text.trim()
  if (key === '' || state.written.has(key)) return false
  state.written.add(key)
  write(state, { type: 'context', origin, name, text: key })
  return true
}

/** Writes a message of the agent. */
export function writeWords(state: ClineState, text: string, phase?: 'final'): void {
  if (text.trim() === '') return
  state.written.add(text.trim())
  const { model } = state
  write(state, {
    type: 'assistant',
    text: text.trim(),
    ...known({ phase, model }),
  })
}

/** Writes a user message; in the file of a subagent, it is the task that another agent gave. */
export function writeUser(state: ClineState, text: string, images = 0): void {
  if (text.trim() === '' && images === 0) return
  state.written.add(text.trim())
  if (state.agent !== 'main' || state.byAgent) {
    write(state, { type: 'context', origin: 'agent', name: 'task', text: text.trim() })
    return
  }
  write(state, { type: 'user', origin: 'typed', text: text.trim(), ...(images > 0 && { images }) })
}

/** An id that no other call has. */
export function freshId(state: ClineState, reported: string | undefined): string {
  state.calls++
  return state.nameCall(reported, `call-${state.calls}`)
}

/** Kind of a tool of Cline, Roo or the SDK by its name. */
export function clineKind(name: string): ToolKind {
  if (/^(?:run_commands?|execute_commands?)$/.test(name)) return 'execute'
  if (/^(?:fileDeleted)$/.test(name)) return 'delete'
  if (/^(?:appliedDiff|insertContent|searchAndReplace)$/.test(name)) return 'edit'
  if (
    /^(?:listFilesTopLevel|listFilesRecursive|listCodeDefinitionNames|codebaseSearch|searchFiles)$/.test(name)
  )
    return 'search'
  return toolKindOf(name)
}
