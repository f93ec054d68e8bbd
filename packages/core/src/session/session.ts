import type { SessionEvent } from './event.ts'
import type { Note } from './note.ts'
import type { UsageEntry } from './usage.ts'

/** One agent of a session; `parent` forms the tree of subagents. */
export interface AgentNode {
  /** `main`, or the id of a subagent. */
  readonly id: string
  /** The agent that started it. */
  readonly parent?: string
  /** The tool call that started it. */
  readonly callId?: string
  /** The kind of subagent, as the agent names it. */
  readonly type?: string
  /** What it was started for. */
  readonly title?: string
}

/** One file of a log, as bytes on disk. */
export interface LogFileInfo {
  /** Without its folder. */
  readonly name: string
  /** Size as it was read, decompressed. */
  readonly bytes: number
  /** Digest of these bytes. */
  readonly sha256: string
  /** Number of lines. */
  readonly lines: number
}

/** Numbers of a log's lines by their result; the numbers add up to `lines`. */
export interface LineAccount {
  /** All lines. */
  readonly lines: number
  /** Lines that gave at least one event of a known kind. */
  readonly events: number
  /** Lines kept raw as an `other` event. */
  readonly other: number
  /** Lines that gave a note. */
  readonly notes: number
  /** Empty lines. */
  readonly blank: number
  /** Lines that are part of something already held (repeated text, usage, session metadata), by reason. */
  readonly absorbed: readonly (readonly [reason: string, lines: number])[]
}

/** A log in the one vocabulary of all agents. */
export interface Session {
  /** The agent's own id of it. */
  readonly id: string
  /** Name of the reader: `claude-code`, `codex`, … */
  readonly format: string
  /** Version of the program that wrote the log. */
  readonly agentVersion?: string
  /** As the agent shows it. */
  readonly title?: string
  /** Folder in which it began. */
  readonly cwd?: string
  /** Branch that was checked out. */
  readonly branch?: string
  /** Commit that was checked out. */
  readonly commit?: string
  /** ISO 8601, if the log has times. */
  readonly startedAt?: string
  /** ISO 8601, if the log has times. */
  readonly endedAt?: string
  /** Models that answered, in the order of their first answer. */
  readonly models: readonly string[]
  /** The main agent and its subagents. */
  readonly agents: readonly AgentNode[]
  /** All that happened, numbered in the order of the log. */
  readonly events: readonly SessionEvent[]
  /** Tokens as the vendors billed them, call by call or as the log sums them. */
  readonly usage: readonly UsageEntry[]
  /** What was odd in the log. */
  readonly notes: readonly Note[]
  /** The files that it was read from. */
  readonly source: {
    readonly files: readonly LogFileInfo[]
    readonly bytes: number
    /** Of the one file, or of the `sha256sum` lines of all files; of the session's own events if from a database. */
    readonly sha256: string
    /** Set if the session was taken from a database, which may hold other sessions and other data. */
    readonly database?: true
    /** See {@link eventsDigest}; computed before anything was redacted. */
    readonly eventsDigest?: string
    readonly images: number
    readonly account: LineAccount
  }
}
