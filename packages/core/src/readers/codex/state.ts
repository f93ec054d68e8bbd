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
export interface CodexState {
  readonly out: SessionWriter
  /** The agent of this rollout: a thread id if it is a child of the main one. */
  agent: string
  at: SourcePosition
  time: string | undefined
  model: string | undefined
  /** Id of the thread, from the first session_meta. */
  threadId: string | undefined
  metas: number
  /** Whether anything other than metadata was read. */
  began: boolean
  forked: boolean
  /** Whether another agent, not a human, writes the user messages. */
  isSubagent: boolean
  /** Set if the beginning of the file repeats another session. */
  copy: { active: boolean; marked: boolean; last: number; events: number; until?: number }
  /** Whether task_started and task_complete mark the turns. */
  hasTurns: boolean
  /** Whether the agent acted since its turn began. */
  working: boolean
  abortNoted: boolean
  /** Number of times each channel held a text; the same text is in up to four channels. */
  readonly occurrences: Map<string, Map<string, number>>
  readonly contexts: Set<string>
  readonly calls: Map<string, CodexCall>
  readonly idUses: Map<string, number>
  /** Calls without output by the id in the log, oldest first: redaction may give many calls the same id. */
  readonly open: Map<string, CodexCall[]>
  readonly ends: Map<string, CodexCallEnd>
  readonly searches: Map<string, number>
  readonly children: CodexChildren
  /** Outputs of the calls that a script made, by the call id of the script: its own output repeats them. */
  readonly inner: Map<string, string[]>
  totals: CodexTotals | undefined
  responses: number
}

/** The state before the first record. */
export function createCodexState(
  out: SessionWriter,
  children: CodexChildren = { started: new Set(), ended: new Set(), threads: new Map() },
): CodexState {
  return {
    out,
    agent: 'main',
    at: { file: 0, line: 0 },
    time: undefined,
    model: undefined,
    threadId: undefined,
    metas: 0,
    began: false,
    forked: false,
    isSubagent: false,
    copy: { active: false, marked: false, last: Number.NaN, events: 0 },
    hasTurns: false,
    working: false,
    abortNoted: false,
    occurrences: new Map(),
    contexts: new Set(),
    calls: new Map(),
    idUses: new Map(),
    open: new Map(),
    ends: new Map(),
    searches: new Map(),
    children,
    inner: new Map(),
    totals: undefined,
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
