import type { Redactor } from '@tenfold/redact'
import type { LogInput } from '../readers/open-log.ts'
import type { Session } from '../session/session.ts'
import type { Storage } from '../storage/storage.ts'
import type { DumpNote } from './dump-schema.ts'

/** The agent's last execution and its conversation so far; every field is optional. */
export interface HaltedAgent {
  /** `claude-code`, `codex`, … */
  readonly name?: string | undefined
  /** Model that it ran with. */
  readonly model?: string | undefined
  /** Its session, by which its log is found. */
  readonly sessionId?: string | undefined
  /** The mode that it ran in: plan, edit, … */
  readonly mode?: string | undefined
  /** Its working folder. @default sandboxRoot */
  readonly cwd?: string | undefined
  /** What it was started with. */
  readonly prompt?: string | undefined
  /** Its last answer. */
  readonly response?: string | undefined
  /** What its process printed. */
  readonly stdout?: string | undefined
  /** What its process reported. */
  readonly stderr?: string | undefined
  /** `null` if a signal ended it. */
  readonly exitCode?: number | null | undefined
  /** The signal that ended it. */
  readonly exitSignal?: string | undefined
  /** How long it ran. */
  readonly durationMs?: number | undefined
  /**
   * The complete conversation: a log of any readable format (path, bytes, stream), a session, or a list of turns of any
   * form. Nothing of it is cut.
   */
  readonly conversation?: LogInput | Session | readonly unknown[] | undefined
  /** For a conversation that does not hold them. @default the tool calls of the conversation */
  readonly toolCalls?: readonly unknown[] | undefined
}

/** A halted run. Only `reason` is required. */
export interface Halt {
  /** Why the run stopped, in one line. */
  readonly reason: string
  /** Anything else: an error, a record. Stored as JSON. */
  readonly details?: unknown | undefined
  /** The task that it worked on. */
  readonly taskId?: string | undefined
  /** How many times the orchestrator had started it. */
  readonly iteration?: number | undefined
  /** The project of the task. */
  readonly projectId?: string | undefined
  /** The folder that the agent worked in, in a Git repository or not. Without it no files are dumped. */
  readonly sandboxRoot?: string | undefined
  /** The agent's last call. */
  readonly agent?: HaltedAgent | undefined
  /** Key under which a state store holds the supervisor's live state. */
  readonly stateKey?: string | undefined
  /** Reads that state from its store; a text that is JSON is stored as its value. */
  readonly readState?:
    | ((request: { readonly stateKey?: string; readonly signal: AbortSignal }) => Promise<unknown>)
    | undefined
  /** The next command that would have been run. Shown to whoever continues, never run. */
  readonly nextCommand?: string | undefined
}

/** Size limits of a dump; anything larger is left out and named. */
export interface DumpLimits {
  /** Bytes of one file. @default 32 MiB */
  readonly file?: number
  /** Bytes of all files. @default 128 MiB */
  readonly total?: number
  /** Bytes of the patch. @default 64 MiB */
  readonly patch?: number
  /** Files of the file manifest. @default 50_000 */
  readonly files?: number
}

/** Options of {@link dumpHalt}. */
export interface DumpHaltOptions {
  /** Where the dump is written. */
  readonly storage: Storage
  /** False writes nothing: for a switch in a configuration. @default true */
  readonly enabled?: boolean | undefined
  /** Files to store that did not change, or are ignored: globs of `*`, `**`, `?` and `{a,b}`, from `sandboxRoot`. @default none */
  readonly snapshots?: readonly string[] | undefined
  /** Folders to leave out. Relative ones are below `sandboxRoot`. @default the folder of the storage */
  readonly ignore?: readonly string[] | undefined
  /**
   * Names of variables whose values are dumped, in addition to `PATH` and the like. Only the names of all others are
   * dumped.
   */
  readonly envNames?: readonly string[] | undefined
  /** @default process.env */
  readonly env?: Readonly<Record<string, string | undefined>> | undefined
  /**
   * Find secrets in all texts, which are replaced by marks; an empty list disables that.
   * @default secretRedactor(), and the values of variables whose names say that they are secret
   */
  readonly redactors?: readonly Redactor[] | undefined
  /** Sizes and times that a part may take. */
  readonly limits?: DumpLimits | undefined
  /** Most bytes of text in the log of the conversation, once it is decompressed. @default 512 MiB */
  readonly maxLogBytes?: number | undefined
  /** Gaps that the caller knows of, with their reasons; stored in the dump. */
  readonly notes?: readonly DumpNote[] | undefined
  /** Milliseconds that `readState` may take. @default 10_000 */
  readonly stateTimeout?: number | undefined
  /** Run the content filters (Git LFS) that the settings of the repository name, see `ReadGitOptions.filters`. @default false */
  readonly gitFilters?: boolean | undefined
  /** @default now */
  readonly createdAt?: Date | undefined
  /** If aborted, nothing is written. */
  readonly signal?: AbortSignal | undefined
}

export const defaultLimits: Required<DumpLimits> = {
  file: 32 * 2 ** 20,
  total: 128 * 2 ** 20,
  patch: 64 * 2 ** 20,
  files: 50_000,
}
