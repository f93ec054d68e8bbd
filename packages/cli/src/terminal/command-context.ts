import type { ExitCode } from './exit-codes.ts'
import type { StandardStreams } from './standard-stream.ts'
import type { Terminal } from './terminal.ts'

export interface CommandContext {
  readonly terminal: Terminal
  /** For what is answered to another program; all else goes through the terminal. */
  readonly streams: StandardStreams
  readonly commandNames: readonly string[]
  readonly signal: AbortSignal
  /** Sets the exit code. @default exitCodes.done */
  finish(code: ExitCode): void
}
