import { styleFor, type Terminal } from '../../terminal/terminal.ts'
import { logHook } from './hook-log.ts'

/** A terminal for work inside a hook. Stdout belongs to the answer, so everything goes to the log of the hooks. */
export function quietTerminal(agent: string): Terminal {
  const say = (text: string): void => logHook({ agent, said: text })
  return {
    print: say,
    say,
    note: say,
    hint: () => {},
    write: say,
    warn: say,
    fail: say,
    style: styleFor(() => false),
    columns: Number.POSITIVE_INFINITY,
    beforeLine: () => {},
    noColours: () => {},
    quiet: false,
    verbose: false,
    json: false,
    setDetail: () => {},
    workWithoutReader: () => {},
  }
}
