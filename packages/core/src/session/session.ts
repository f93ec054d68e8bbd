import type { SessionEvent } from './event.ts'
import type { Note } from './note.ts'
import type { UsageEntry } from './usage.ts'

/** An agent of a session. `parent` forms the tree of subagents. */
export interface AgentNode {
  /** `main`, or the id of a subagent. */
  readonly id: string
  /** Id of the agent that started it. */
  readonly parent?: string
  /** Id of the tool call that started it. */
  readonly callId?: string
  /** Kind of subagent, as the agent names it. */
  readonly type?: string
  /** Purpose of the subagent. */
  readonly title?: string
}

/** One file of a log, decompressed. */
export interface LogFileInfo {
  /** Name without folder. */
  readonly name: string
  /** Decompressed size. */
  readonly bytes: number
  /** SHA-256 of the decompressed bytes, as hex. */
  readonly sha256: string
  /** Number of lines. */
  readonly lines: number
}

/** Counts of a log's lines by their result. All others add up to `lines`. */
export interface LineAccount {
  /** Total number of lines. */
  readonly lines: number
  /** Lines that gave at least one event of a known kind. */
  readonly events: number
  /** Lines kept raw as an `other` event. */
  readonly other: number
  /** Lines that gave a note. */
  readonly notes: number
  /** Empty lines. */
  readonly blank: number
  /** Lines whose content is held elsewhere (repeated text, usage, session metadata), by reason. */
  readonly absorbed: readonly (readonly [reason: string, lines: number])[]
}

/** A log in one vocabulary for all agents. */
export interface Session {
  /** The agent's own id of the session. */
  readonly id: string
  /** Name of the reader: `claude-code`, `codex`, … */
  readonly format: string
  /** Version of the agent. */
  readonly agentVersion?: string
  /** Title that the agent shows. */
  readonly title?: string
  /** Folder in which the session began. */
  readonly cwd?: string
  /** Branch that was checked out. */
  readonly branch?: string
  /** Commit that was checked out. */
  readonly commit?: string
  /** ISO 8601; absent if the log has no times. */
  readonly startedAt?: string
  /** ISO 8601; absent if the log has no times. */
  readonly endedAt?: string
  /** Models that answered, in the order of their first answer. */
  readonly models: readonly string[]
  /** The main agent and its subagents. */
  readonly agents: readonly AgentNode[]
  /** All events, numbered in the order of the log. */
  readonly events: readonly SessionEvent[]
  /** Tokens that the vendors billed, by call or as summed by the log. */
  readonly usage: readonly UsageEntry[]
  /** What was odd in the log. */
  readonly notes: readonly Note[]
  /** The files that it was read from. */
  readonly source: {
    readonly files: readonly LogFileInfo[]
    readonly bytes: number
    /**
     * Digest of the single file, of the `sha256sum` lines of several files, or of the session's events if from a
     * database.
     */
    readonly sha256: string
    /** Set if the session is from a database, which may hold other sessions and other data. */
    readonly database?: true
    /** Result of {@link eventsDigest}, computed before redaction. */
    readonly eventsDigest?: string
    readonly images: number
    readonly account: LineAccount
  }
}
