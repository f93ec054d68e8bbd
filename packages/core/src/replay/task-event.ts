import type { EventId, FileChange, ToolKind, ToolResultEvent } from '../session/event.ts'

interface TaskEventBase {
  /** Distinguishes the event from all others of its timeline. An event that is added twice is recognised by it. */
  readonly id: string
  readonly text: string
  /** ISO 8601, UTC; missing if the agent wrote none. */
  readonly time?: string
  /** `main`, or the key of a subagent. */
  readonly agent: string
  /** The event's session. */
  readonly session?: string
  /**
   * It happened in an earlier run and is only shown again: nothing may be done because of it. `withReplay` sets it on
   * every event. @default false
   */
  readonly replayed?: boolean
  /** Number of the event in the session that it was read from. */
  readonly event?: EventId
  /** History that the session repeats from the one it continues. */
  readonly copied?: true
  /** `false` once a rewind took it out of the conversation. */
  readonly inContext?: false
}

/** A user message. */
export interface UserTaskEvent extends TaskEventBase {
  readonly type: 'user'
  /** Number of images in the message. */
  readonly images?: number
}

/** An agent's message. */
export interface AssistantTaskEvent extends TaskEventBase {
  readonly type: 'assistant'
  /** Model that answered, if the log says. */
  readonly model?: string
}

/**
 * A tool call began or goes on; the text is its arguments. If no `tool_summary` has its `callId`, it was running at the
 * end.
 */
export interface ToolProgressEvent extends TaskEventBase {
  readonly type: 'tool_progress'
  /** Ties it to the summary of the same call. */
  readonly callId: string
  /** Name of the tool. */
  readonly name: string
  /** What the tool does. */
  readonly kind?: ToolKind
}

/** A tool call ended; the text is its output. */
export interface ToolSummaryEvent extends TaskEventBase {
  readonly type: 'tool_summary'
  /** Ties it to the progress of the same call. */
  readonly callId: string
  /** Missing if the call itself was not seen. */
  readonly name?: string
  /** How the call ended. */
  readonly status: ToolResultEvent['status']
  /** Of a command, if the log reports it. */
  readonly exitCode?: number
  /** Files that the call changed. */
  readonly changes?: readonly FileChange[]
  /** Number of images in the result. */
  readonly images?: number
}

/** One step of a task as a client sees it: plain data, from a current or an earlier run. */
export type TaskEvent = UserTaskEvent | AssistantTaskEvent | ToolProgressEvent | ToolSummaryEvent

/** A task event of an earlier run. */
export type ReplayedEvent = TaskEvent & { readonly replayed: true }

/** Whether an event is from an earlier run. */
export function isReplayed<E extends { readonly replayed?: unknown }>(
  event: E,
): event is E & { readonly replayed: true } {
  return event.replayed === true
}
