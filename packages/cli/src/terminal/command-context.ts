import type { ExitCode } from './exit-codes.ts'
import type { StandardStreams } from './standard-stream.ts'
import type { Terminal } from './terminal.ts'

/** The surroundings of a command: everything it gets in addition to its arguments. */
export interface CommandContext {
  readonly terminal: Terminal
  /** For what is answered to another program; all else goes through the terminal. */
  readonly streams: StandardStreams
  /** Of all commands of the program. */
  readonly commandNames: readonly string[]
  /** Aborted by Ctrl-C. */
  readonly signal: AbortSignal
  /** Sets the exit code. @default exitCodes.done */
  finish(code: ExitCode): void
}
