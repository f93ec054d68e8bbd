/** Number of an event as text, `e1` for the first. Bundles cite it as evidence. */
export type EventId = `e${number}`

/** Position of a record: index into `Session.source.files`, and its line, counted from 1. */
export interface SourcePosition {
  /** Index into `Session.source.files`. */
  readonly file: number
  /** Counted from 1. */
  readonly line: number
}

interface EventBase {
  readonly id: EventId
  /** Key of the agent in `Session.agents`; the one that the user talks to is `main`. */
  readonly agent: string
  /** 0 before the first user message, then one higher with each; a subagent has the turn in which it was started. */
  readonly turn: number
  /** ISO 8601, UTC. File order is the order of events: times may step back. */
  readonly time?: string
  readonly source: SourcePosition
  /** History repeated from a parent session: read, but never counted or compressed again. */
  readonly copied?: true
  /** `false` once a rewind took it out of the conversation. */
  readonly inContext?: false
}

/** A user message. `queued`: typed while the agent worked. `command`: arguments of a slash command. */
export interface UserEvent extends EventBase {
  readonly type: 'user'
  /** How the message came in. */
  readonly origin: 'typed' | 'queued' | 'command'
  /** As it was typed. */
  readonly text: string
  /** Number of images in it. */
  readonly images?: number
}

/** Text that a program put into the conversation, often under the user's name. */
export interface ContextEvent extends EventBase {
  readonly type: 'context'
  /** `agent`: a task given by another agent; `output`: output of a command that the user ran. */
  readonly origin: 'system' | 'harness' | 'hook' | 'attachment' | 'notification' | 'output' | 'agent'
  /** Name of the file, hook or command that it came from. */
  readonly name?: string
  /** As the model was shown it. */
  readonly text: string
  /** Number of images in it. */
  readonly images?: number
}

/** What the agent said. */
export interface AssistantEvent extends EventBase {
  readonly type: 'assistant'
  /** In Markdown, mostly. */
  readonly text: string
  /** Model that said it, if the log says. */
  readonly model?: string
  /** Set if the format distinguishes final answers from comments during the work. */
  readonly phase?: 'commentary' | 'final'
}

/** What the agent thought, if the log shows it. */
export interface ReasoningEvent extends EventBase {
  readonly type: 'reasoning'
  /** As the log has it. */
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

/** What a tool does. */
export type ToolKind = (typeof toolKinds)[number]

/** A call of a tool. */
export interface ToolCallEvent extends EventBase {
  readonly type: 'tool_call'
  /** Ties it to its result. */
  readonly callId: string
  /** As the agent names the tool. */
  readonly name: string
  /** What the tool does, whatever its name is. */
  readonly kind: ToolKind
  /** Parsed arguments; a string if the tool takes raw text (apply_patch). */
  readonly input: unknown
  /** Folder of the agent's shell at the call, if the log says: of commands only. */
  readonly cwd?: string
  /** Branch of that folder: of the first command after the log names another one. */
  readonly branch?: string
  /** Model that made the call, if the log says. */
  readonly model?: string
}

/** Lines that a tool reported to have added and removed in one file. */
export interface FileChange {
  /** As the tool reported it. */
  readonly path: string
  /** What happened to the file. */
  readonly action: 'created' | 'modified' | 'deleted' | 'renamed'
  /** Its earlier path, if it was renamed. */
  readonly from?: string
  /** Lines added, if reported. */
  readonly added?: number
  /** Lines removed, if reported. */
  readonly removed?: number
}

/** The result of a call. */
export interface ToolResultEvent extends EventBase {
  readonly type: 'tool_result'
  /** The call that it answers. */
  readonly callId: string
  /** `unknown` if neither the format nor the output says how a command ended. */
  readonly status: 'ok' | 'error' | 'denied' | 'cancelled' | 'unknown'
  /** What the model was shown. */
  readonly text: string
  /** Of a command, if the log reports it. */
  readonly exitCode?: number
  /** Files that the tool reports to have changed. */
  readonly changes?: readonly FileChange[]
  /** Number of images in it. */
  readonly images?: number
}

/** Where a subagent started or ended. */
export interface SubagentEvent extends EventBase {
  readonly type: 'subagent_start' | 'subagent_end'
  /** Its id in `Session.agents`. */
  readonly child: string
  /** The tool call that started it. */
  readonly callId?: string
}

/** The agent's own compaction; what came before it stays in the session. */
export interface CompactionEvent extends EventBase {
  readonly type: 'compaction'
  /** The summary, empty if the format hides it. */
  readonly text: string
  /** What started it: `auto`, `manual`, or the agent's own word. */
  readonly trigger?: string
  /** Size of the conversation before it, if the log reports it. */
  readonly tokensBefore?: number
}

/** The user took back the last turns; the events concerned have `inContext: false`. */
export interface RewindEvent extends EventBase {
  readonly type: 'rewind'
  /** How many turns were taken back. */
  readonly turns: number
}

/** A record of a kind that the reader does not know, kept as it was. */
export interface OtherEvent extends EventBase {
  readonly type: 'other'
  /** What the log calls the record. */
  readonly name: string
  /** The record. */
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

/** Optional fields may be `undefined`, which counts as not given. */
type Loose<T> = {
  readonly [K in keyof T]: Partial<Pick<T, K>> extends Pick<T, K> ? T[K] | undefined : T[K]
}

/** An event without a number, as a reader writes it. The kind of a tool is by default that of its name. */
export type EventDraft = SessionEvent extends infer E
  ? E extends SessionEvent
    ? Loose<
        Omit<E, 'id' | 'turn' | 'source' | 'agent' | 'kind'> & { readonly agent?: string } & {
          readonly [Key in keyof E & 'kind']?: E[Key]
        }
      >
    : never
  : never

/** Position of an event id in `Session.events`, or -1 if the text is not an event id. */
export function eventIndex(id: string): number {
  return /^e[1-9]\d{0,8}$/.test(id) ? Number(id.slice(1)) - 1 : -1
}
