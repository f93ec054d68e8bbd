/** Number of an event as text, `e1` for the first. Bundles cite it as evidence. */
export type EventId = `e${number}`

/** Position of a record in the log. */
export interface SourcePosition {
  /** Index into `Session.source.files`. */
  readonly file: number
  /** Counted from 1. */
  readonly line: number
}

interface EventBase {
  readonly id: EventId
  /** Id of the agent in `Session.agents`; the one that the user talks to is `main`. */
  readonly agent: string
  /** 0 before the first user message, then one higher with each; a subagent's events have the turn that started it. */
  readonly turn: number
  /** ISO 8601, UTC. Events are in the order of the file, so times may step back. */
  readonly time?: string
  readonly source: SourcePosition
  /** History repeated from a parent session: read, but never counted or compressed again. */
  readonly copied?: true
  /** `false` if a rewind removed the event from the conversation. */
  readonly inContext?: false
}

/** A user message. `queued`: typed while the agent worked. `command`: arguments of a slash command. */
export interface UserEvent extends EventBase {
  readonly type: 'user'
  /** How the message came in. */
  readonly origin: 'typed' | 'queued' | 'command'
  /** As it was typed. */
  readonly text: string
  /** Number of images in the message. */
  readonly images?: number
}

/** Text that a program put into the conversation, often under the user's name. */
export interface ContextEvent extends EventBase {
  readonly type: 'context'
  /** `agent`: a task given by another agent; `output`: output of a command that the user ran. */
  readonly origin: 'system' | 'harness' | 'hook' | 'attachment' | 'notification' | 'output' | 'agent'
  /** Name of its file, hook or command. */
  readonly name?: string
  /** As the model was shown it. */
  readonly text: string
  /** Number of images with the text. */
  readonly images?: number
}

/** A message of the agent. */
export interface AssistantEvent extends EventBase {
  readonly type: 'assistant'
  /** Usually Markdown. */
  readonly text: string
  /** Model that wrote it, if the log names it. */
  readonly model?: string
  /** Set if the format distinguishes final answers from comments during the work. */
  readonly phase?: 'commentary' | 'final'
}

/** Reasoning of the agent, if the log shows it. */
export interface ReasoningEvent extends EventBase {
  readonly type: 'reasoning'
  /** The reasoning as recorded in the log; it may be a summary by the vendor. */
  readonly text: string
}

/** Kinds of the Agent Client Protocol, https://agentclientprotocol.com/protocol/tool-calls. */
export const toolKinds = [
  'read',
  'edit',
  'delete',
  'move',
  'search',
  'execute',
  'think',
  'fetch',
  'switch_mode',
  'other',
] as const

export type ToolKind = (typeof toolKinds)[number]

/** A call of a tool. */
export interface ToolCallEvent extends EventBase {
  readonly type: 'tool_call'
  /** Shared with the result of the call. */
  readonly callId: string
  /** Name of the tool, as the agent writes it. */
  readonly name: string
  /** What the tool does, regardless of its name. */
  readonly kind: ToolKind
  /** Parsed arguments; a string if the tool takes raw text (apply_patch). */
  readonly input: unknown
  /** Folder of the agent's shell at the call, if the log names it; only for commands. */
  readonly cwd?: string
  /** Branch of that folder; only on the first command after the log names another branch. */
  readonly branch?: string
  /** Model that made the call, if the log names it. */
  readonly model?: string
}

/** Lines that a tool reported to have added and removed in one file. */
export interface FileChange {
  /** Path as the tool reported it. */
  readonly path: string
  /** What happened to the file. */
  readonly action: 'created' | 'modified' | 'deleted' | 'renamed'
  /** Earlier path of a renamed file. */
  readonly from?: string
  /** Lines added, if reported. */
  readonly added?: number
  /** Lines removed, if reported. */
  readonly removed?: number
}

/** The result of a call. */
export interface ToolResultEvent extends EventBase {
  readonly type: 'tool_result'
  /** Id of the call that this result belongs to. */
  readonly callId: string
  /** `unknown` if neither the format nor the output shows how a command ended. */
  readonly status: 'ok' | 'error' | 'denied' | 'cancelled' | 'unknown'
  /** The text that the model was shown. */
  readonly text: string
  /** Exit code of a command, if the log reports it. */
  readonly exitCode?: number
  /** Files that the tool reports to have changed. */
  readonly changes?: readonly FileChange[]
  /** Number of images in the result. */
  readonly images?: number
}

/** Start or end of a subagent. */
export interface SubagentEvent extends EventBase {
  readonly type: 'subagent_start' | 'subagent_end'
  /** Id of the subagent in `Session.agents`. */
  readonly child: string
  /** The tool call that started the subagent. */
  readonly callId?: string
}

/** The agent's own compaction. Earlier events stay in the session. */
export interface CompactionEvent extends EventBase {
  readonly type: 'compaction'
  /** The summary, empty if the format hides it. */
  readonly text: string
  /** `auto`, `manual`, or the agent's own word. */
  readonly trigger?: string
  /** Tokens of the conversation before the compaction, if the log reports them. */
  readonly tokensBefore?: number
}

/** The user took back the last turns; their events have `inContext: false`. */
export interface RewindEvent extends EventBase {
  readonly type: 'rewind'
  /** Number of turns that were taken back. */
  readonly turns: number
}

/** A record of a kind that the reader does not know. */
export interface OtherEvent extends EventBase {
  readonly type: 'other'
  /** The record's type in the log. */
  readonly name: string
  /** The unchanged record. */
  readonly raw: unknown
}

/** One step of a session. The list is flat, append-only and numbered without gaps. */
export type SessionEvent =
  | UserEvent
  | ContextEvent
  | AssistantEvent
  | ReasoningEvent
  | ToolCallEvent
  | ToolResultEvent
  | SubagentEvent
  | CompactionEvent
  | RewindEvent
  | OtherEvent

export const eventTypes = [
  'user',
  'context',
  'assistant',
  'reasoning',
  'tool_call',
  'tool_result',
  'subagent_start',
  'subagent_end',
  'compaction',
  'rewind',
  'other',
] as const satisfies readonly SessionEvent['type'][]

/** Allows `undefined` for optional fields, as if they were not given. */
type Loose<T> = {
  readonly [K in keyof T]: Partial<Pick<T, K>> extends Pick<T, K> ? T[K] | undefined : T[K]
}

/** An event as a reader writes it, without a number. The kind of a tool defaults to that of its name. */
export type EventDraft = SessionEvent extends infer E
  ? E extends SessionEvent
    ? Loose<
        Omit<E, 'id' | 'turn' | 'source' | 'agent' | 'kind'> & { readonly agent?: string } & {
          readonly [Key in keyof E & 'kind']?: E[Key]
        }
      >
    : never
  : never

/** Returns the position of an event id in `Session.events`, or -1 if the text is not an event id. */
export function eventIndex(id: string): number {
  return /^e[1-9]\d{0,8}$/.test(id) ? Number(id.slice(1)) - 1 : -1
}
