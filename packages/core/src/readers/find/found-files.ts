/** A log, or one session of a log that holds several. */
export interface FoundLog {
  /** Input for `readSession` and `compressLog`: `PATH`, or `PATH#ID` for one session of several. */
  readonly log: string
  /** As it was found. */
  readonly path: string
  /** Name of its reader. */
  readonly format: string
  /** Set for a file in a place for logs of this format whose content is not a log: reading it will fail. */
  readonly damaged?: true
  /** Size of the file and of all files that are read with it. */
  readonly bytes: number
  /** Last change of the newest of these files, or the end of one session of several; milliseconds since 1970. */
  readonly changed: number
  /** Files that are read with the log. */
  readonly sessionFiles: readonly string[]
}

/** A file that belongs to a log and is not a log itself. */
export interface CompanionFile {
  /** As it was found. */
  readonly path: string
  /** Path of the log. */
  readonly log: string
  /**
   * `read`: a part of the session, read with the log; `around`: not read, such as an index or settings; `packed-copy`:
   * a packed copy of the same log.
   */
  readonly kind: 'read' | 'around' | 'packed-copy'
}

/**
 * Why a file is not a log. `unreadable` and `gone`: it could not be inspected, so it may be one. `no-sessions`: an
 * agent's database without sessions.
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

/** A file that is not a log. `message` continues the path: `PATH is empty`. */
export interface SkippedFile {
  /** As it was found. */
  readonly path: string
  /** Why it was skipped, for programs. */
  readonly code: SkippedFileCode
  /** Why it was skipped, for people. */
  readonly message: string
}

/** A folder that was skipped, and why. */
export interface SkippedFolder {
  /** As it was found. */
  readonly path: string
  /** Why it was not looked into. */
  readonly code: 'excluded' | 'linked' | 'too-deep' | 'unreadable'
  /** The same for people. */
  readonly message: string
}

/** All files of a folder, as logs, companions of logs, or files that are not logs. */
export interface FoundFiles {
  /** Oldest change first. */
  readonly logs: readonly FoundLog[]
  /** Sorted by path, like the lists below. */
  readonly companions: readonly CompanionFile[]
  /** Files that are not logs of a known format. */
  readonly skipped: readonly SkippedFile[]
  /** Folders that were not searched. */
  readonly skippedFolders: readonly SkippedFolder[]
  /** Number of files; one with several sessions counts once. */
  readonly files: number
  /** Digest of the names, sizes and times of all files. */
  readonly listing: string
}
