import { type ChildProcess, fork, spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'

const bin = resolve(import.meta.dirname, '../../bin/tenfold.js')

/** Keeps the settings, logs and state of the user who runs the tests out of them. */
const emptyHome = mkdtempSync(join(tmpdir(), 'tenfold-home-'))
process.once('exit', () => rmSync(emptyHome, { recursive: true, force: true }))

export interface RunOptions {
  readonly cwd: string
  readonly env?: Record<string, string>
  /** Text for stdin; `open` leaves it open. @default nothing */
  readonly stdin?: string | 'open'
  /** Width of the terminal that stdout seems to be. @default not a terminal */
  readonly columns?: number
  /** Only for a process of its own: the modes of files bind it even if root runs the tests. */
  readonly bound?: boolean
}

export interface Ran {
  readonly code: number | null
  readonly signal: NodeJS.Signals | null
  readonly stdout: string
  readonly stderr: string
}

export interface Running {
  readonly child: ChildProcess
  readonly ended: Promise<Ran>
  /** Everything that stdout has received so far. */
  output(): string
  /** Resolves when stdout or stderr has received the text; rejects if the process ends without it. */
  saw(text: string): Promise<void>
}

/** The environment of each command: it has a home of its own, which all commands of a test file share. */
export function environment(): Record<string, string> {
  const { PATH = '', SystemRoot } = process.env
  return { PATH, HOME: emptyHome, ...(SystemRoot && { SystemRoot }), GIT_CONFIG_NOSYSTEM: '1' }
}

/** Drops the rights by which root passes over modes. Another user could not read a checkout that only root may enter. */
const withoutOverride = ['setpriv', '--bounding-set=-dac_override,-dac_read_search']

/** Starts the command as a process of its own; the environment sets nothing about colours, stores or debugging. */
export function start(
  args: readonly string[],
  { cwd, env = {}, stdin = '', bound = false }: RunOptions,
): Running {
  const prefix = bound && process.getuid?.() === 0 ? withoutOverride : []
  const [program = process.execPath, ...rest] = [...prefix, process.execPath, bin, ...args]
  const child = spawn(program, rest, { cwd, env: { ...environment(), ...env } })
  // The command may end before it has read everything.
  child.stdin.on('error', () => undefined)
  if (stdin === 'open') child.stdin.write('\n')
  else child.stdin.end(stdin)
  const got = { stdout: '', stderr: '' }
  child.stdout.setEncoding('utf8').on('data', (chunk: string) => (got.stdout += chunk))
  child.stderr.setEncoding('utf8').on('data', (chunk: string) => (got.stderr += chunk))
  const ended = new Promise<Ran>((done, fail) => {
    child.once('error', fail)
    child.once('close', (code, signal) => done({ code, signal, ...got }))
  })
  return {
    child,
    ended,
    output: () => got.stdout,
    saw: async (text) => {
      const seen = (): boolean => got.stdout.includes(text) || got.stderr.includes(text)
      while (!seen() && child.exitCode === null && child.signalCode === null)
        await new Promise((done) => setTimeout(done, 5))
      if (!seen()) throw new Error(`ended without ${JSON.stringify(text)}: ${got.stdout}${got.stderr}`)
    },
  }
}

/** Runs the command as a process of its own. */
export async function runAlone(args: readonly string[], options: RunOptions): Promise<Ran> {
  return await start(args, options).ended
}

/** Of all test files that run in this process, one after the other: the first commands of a process are slow. */
const shared: { tenfold?: { readonly child: Promise<ChildProcess>; ran: number } } = globalThis as object
/** A process that has grown starts others slowly. */
const maxRuns = 250
let last: Promise<unknown> = Promise.resolve()

/**
 * Runs the command in a process that runs one command after the other, since most of the time of a command is its
 * start; in its own process if stdin stays open.
 */
export async function run(args: readonly string[], options: RunOptions): Promise<Ran> {
  if (options.stdin === 'open') return await runAlone(args, options)
  const turn = last.then(() => ask(args, options))
  last = turn.catch(() => undefined)
  return await turn
}

async function ask(
  args: readonly string[],
  { cwd, env = {}, stdin = '', columns }: RunOptions,
): Promise<Ran> {
  shared.tenfold ??= { child: startServer(), ran: 0 }
  const server = shared.tenfold
  const child = await server.child
  server.ran += 1
  child.send({ args, cwd, env: { ...environment(), ...env }, stdin, columns })
  child.ref()
  const done = new AbortController()
  try {
    const [answer] = await Promise.race([
      once(child, 'message', { signal: done.signal }),
      once(child, 'exit', { signal: done.signal }).then(() => {
        delete shared.tenfold
        throw new Error(`the process ended during tenfold ${args.join(' ')}`)
      }),
    ])
    return { signal: null, ...(answer as Omit<Ran, 'signal'>) }
  } finally {
    done.abort()
    child.unref()
    if (server.ran >= maxRuns) {
      delete shared.tenfold
      child.disconnect()
    }
  }
}

async function startServer(): Promise<ChildProcess> {
  const child = fork(resolve(import.meta.dirname, 'command-server.js'), {
    stdio: ['ignore', 'inherit', 'inherit', 'ipc'],
  })
  await once(child, 'message')
  child.channel?.unref()
  child.unref()
  return child
}

/** The objects in lines of JSON. */
export function linesOf<T = Record<string, unknown>>({ stdout }: Pick<Ran, 'stdout'>): T[] {
  return stdout
    .split('\n')
    .filter(Boolean)
    .map((line) => JSON.parse(line))
}
