import type { FileChange, SourcePosition } from '../../session/event.ts'
import { asText, type JsonObject } from '../../session/json-values.ts'
import type { SessionWriter } from '../reader/reader.ts'
import { createWriter, type WrittenCall } from '../shared/writer.ts'

/** First line of the oldest rollouts: `{id, timestamp, instructions, git}`. */
export function isBareMeta(record: JsonObject): boolean {
  return (
    record.type === undefined &&
    asText(record.id) !== undefined &&
    asText(record.timestamp) !== undefined &&
    'instructions' in record
  )
}

/** An interface event's report about the end of a call before its output. */
export interface CodexCallEnd {
  readonly exitCode: number | undefined
  readonly failed: 'error' | 'denied' | undefined
  readonly changes: readonly FileChange[]
  readonly text: string
  readonly at: SourcePosition
  readonly call?: WrittenCall
}

export type CodexState = ReturnType<typeof createCodexState>

/** The child threads of a session; ids are those of threads, or paths if the log gives no others. */
function createChildren() {
  /** `threads` has thread ids by agent path. */
  return { started: new Set<string>(), ended: new Set<string>(), threads: new Map<string, string>() }
}

/** The state before the first record. The agent is a thread id if the rollout is of a child. */
export function createCodexState(out: SessionWriter, children = createChildren()) {
  return Object.assign(createWriter(out), {
    children,
    file: 0,
    /** Id of the thread, from the first session_meta. */
    threadId: undefined as string | undefined,
    metas: 0,
    /** Whether anything other than metadata was read. */
    began: false,
    forked: false,
    /** Whether another agent, not a human, writes the user messages. */
    isSubagent: false,
    /** The beginning of the file that repeats another session, while `copied` is set. */
    copy: { marked: false, last: Number.NaN, before: 0, until: undefined as number | undefined },
    /** Whether task_started and task_complete mark the turns. */
    hasTurns: false,
    /** Whether the agent acted since its turn began. */
    working: false,
    abortNoted: false,
    /** Number of times each channel held a text; the same text is in up to four channels. */
    occurrences: new Map<string, Map<string, number>>(),
    /** Calls by call id. */
    called: new Map<string, WrittenCall>(),
    /** Ends that the interface reported of calls that still have no output, by call id. */
    ends: new Map<string, CodexCallEnd>(),
    searches: new Map<string, number>(),
    /** Outputs of the calls that a script made, by the call id of the script: its own output repeats them. */
    inner: new Map<string, string[]>(),
    totals: undefined as Readonly<Record<string, number>> | undefined,
    responses: 0,
  })
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
