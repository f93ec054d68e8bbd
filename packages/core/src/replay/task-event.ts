import type { EventId, FileChange, ToolKind, ToolResultEvent } from '../session/event.ts'

interface TaskEventBase {
  /** Unique within the timeline; adding the same id again has no effect. */
  readonly id: string
  readonly text: string
  /** ISO 8601, UTC; absent if the agent wrote none. */
  readonly time?: string
  /** `main`, or the id of a subagent. */
  readonly agent: string
  /** The event's session. */
  readonly session?: string
  /**
   * The event is from an earlier run and only shown again: it must not trigger any action. `withReplay` sets it on
   * every event.
   * @default false
   */
  readonly replayed?: boolean
  /** Id of the event in its session. */
  readonly event?: EventId
  /** History that the session repeats from its parent session. */
  readonly copied?: true
  /** `false` if a rewind removed the event from the conversation. */
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
  /** Model that answered, if the log names it. */
  readonly model?: string
}

/**
 * A tool call began or continues; the text is its arguments. Without a `tool_summary` of the same `callId`, it was
 * still running at the end.
 */
export interface ToolProgressEvent extends TaskEventBase {
  readonly type: 'tool_progress'
  /** Shared with the summary of the call. */
  readonly callId: string
  /** Name of the tool. */
  readonly name: string
  /** What the tool does. */
  readonly kind?: ToolKind
}

/** A tool call ended; the text is its output. */
export interface ToolSummaryEvent extends TaskEventBase {
  readonly type: 'tool_summary'
  /** Shared with the progress of the call. */
  readonly callId: string
  /** Absent if the log has no call for it. */
  readonly name?: string
  /** How the call ended. */
  readonly status: ToolResultEvent['status']
  /** Exit code of a command, if the log reports it. */
  readonly exitCode?: number
  /** Files that the call changed. */
  readonly changes?: readonly FileChange[]
  /** Number of images in the result. */
  readonly images?: number
}

/** One step of a task as plain data, from a current or an earlier run. */
export type TaskEvent = UserTaskEvent | AssistantTaskEvent | ToolProgressEvent | ToolSummaryEvent

/** A task event of an earlier run. */
export type ReplayedEvent = TaskEvent & { readonly replayed: true }

/** Whether an event is from an earlier run. */
export function isReplayed<E extends { readonly replayed?: unknown }>(
  event: E,
): event is E & { readonly replayed: true } {
  return event.replayed === true
}
