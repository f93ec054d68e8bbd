import type { ExitCode } from './exit-codes.ts'
import type { Terminal } from './terminal.ts'

/** What a command is given beside its arguments. */
export interface CommandContext {
  readonly terminal: Terminal
  /** Aborted by Ctrl-C. */
  readonly signal: AbortSignal
  /** Called once, with how the command ended. */
  finish(code: ExitCode): void
}
