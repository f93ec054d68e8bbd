import type { EventDraft, SessionEvent, SourcePosition } from '../../session/event.ts'
import type { Note } from '../../session/note.ts'
import type { Recipe } from '../../session/recipe.ts'
import type { AgentNode, Session } from '../../session/session.ts'
import type { TokenUsage } from '../../session/usage.ts'

/**
 * How a file is split into records: lines of JSON, one JSON document, lines of text, or the rows of an SQLite database,
 * which are counted as its lines.
 */
export type Framing = 'lines' | 'document' | 'text' | 'rows'

/** A row of a database: the value of a record if the framing is `rows`. */
export interface LogRow {
  /** The table of the database that it is from. */
  readonly table: string
  /** Values by column. */
  readonly row: Readonly<Record<string, unknown>>
}

/** Rows of a table whose value in a text column is at least `from` and below `below`, sorted by it. */
export interface RowRange {
  readonly table: string
  readonly column: string
  readonly from: string
  readonly below: string
}

/** One record of a log: a line, or the whole file if the framing is `document`. */
export interface LogRecord {
  /** Parsed JSON, or a {@link LogRow}; `undefined` if the framing is `text`. */
  readonly value: unknown
  /** The line as written; empty if the framing is `document` or `rows`. */
  readonly text: string
  /** Counted from 1. */
  readonly line: number
  /** Index into the files of the log. */
  readonly file: number
}

/** The beginning of a log, by which readers recognize it. */
export interface LogHead {
  /** Name of the file, without its folder. */
  readonly name: string
  /** Beginning of the text. */
  readonly text: string
  /** The first lines that are JSON, parsed; at most 50. */
  readonly records: readonly unknown[]
  /** The whole file as JSON if it is one document, not lines. */
  readonly document?: unknown
  /** SHA-256 of the text of `document`: if the text is the same, it need not be parsed again. */
  readonly documentSha256?: string
  /** Columns by table if the file is an SQLite database; `text` and `records` are then empty. */
  readonly tables?: Readonly<Record<string, readonly string[]>>
}

/** One of several sessions in a log. `readSession` can read it by its id. */
export interface SessionListing extends Pick<Session, 'id' | 'title' | 'startedAt' | 'endedAt' | 'cwd'> {
  /** Changes with the session if `endedAt` does not. */
  readonly revision?: string
}

/**
 * Metadata of the session. The first value of a field is kept, except that a later `title` replaces the earlier one.
 * `format` is the agent's own, if the log was converted from it.
 */
export interface SessionMeta
  extends Partial<Pick<Session, 'id' | 'format' | 'agentVersion' | 'title' | 'cwd' | 'branch' | 'commit'>> {
  /** Models in order of first use, if the log names more than its events do. */
  readonly models?: readonly (string | undefined)[]
}

/** Place of an event that does not belong to the current record. */
export interface EventPlace extends SourcePosition {
  /** Number of the turn, if the log has it; counted otherwise. */
  readonly turn?: number
}

/** Fields that a log may lack. `undefined` counts as not given. */
type Loose<T> = { readonly [K in keyof T]?: T[K] | undefined }

/**
 * Receives what a reader finds. Every record must reach at least one of `event`, `note` and `absorb` before the next
 * one is requested. Events belong to agent `main` by default; an agent without a call of `agent` becomes a child of
 * `main`.
 */
