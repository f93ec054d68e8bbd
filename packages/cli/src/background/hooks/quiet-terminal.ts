import { terminalOn } from '../../terminal/terminal.ts'
import { logHook } from './hook-log.ts'

/** Stdout belongs to the answer, so everything goes to the log of the hooks. */
export function quietTerminal(agent: string) {
  const write = (text: string | Uint8Array): void => logHook({ agent, said: String(text).trimEnd() })
  const stream = { write, isTTY: false, columns: undefined, onError: () => undefined }
  return terminalOn({ stdout: stream, stderr: stream })
}
