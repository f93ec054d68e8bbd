import type { Redactor } from '@tenfold/core'
import type { Terminal } from '../terminal/terminal.ts'
import type { McpStore } from './mcp-store.ts'

export interface McpContext {
  readonly store: McpStore
  /** For stderr: stdout belongs to the protocol. */
  readonly terminal: Terminal
  readonly redactors: readonly Redactor[]
  readonly cwd: string
  /** When the server started. A session that went on since may be the one that asks. */
  readonly began: Date
}
