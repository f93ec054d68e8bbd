import type { EventDraft, FileChange, SessionEvent, SourcePosition } from '../../session/event.ts'
import type { SessionWriter } from '../reader/reader.ts'

/** Token totals of a rollout, under Codex's own names. */
export type CodexTotals = Readonly<Record<string, number>>

/** A tool call that was already written. */
export interface CodexCall {
  readonly callId: string
  readonly name: string
  readonly input: unknown
}

/** An interface event's report about the end of a call before its output. */
export interface CodexCallEnd {
  readonly exitCode?: number
  readonly failed?: 'error' | 'denied'
  readonly changes?: readonly FileChange[]
  readonly text: string
  readonly at: SourcePosition
}

/** The child threads of a session; ids are those of threads, or paths if the log gives no others. */
export interface CodexChildren {
  readonly started: Set<string>
  readonly ended: Set<string>
  /** Thread ids by agent path. */
  readonly threads: Map<string, string>
}

/** The state of reading one rollout. */
export type CodexState = ReturnType<typeof createCodexState>

/** The state before the first record. */
export function createCodexState(
  out: SessionWriter,
  children: CodexChildren = { started: new Set(), ended: new Set(), threads: new Map() },
) {
  return {
    out,
    /** The agent of this rollout: a thread id if it is a child of the main one. */
    agent: 'main',
    at: { file: 0, line: 0 } as SourcePosition,
    time: undefined as string | undefined,
    model: undefined as string | undefined,
    /** Id of the thread, from the first session_meta. */
    threadId: undefined as string | undefined,
    metas: 0,
    /** Whether anything other than metadata was read. */
    began: false,
    forked: false,
    /** Whether another agent, not a human, writes the user messages. */
    isSubagent: false,
    /** Set if the beginning of the file repeats another session. */
    copy: {
      active: false,
      marked: false,
      last: Number.NaN,
      events: 0,
      until: undefined as number | undefined,
    },
    /** Whether task_started and task_complete mark the turns. */
    hasTurns: false,
    /** Whether the agent acted since its turn began. */
    working: false,
    abortNoted: false,
    /** Number of times each channel held a text; the same text is in up to four channels. */
    occurrences: new Map<string, Map<string, number>>(),
    contexts: new Set<string>(),
    calls: new Map<string, CodexCall>(),
    idUses: new Map<string, number>(),
    /** Calls without output by the id in the log, oldest first: redaction may give many calls the same id. */
    open: new Map<string, CodexCall[]>(),
    ends: new Map<string, CodexCallEnd>(),
    searches: new Map<string, number>(),
    children,
    /** Outputs of the calls that a script made, by the call id of the script: its own output repeats them. */
    inner: new Map<string, string[]>(),
    totals: undefined as CodexTotals | undefined,
    responses: 0,
  }
}

/** Writes an event with the time and copy mark of the current record. */
export function write(state: CodexState, draft: EventDraft, at?: SourcePosition): SessionEvent {
  const { agent, copy, time } = state
  if (copy.active) copy.events++
  return state.out.event(
    {
      agent,
      ...draft,
      ...(time !== undefined && { time }),
      ...(copy.active && { copied: true }),
    },
    at,
  )
}

/**
 * Whether a text of one channel was already in another one: its n-th occurrence in a channel repeats the n-th in any
 * other, no matter which came first.
 */
export function isRepeat(state: CodexState, kind: string, channel: string, text: string): boolean {
  const key = `${kind}\n${text.trim()}`
  const counts = state.occurrences.get(key) ?? new Map<string, number>()
  state.occurrences.set(key, counts)
  const count = (counts.get(channel) ?? 0) + 1
  const elsewhere = [...counts].some(([other, times]) => other !== channel && times >= count)
  counts.set(channel, count)
  return elsewhere
}