export interface SessionWriter {
  /**
   * Numbers an event and keeps it, without fields that are `undefined`, image counts of 0 and empty lists of changes. A
   * `time` that is not a date is dropped; other date forms become ISO 8601 in UTC.
   */
  event(draft: EventDraft, at?: EventPlace): SessionEvent
  /** Reports something odd in the current record, or at the place `at`. */
  note(code: string, message: string, at?: Pick<Note, 'file' | 'line' | 'count'>): void
  /** States in a few words why the record adds nothing: it repeats something, or is only metadata. */
  absorb(reason: string): void
  /** Sets metadata of the session. */
  meta(meta: Loose<SessionMeta>): void
  /** Describes an agent; later calls fill fields that are still unknown. */
  agent(node: Loose<AgentNode> & Pick<AgentNode, 'id'>): void
  /** Sets the usage of a model response; the last one for a key is kept. Values that are not counts are left out. */
  usage(responseKey: string, agent: string, model: string, usage: Loose<TokenUsage>): void
  /**
   * Marks the last turns as removed from the conversation; returns how many there were. Until a new turn begins, events
   * belong to the last remaining one: a rewind itself is never removed.
   */
  rewind(turns: number): number
  /** Marks all events so far as history copied from another session; returns how many were not marked yet. */
  copied(): number
  /** Requests further rows of a database, read after all others, from a reader with `rowRanges`. */
  alsoRead(range: RowRange): void
  /** Files found next to the main log (subagents), by index; the main log is 0. */
  readonly files: readonly string[]
  /** Id of the requested session (`PATH#ID`), if a log holds several. */
  readonly sessionId?: string
}

/**
 * Converts an agent's log format into events. Law: every record becomes an event, part of an event, an `other` event
 * with its raw value, or a note; never a crash, never a silent skip. Any field may hold a value of any type.
 */
export interface Reader {
  /** Name of the format, `Session.format`. */
  readonly name: string
  /** How to make the reader in another thread. Without it, a custom reader works only in this one. */
  readonly recipe?: Recipe
  /** How a file is split into records; a function is called for each file of the log. @default 'lines' */
  readonly framing?: Framing | ((head: LogHead) => Framing)
  /** The tables of a database that hold the log; no others are read. @default all */
  readonly tables?: readonly string[]
  /**
   * The rows to read of those tables, in order, for the session asked for (`PATH#ID`) or for any; other rows are only
   * counted. @default all rows
   */
  rowRanges?(sessionId?: string): readonly RowRange[]
  /**
   * The format marks each failed command as an error, so that `ok` means success. Otherwise, `ok` of a shell command
   * without an exit code becomes what its output states, or `unknown`. @default false
   */
  readonly marksFailedCommands?: boolean
  /** Returns 0 for another format up to 1 for certainly this one. The highest score decides the reader. Must not throw. */
  detect(head: LogHead): number
  /**
   * Returns main logs of this format, by path, in a folder that is itself a log, or a store of logs; none if it is
   * neither. Ignores other files of the folder.
   */
  logsInFolder?(folder: string): Promise<readonly string[]>
  /** Returns the sessions of a log that may hold several, oldest first. Without it, a log holds one session. */
  sessions?(records: AsyncIterable<LogRecord>): Promise<readonly SessionListing[]>
  /** Returns paths of further files of the same session near a log that was given by path, such as those of its subagents. */
  sessionFiles?(path: string, head: LogHead, sessionId?: string): Promise<readonly string[]>
  /**
   * Returns paths of files, and of folders with all their content, that are around a log of this format without being
   * part of its session, such as indexes and settings. They need not exist. A file that is a log itself remains one.
   */
  companions?(path: string): readonly string[]
  /** Turns every record into events or notes. Must not drop a record silently, nor throw because of one. */
  read(records: AsyncIterable<LogRecord>, out: SessionWriter): Promise<void>
}

const framings = ['lines', 'document', 'text', 'rows']

/**
 * Checks a custom reader for mistakes that plain JavaScript allows, and returns it. Pass it to `readSession` or
 * `compressLog` with `readers: [mine, ...defaultReaders]`. Throws `TypeError` if a field is missing or of the wrong
 * type.
 */
export function defineReader(reader: Reader): Reader {
  const { name, framing, detect, read } = reader
  if (typeof name !== 'string' || !/^[a-z][a-z0-9-]*$/.test(name))
    throw new TypeError(
      `a reader needs a name in kebab-case, such as "my-agent"; got ${JSON.stringify(name)}`,
    )
  if (typeof detect !== 'function') throw new TypeError(`reader ${name} needs a function detect(head)`)
  if (typeof read !== 'function') throw new TypeError(`reader ${name} needs a function read(records, out)`)
  if (framing !== undefined && typeof framing !== 'function' && !framings.includes(framing))
    throw new TypeError(`reader ${name} has the framing "${framing}"; expected one of ${framings.join(', ')}`)
  return reader
}
