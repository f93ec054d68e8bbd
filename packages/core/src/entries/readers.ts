// Find and read logs, write a reader, and convert sessions to other formats.

export type {
  AtifExtra,
  AtifResult,
  AtifStep,
  AtifToolCall,
  AtifTrajectory,
} from '../convert/atif-trajectory.ts'
export { sessionToAtif } from '../convert/session-to-atif.ts'
export { type SessionMarkdownOptions, sessionToMarkdown } from '../convert/session-to-markdown.ts'
export { defaultReaders } from '../readers/default-readers.ts'
export type {
  CompanionFile,
  FoundLog,
  SkippedFile,
  SkippedFileCode,
  SkippedFolder,
} from '../readers/find/found-files.ts'
export { type OpenLog, type OpenLogOptions, openLog } from '../readers/open-log.ts'
export { listSessions } from '../readers/read-session.ts'
export {
  defineReader,
  type Framing,
  type LogHead,
  type LogRecord,
  type LogRow,
  type SessionListing,
  type SessionMeta,
  type SessionWriter,
} from '../readers/reader/reader.ts'
export { sessionToJsonl } from '../readers/tenfold.ts'
export type {
  AssistantEvent,
  CompactionEvent,
  ContextEvent,
  EventDraft,
  EventId,
  FileChange,
  OtherEvent,
  ReasoningEvent,
  RewindEvent,
  SourcePosition,
  SubagentEvent,
  ToolCallEvent,
  ToolKind,
  ToolResultEvent,
  UserEvent,
} from '../session/event.ts'
export { eventText } from '../session/event-text.ts'
export type { Recipe } from '../session/recipe.ts'
export type { AgentNode, LineAccount, LogFileInfo } from '../session/session.ts'
export type { UsageEntry } from '../session/usage.ts'
export {
  type AgentLogs,
  type AgentPlace,
  type RetentionRule,
  type SourceAgent,
  sourceAgents,
} from '../sources/agents.ts'
export { type AgentFinding, type AgentLog, findAgentLogs } from '../sources/find-agent-logs.ts'
export { measureSession, type SessionTokens, type TokenCategory } from '../tokens/measure-session.ts'
