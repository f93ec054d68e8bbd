import type { Redactor } from '@tenfold/redact'
import type { LogInput } from '../readers/open-log.ts'
import type { Session } from '../session/session.ts'
import type { Storage } from '../storage/storage.ts'
import type { DumpNote } from './dump-schema.ts'

/** The agent's last execution and its conversation so far; every field is optional. */
export interface HaltedAgent {
  /** Name of the agent: `claude-code`, `codex`, … */
  readonly name?: string | undefined
  /** Model that the agent ran with. */
  readonly model?: string | undefined
  /** Id of its session, by which the log is found. */
  readonly sessionId?: string | undefined
  /** Mode, such as plan or edit. */
  readonly mode?: string | undefined
  /** Its working folder. @default sandboxRoot */
  readonly cwd?: string | undefined
  /** The prompt that the agent was started with. */
  readonly prompt?: string | undefined
  /** The last answer of the agent. */
  readonly response?: string | undefined
  /** Standard output of the agent's process. */
  readonly stdout?: string | undefined
  /** Standard error output of the agent's process. */
  readonly stderr?: string | undefined
  /** `null` if a signal ended the process. */
  readonly exitCode?: number | null | undefined
  /** The signal that ended the process. */
  readonly exitSignal?: string | undefined
  /** Run time of the agent's process. */
  readonly durationMs?: number | undefined
  /**
   * The complete conversation: a log of any readable format (path, bytes, stream), a session, or a list of turns of any
   * form. It is never cut.
   */
  readonly conversation?: LogInput | Session | readonly unknown[] | undefined
  /** Needed if `conversation` does not include the tool calls. @default the tool calls of the conversation */
  readonly toolCalls?: readonly unknown[] | undefined
}

/** A halted run. Only `reason` is required. */
export interface Halt {
  /** Why the run stopped, in one line. */
  readonly reason: string
  /** Anything else, such as an error or a record. Stored as JSON. */
  readonly details?: unknown | undefined
  /** Id of the task that the run worked on. */
  readonly taskId?: string | undefined
  /** How many times the orchestrator had started it. */
  readonly iteration?: number | undefined
  /** Id of the task's project. */
  readonly projectId?: string | undefined
  /** The agent's folder, in a Git repository or not. Without it no files are dumped. */
  readonly sandboxRoot?: string | undefined
  /** The agent's last execution and its conversation. */
  readonly agent?: HaltedAgent | undefined
  /** Key of the supervisor's live state in a state store. */
  readonly stateKey?: string | undefined
  /** Reads that state from its store. A text of JSON is stored as the value. */
  readonly readState?:
    | ((request: { readonly stateKey?: string; readonly signal: AbortSignal }) => Promise<unknown>)
    | undefined
  /** The next command. Shown to whoever continues, never run. */
  readonly nextCommand?: string | undefined
}

/** Size limits of a dump. Larger content is left out and listed as missing. */
export interface DumpLimits {
  /** Maximum bytes of one file. @default 32 MiB */
  readonly file?: number
  /** Maximum bytes of all files. @default 128 MiB */
  readonly total?: number
  /** Maximum bytes of the patch. @default 64 MiB */
  readonly patch?: number
  /** Maximum number of files in the file manifest. @default 50_000 */
  readonly files?: number
}

/** Options of {@link dumpHalt}. */
export interface DumpHaltOptions {
  /** Where the dump is written. */
  readonly storage: Storage
  /** Set to false to write nothing, for example by a setting. @default true */
  readonly enabled?: boolean | undefined
  /** Unchanged or ignored files to store as well: globs of `*`, `**`, `?` and `{a,b}`, from `sandboxRoot`. @default none */
  readonly snapshots?: readonly string[] | undefined
  /** Folders to leave out. Relative paths start at `sandboxRoot`. @default the folder of the storage */
  readonly ignore?: readonly string[] | undefined
  /**
   * Environment variables to dump with their values, in addition to `PATH` and the like. Of all others only the names
   * are dumped.
   */
  readonly envNames?: readonly string[] | undefined
  /** @default process.env */
  readonly env?: Readonly<Record<string, string | undefined>> | undefined
  /**
   * Find the secrets, which are replaced by marks; an empty list keeps all secrets.
   * @default secretRedactor(), and the values of environment variables whose names mark a secret
   */
  readonly redactors?: readonly Redactor[] | undefined
  /** Size limits of the dump's parts. */
  readonly limits?: DumpLimits | undefined
  /** Maximum bytes of text in the log of the conversation, decompressed. @default 512 MiB */
  readonly maxLogBytes?: number | undefined
  /** Gaps that the caller knows of; stored in the dump. */
  readonly notes?: readonly DumpNote[] | undefined
  /** Maximum milliseconds for `readState`. @default 10_000 */
  readonly stateTimeout?: number | undefined
  /** Run the content filters (Git LFS) of the repository's settings; see `ReadGitOptions.filters`. @default false */
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
