import type { EventDraft, SessionEvent, SourcePosition } from '../../session/event.ts'
import type { Note } from '../../session/note.ts'
import type { AgentNode } from '../../session/session.ts'
import type { TokenUsage } from '../../session/usage.ts'

/**
 * How a file is cut into records: lines of JSON, one JSON document, lines of text, or the rows of an SQLite database,
 * which are counted as its lines.
 */
export type Framing = 'lines' | 'document' | 'text' | 'rows'

/** A row of a database: the value of a record where the framing is `rows`. */
export interface LogRow {
  readonly table: string
  /** Values by column. */
  readonly row: Readonly<Record<string, unknown>>
}

/** One record of a log: a line, or the whole file where the framing is `document`. */
export interface LogRecord {
  /** Parsed JSON, or a `LogRow`; `undefined` where the framing is `text`. */
  readonly value: unknown
  /** The line as it stood; empty where the framing is `document` or `rows`. */
  readonly text: string
  readonly line: number
  readonly file: number
}

/** The beginning of a log, for detection. */
export interface LogHead {
  readonly name: string
  readonly text: string
  /** Up to the first 50 lines that are JSON, parsed. */
  readonly records: readonly unknown[]
  /** The whole file as JSON where it is one document, not lines. */
  readonly document?: unknown
  /** Columns by table where the file is an SQLite database; `text` and `records` are empty then. */
  readonly tables?: Readonly<Record<string, readonly string[]>>
}

/** One of several sessions that a log holds. */
export interface SessionListing {
  readonly id: string
  readonly title?: string
  /** ISO 8601, UTC. */
  readonly startedAt?: string
  readonly endedAt?: string
}

/** Metadata of the session; the first value given for a field stays, but `title` and `endedAt` are replaced. */
export interface SessionMeta {
  readonly id?: string
  /** The agent's own format, where the log was converted from it. */
  readonly format?: string
  /** Models in order of first use, where the log tells more than its events do. */
  readonly models?: readonly string[]
  readonly agentVersion?: string
  readonly title?: string
  readonly cwd?: string
  readonly branch?: string
  readonly commit?: string
}

/** Where an event belongs when that is not the record just read. */
export interface EventPlace extends SourcePosition {
  /** Number of the turn, where the log tells it; counted otherwise. */
  readonly turn?: number
}

/**
 * Takes what a reader finds. Every record must reach at least one of `event`, `note` and `absorb` before the next one is
 * asked for. Events of agent `main` are the default; an agent that no `agent` call told about becomes a child of `main`.
 */
export interface SessionWriter {
  /** Numbers an event and keeps it. A `time` that is no date is dropped; other forms of a date become ISO 8601 in UTC. */
  event(draft: EventDraft, at?: EventPlace): SessionEvent
  /** Says what was odd in the record just read, or elsewhere where `at` tells so. */
  note(code: string, message: string, at?: Pick<Note, 'file' | 'line' | 'count'>): void
  /** The record holds nothing that is not already held, or only metadata: says why in a few words. */
  absorb(reason: string): void
  meta(meta: SessionMeta): void
  /** Tells about an agent; fields given later fill those that are still unknown. */
  agent(node: AgentNode): void
  /** Usage of one model response: the last one given for a key wins. Values that are no counts are left out. */
  usage(responseKey: string, agent: string, model: string, usage: TokenUsage): void
  /** Marks events already written as taken out of the conversation. */
  rewind(turns: number): void
  /** Files found beside the main log (subagents), by index; the main log is 0. */
  readonly files: readonly string[]
  /** Id of the session asked for (`PATH#ID`), where a log holds several. */
  readonly select?: string
}

/**
 * Turns one agent's log format into events. Law: every record becomes an event, part of an event, an `other` event with
 * its raw value, or a note; never a crash, never a silent skip; values of any type may stand anywhere.
 */
export interface Reader {
  readonly name: string
  /** How a file is cut into records; a function is asked for each file of the log. @default 'lines' */
  readonly framing?: Framing | ((head: LogHead) => Framing)
  /** The tables of a database that hold the log; no other is looked into. @default all */
  readonly tables?: readonly string[]
  /**
   * Each command that failed is marked as an error in this format, so that `ok` means that it succeeded. Without it, `ok` of
   * a shell command that has no exit code becomes what the output states, or `unknown`. @default false
   */
  readonly marksFailedCommands?: boolean
  /** 0: not this format; 1: certainly; the highest score reads the log. Must not throw. */
  detect(head: LogHead): number
  /**
   * Main logs of this format, by path, in a folder that is itself a log, or a store of logs; empty if it is neither. Other
   * files of the folder are none of this reader's business.
   */
  inFolder?(folder: string): Promise<readonly string[]>
  /** The sessions of a log that may hold several, oldest first. A reader without it holds one session a log. */
  sessions?(records: AsyncIterable<LogRecord>): Promise<readonly SessionListing[]>
  /** Paths of further files of the same session near a log that was given by path, such as those of its subagents. */
  beside?(path: string, head: LogHead, select?: string): Promise<readonly string[]>
  /**
   * Paths of files, and of folders with all in them, that lie around a log of this format and hold nothing of its session,
   * such as indexes and settings. They need not exist. What is a log itself stays one, wherever it lies.
   */
  companions?(path: string): readonly string[]
  read(records: AsyncIterable<LogRecord>, out: SessionWriter): Promise<void>
}
