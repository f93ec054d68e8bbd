/** A log, or one session of a log that holds several. */
export interface FoundLog {
  /** What `readSession` and `compressLog` take: `PATH`, or `PATH#ID` for one session of several. */
  readonly log: string
  readonly path: string
  /** Name of the reader. */
  readonly format: string
  /** It lies where logs of this format lie, but its content is none: reading it will fail. */
  readonly damaged?: true
  /** Size of the file and of all that are read with it. */
  readonly bytes: number
  /** When the newest of these files was written to, or when the session of several ended; milliseconds since 1970. */
  readonly changed: number
  /** Paths of the files that are read with it, such as those of subagents. */
  readonly beside: readonly string[]
}

/** A file that belongs to a log and is no log itself. */
export interface CompanionFile {
  readonly path: string
  /** Path of the log. */
  readonly log: string
  /**
   * `read`: a part of the session, read with the log; `around`: an index, settings and the like, of which nothing is read;
   * `packed-copy`: the same log once more, packed.
   */
  readonly kind: 'read' | 'around' | 'packed-copy'
}

/**
 * Why a file is no log. `unreadable` and `gone`: it could not be looked at, so it may be one. `no-sessions`: a database of
 * an agent without a session in it.
 */
export type SkippedFileCode =
  | 'empty'
  | 'binary'
  | 'archive'
  | 'unknown-format'
  | 'no-sessions'
  | 'not-a-file'
  | 'same-file'
  | 'dangling-link'
  | 'gone'
  | 'unreadable'

/** A file that is no log. `message` continues the path: `PATH is empty`. */
export interface SkippedFile {
  readonly path: string
  readonly code: SkippedFileCode
  readonly message: string
}

/** A folder that was not looked into, and why. */
export interface SkippedFolder {
  readonly path: string
  readonly code: 'excluded' | 'linked' | 'too-deep' | 'unreadable'
  readonly message: string
}

/** Every file of a folder: a log, a companion of one, or no log for a reason. */
export interface FoundFiles {
  /** Oldest change first. */
  readonly logs: readonly FoundLog[]
  /** By path, like all that follow. */
  readonly companions: readonly CompanionFile[]
  readonly skipped: readonly SkippedFile[]
  readonly skippedFolders: readonly SkippedFolder[]
  /** Number of files; one with several sessions counts once. */
  readonly files: number
}
