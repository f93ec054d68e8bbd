import type { StandardStreams } from './standard-stream.ts'

/** The command's output. Callers must clean text from logs, bundles and arguments first. */
export interface Terminal {
  print(text: string): void
  printJson(value: unknown, indent?: number): void
  /** Writes a line to stdout about what the command did, unless `quiet`. */
  say(text: string): void
  write(text: string | Uint8Array): void
  /** Writes a line to stderr that needs no action, unless `quiet`. */
  note(text: string): void
  hint(text: string): void
  warn(text: string): void
  fail(text: string): void
  readonly style: Style
  /** Width of the terminal. `Infinity` if stdout is not a terminal, so that nothing is cut. */
  readonly columns: number
  /** Called before anything is printed while a progress line is shown. */
  beforeLine: () => void
  noColours(): void
  readonly quiet: boolean
  readonly verbose: boolean
  readonly json: boolean
  setDetail(detail: Pick<Terminal, 'quiet' | 'verbose' | 'json'>): void
  /** Continue after the reader of stdout closes it (`| head`). By default, the process then ends silently. */
  workWithoutReader(): void
}

export type Screen = Pick<Terminal, 'style' | 'columns' | 'quiet' | 'verbose'>

const plain = { columns: Number.POSITIVE_INFINITY, quiet: false, verbose: false }
export const inFile: Screen = { ...plain, style: styleFor(() => false) }

export function terminalOn({ stdout, stderr }: Pick<StandardStreams, 'stdout' | 'stderr'>): Terminal {
  const { env } = process
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
  stdout.onError(onError)
  stderr.onError((error) => {
    // Nobody reads stderr any more; the exit code still reports errors.
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
    printJson: (value, indent) => terminal.print(toSafeJson(value, indent)),
    say: (text) => {
      if (!terminal.quiet) terminal.print(text)
    },
    write,
    note: (text) => {
      if (!terminal.quiet) warn(text)
    },
    hint: (text) => {
      if (!terminal.quiet && stdout.isTTY) warn(terminal.style.dim(text))
    },
    warn,
    fail: (text) => warn(`${errorStyle.red('error:')} ${text}`),
    style: styleFor(() => colours && takesColours(stdout, env)),
    get columns() {
      return stdout.isTTY ? stdout.columns || 80 : Number.POSITIVE_INFINITY
    },
    beforeLine: () => {},
    quiet: false,
    verbose: false,
    json: false,
    setDetail: (wanted) => void Object.assign(terminal, wanted),
    noColours: () => {
      colours = false
    },
    workWithoutReader: () => {
      keepWorking = true
    },
  }
  return terminal
}

export type Style = ReturnType<typeof styleFor>

function styleFor(enabled: () => boolean) {
  const wrap = (open: number, close: number) => (text: string) =>
    enabled() && text !== '' ? `\u001b[${open}m${text}\u001b[${close}m` : text
  return { bold: wrap(1, 22), dim: wrap(2, 22), red: wrap(31, 39), green: wrap(32, 39), yellow: wrap(33, 39) }
}

/** Whether to colour a stream, by https://no-color.org, https://force-color.org and whether it is a terminal. */
function takesColours(stream: { readonly isTTY?: boolean }, env: NodeJS.ProcessEnv): boolean {
  if (env.NO_COLOR !== undefined && env.NO_COLOR !== '') return false
  if (env.FORCE_COLOR !== undefined && env.FORCE_COLOR !== '') return env.FORCE_COLOR !== '0'
  return stream.isTTY === true && env.TERM !== 'dumb'
}

export interface CommandContext {
  readonly terminal: Terminal
  /** For answers to another program. All other output goes through `terminal`. */
  readonly streams: StandardStreams
  /** Set by `-h`: help with one line per option and without examples. */
  readonly shortHelp: boolean
  readonly commandNames: readonly string[]
  readonly signal: AbortSignal
  finish(code: ExitCode): void
}

/** The command's exit codes, which are stable. */
export const exitCodes = {
  done: 0,
  failed: 1,
  /** Wrong usage: nothing was done. */
  usage: 2,
  /** Stopped by Ctrl-C: 128 + SIGINT, as in shells. */
  interrupted: 130,
} as const

export type ExitCode = (typeof exitCodes)[keyof typeof exitCodes]

// Characters that JSON does not escape but that a terminal obeys or displays deceptively.
const unsafe = /[\u007f-\u009f\u2028\u2029\u202a-\u202e\u2066-\u2069\ufeff]|[\u{e0000}-\u{e007f}]/gu

/** JSON of a value, with control and invisible characters escaped as `\uXXXX`. */
export function toSafeJson(value: unknown, indent = 0): string {
  return safeJson(JSON.stringify(value, null, indent))
}

export function safeJson(json: string): string {
  return json.replace(unsafe, (char) => {
    const units = Array.from({ length: char.length }, (_, index) => char.charCodeAt(index))
    return units.map((unit) => `\\u${unit.toString(16).padStart(4, '0')}`).join('')
  })
}

/**
 * The first SIGINT aborts the signal, so that work ends at its next safe point. After that, SIGINT has its default
 * effect: the second one kills the process at once, even while it is busy. A store survives that.
 */
export function listenForInterrupt(onInterrupt: () => void): {
  readonly signal: AbortSignal
  release(): void
} {
  const controller = new AbortController()
  const listener = (): void => {
    onInterrupt()
    controller.abort()
  }
  process.once('SIGINT', listener)
  return { signal: controller.signal, release: () => void process.off('SIGINT', listener) }
}

export async function untilAborted(signal: AbortSignal): Promise<void> {
  if (signal.aborted) return
  await new Promise<void>((done) => signal.addEventListener('abort', () => done(), { once: true }))
}
