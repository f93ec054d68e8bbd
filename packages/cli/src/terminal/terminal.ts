import { exitCodes } from './exit-codes.ts'
import { type Style, styleFor, takesColours } from './style.ts'

/** Output of the command. Text from logs, bundles and arguments must be cleaned before it gets here. */
export interface Terminal {
  /** Writes a line (or lines) to stdout. */
  print(text: string): void
  /** Writes to stdout unchanged, without adding a newline. */
  write(text: string | Uint8Array): void
  /** Writes a line to stderr. */
  warn(text: string): void
  /** Writes a line to stderr that begins with `error:`. */
  fail(text: string): void
  readonly style: Style
  /** Columns of the terminal that stdout is; `Infinity` if it is not a terminal, since nothing must be cut then. */
  readonly columns: number
  /** Called before anything is printed while a progress line is shown. */
  beforeLine: () => void
  noColours(): void
  /** Continues when the reader of stdout goes away (`| head`). Without it, that ends the process quietly. */
  workWithoutReader(): void
}

/** The terminal of this process, on its stdout and stderr. */
export function processTerminal(): Terminal {
  const { stdout, stderr, env } = process
  let colours = true
  let readerGone = false
  let keepWorking = false
  const onError = (error: NodeJS.ErrnoException): void => {
    if (error.code !== 'EPIPE') {
      stderr.write(`error: stdout cannot be written: ${error.message}\n`)
      process.exit(exitCodes.failed)
    }
    readerGone = true
    if (!keepWorking) process.exit(exitCodes.done)
  }
  stdout.on('error', onError)
  // Nobody reads the errors; the exit code still reports them.
  stderr.on('error', (error: NodeJS.ErrnoException) => {
    if (error.code !== 'EPIPE') throw error
  })
  const errorStyle = styleFor(() => colours && takesColours(stderr, env))
  const write = (text: string | Uint8Array): void => {
    if (readerGone) return
    terminal.beforeLine()
    stdout.write(text)
  }
  const warn = (text: string): void => {
    terminal.beforeLine()
    stderr.write(`${text}\n`)
  }
  const terminal: Terminal = {
    print: (text) => write(`${text}\n`),
    write,
    warn,
    fail: (text) => warn(`${errorStyle.red('error:')} ${text}`),
    style: styleFor(() => colours && takesColours(stdout, env)),
    get columns() {
      return stdout.isTTY ? stdout.columns || 80 : Number.POSITIVE_INFINITY
    },
    beforeLine: () => {},
    noColours: () => {
      colours = false
    },
    workWithoutReader: () => {
      keepWorking = true
    },
  }
  return terminal
}
