// Replay earlier runs as events of a task.

export type { ConversationTurn } from '../readers/cursor/turn-events.ts'
export { createEventLog, type EventLog, type EventLogOptions, type EventsAfter } from '../replay/event-log.ts'
export { liveOnly, liveSessionId, liveUrls } from '../replay/live-only.ts'
export { type ConversationRun, type RunLister, replayLatestRun, replayRun } from '../replay/replay-run.ts'
export { type ReplayOptions, replaySession } from '../replay/replay-session.ts'
export { type ServeEventsOptions, serveEvents } from '../replay/serve-events.ts'
export {
  type AssistantTaskEvent,
  isReplayed,
  type ReplayedEvent,
  type TaskEvent,
  type ToolProgressEvent,
  type ToolSummaryEvent,
  type UserTaskEvent,
} from '../replay/task-event.ts'
export { withReplay } from '../replay/with-replay.ts'
