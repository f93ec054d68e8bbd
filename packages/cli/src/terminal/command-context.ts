import type { ExitCode } from './exit-codes.ts'
import type { Terminal } from './terminal.ts'

/** The surroundings of a command: everything it gets in addition to its arguments. */
export interface CommandContext {
  readonly terminal: Terminal
  /** Aborted by Ctrl-C. */
  readonly signal: AbortSignal
  /** Called once, with the exit code of the command. */
  finish(code: ExitCode): void
}
