import type { SessionEvent } from './event.ts'
import type { Note } from './note.ts'
import type { UsageEntry } from './usage.ts'

/** One agent of a session; `parent` forms the tree of subagents. */
export interface AgentNode {
  readonly id: string
  readonly parent?: string
  /** The tool call that started it. */
  readonly callId?: string
  readonly type?: string
  readonly title?: string
}

/** One file of a log, as bytes on disk. */
export interface LogFileInfo {
  readonly name: string
  readonly bytes: number
  readonly sha256: string
  readonly lines: number
}

/** Numbers of a log's lines by their result; the numbers add up to `lines`. */
export interface LineAccount {
  readonly lines: number
  /** Lines that gave at least one event of a known kind. */
  readonly events: number
  /** Lines kept raw as an `other` event. */
  readonly other: number
  /** Lines that gave a note. */
  readonly notes: number
  readonly blank: number
  /** Lines that are part of something already held (repeated text, usage, session metadata), by reason. */
  readonly absorbed: readonly (readonly [reason: string, lines: number])[]
}

/** A log in the one vocabulary of all agents. */
export interface Session {
  readonly id: string
  /** Name of the reader: `claude-code`, `codex`, … */
  readonly format: string
  readonly agentVersion?: string
  readonly title?: string
  readonly cwd?: string
  readonly branch?: string
  readonly commit?: string
  readonly startedAt?: string
  readonly endedAt?: string
  readonly models: readonly string[]
  readonly agents: readonly AgentNode[]
  readonly events: readonly SessionEvent[]
  readonly usage: readonly UsageEntry[]
  readonly notes: readonly Note[]
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
