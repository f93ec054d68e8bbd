/** Exit codes of the command; they are stable. */
export const exitCodes = {
  done: 0,
  failed: 1,
  /** Wrong usage; nothing was started. */
  usage: 2,
  /** Stopped by Ctrl-C: 128 + SIGINT, as in shells. */
  interrupted: 130,
} as const

export type ExitCode = (typeof exitCodes)[keyof typeof exitCodes]
