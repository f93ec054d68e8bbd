import type { ChildProcess } from 'node:child_process'
import { lstatSync, readFileSync, statSync } from 'node:fs'
import { devNull } from 'node:os'
import { dirname, join } from 'node:path'
import type { AbortableOptions } from '../session/abortable-options.ts'

/** How a call of git ended. `missing`: git is not installed; `stopped`: it took too long or could not run. */
export interface GitAnswer {
  readonly end: 'ok' | 'refused' | 'missing' | 'stopped'
  readonly stdout: string
  readonly stderr: string
  /** Set if git printed more than was read; `stdout` then holds the beginning. */
  readonly cut?: true
  /** Set if git was stopped because it waited for a pipe without a writer. */
  readonly idle?: true
}

interface GitBytesAnswer extends Omit<GitAnswer, 'stdout'> {
  readonly stdout: Buffer
}

export interface RunGitOptions extends AbortableOptions {
  /** Milliseconds. @default 10_000 */
  readonly timeout?: number | undefined
  /**
   * Run the content filters (Git LFS and the like) that the settings of the user and of the repository name. They are
   * programs: set this only for a repository whose settings nobody else could write. @default false
   */
  readonly filters?: boolean | undefined
}

export interface RunGitBytesOptions extends RunGitOptions {
  readonly input?: Uint8Array | undefined
  /** Additional environment variables, such as the location of the index and of the objects. */
  readonly env?: Readonly<Record<string, string>> | undefined
  /** Maximum bytes of output that are read. @default 4 MiB */
  readonly maxOutput?: number | undefined
  /** Protocols that git may use to reach other repositories, joined by `:`. @default none */
  readonly protocols?: string | undefined
}

const defaultMaxOutput = 4 * 1024 * 1024

/** The only `GIT_*` variables to keep: they locate git's settings, and do not choose a repository. */
const keptVariables =
  /^GIT_(?:CEILING_DIRECTORIES|CONFIG_GLOBAL|CONFIG_NOSYSTEM|CONFIG_SYSTEM|DISCOVERY_ACROSS_FILESYSTEM)$/

// No setting of a repository may run a program or change the output. Allowing no transport also rules out credential
// helpers, `core.sshCommand` and `ext::`.
const settings = [
  'core.fsmonitor=false',
  `core.hooksPath=${devNull}`,
  'core.quotePath=false',
  'submodule.recurse=false',
]

/** Commands that neither read nor write content of the work tree, so that no filter runs. */
const withoutContent =
  /^(?:cat-file|check-attr|config|for-each-ref|rev-list|rev-parse|show-ref|symbolic-ref)$/

/**
 * Runs a git command that only reads, without running anything that a repository names: no hook, filter (except with
 * `filters`), fsmonitor, pager, external diff, credential helper or transport. It takes no locks, asks nothing, and
 * ignores the variables by which a git hook ties its children to another repository. Throws only if `signal` is
 * aborted.
 */
export async function runGit(
  cwd: string,
  args: readonly string[],
  options: RunGitBytesOptions = {},
): Promise<GitAnswer> {
  const answer = await runGitBytes(cwd, args, options)
  return { ...answer, stdout: answer.stdout.toString('utf8') }
}

/** {@link runGit} for binary output, for commands with stdin or their own index, and for the few that write. */
export async function runGitBytes(
  cwd: string,
  args: readonly string[],
  options: RunGitBytesOptions = {},
): Promise<GitBytesAnswer> {
  const { filters = false, env = {} } = options
  const blocker = blockingFile(cwd)
  if (blocker !== undefined)
    return refused(`${blocker} is a pipe or a device, and git would wait for it: remove it`)
  if (filters || withoutContent.test(commandOf(args))) return await spawnGit(cwd, args, options)
  const { input: _, ...reading } = options
  const list = ['config', '--list', '--name-only', '-z']
  const listed = await spawnGit(cwd, list, { ...reading, maxOutput: defaultMaxOutput })
  if (listed.end !== 'ok') return listed
  const off = listed.cut ? undefined : withoutFilters(listed.stdout)
  if (off === undefined) return refused('the filters of the repository cannot be switched off')
  return await spawnGit(cwd, args, { ...options, env: { ...off, ...env } })
}

function refused(stderr: string): GitBytesAnswer {
  return { end: 'refused', stdout: Buffer.alloc(0), stderr }
}

/**
 * Variables that switch off each content filter of the repository's settings, given all their names. A filter is a
 * program: whoever can write `.git/config` could run one as us. An empty command passes the content through:
 * https://git-scm.com/docs/gitattributes#_filter. Variables override all files, and their names may contain any
 * character, even `=`: https://git-scm.com/docs/git-config#ENVIRONMENT. Returns `undefined` if a name is not UTF-8.
 */
function withoutFilters(listed: Buffer): Record<string, string> | undefined {
  const keys = listed.toString('utf8')
  // A variable cannot hold a name that is not UTF-8, so its filter could not be switched off.
  if (keys.includes('\ufffd')) return undefined
  const names = new Set(
    keys
      .split('\0')
      .flatMap((key) => /^filter\.([\s\S]*)\.(?:clean|smudge|process|required)$/.exec(key)?.[1] ?? []),
  )
  const values = { clean: '', smudge: '', process: '', required: 'false' }
  const off = [...names].flatMap((name) =>
    Object.entries(values).map(([part, value]) => [`filter.${name}.${part}`, value] as const),
  )
  const variables: Record<string, string> = { GIT_CONFIG_COUNT: String(off.length) }
  for (const [index, [key, value]] of off.entries()) {
    variables[`GIT_CONFIG_KEY_${index}`] = key
    variables[`GIT_CONFIG_VALUE_${index}`] = value
  }
  return variables
}

/** Files of a work tree and of its repository that git opens whatever their type: a pipe would block it. */
const openedFiles = ['.gitignore', '.gitattributes', '.git']
const openedInRepository = ['config', 'HEAD', 'index', 'packed-refs', 'info/exclude', 'info/attributes']

/** Returns the first file around `cwd` that git would open although it is a pipe, a device or a socket. */
function blockingFile(cwd: string): string | undefined {
  for (let folder = cwd; ; folder = dirname(folder)) {
    const repository = join(folder, '.git')
    const found = seen(() => lstatSync(repository))
    if (found === undefined && folder !== dirname(folder)) continue
    const names = [...openedFiles, ...openedInRepository.map((name) => join('.git', name))]
    return found && names.map((name) => join(folder, name)).find(isSpecial)
  }
}

function isSpecial(path: string): boolean {
  const found = seen(() => statSync(path))
  return found !== undefined && !found.isFile() && !found.isDirectory()
}

/** Returns the result of a look at the file system; undefined if it fails, since git reports the reason better. */
export function seen<T>(look: () => T): T | undefined {
  try {
    return look()
  } catch {
    return undefined
  }
}

/** Returns options whose timeout covers all calls made with them, from now on. */
export function sharedTime<T extends RunGitOptions>(options: T): T {
  const end = performance.now() + (options.timeout ?? lookMs)
  return Object.defineProperty({ ...options }, 'timeout', {
    enumerable: true,
    get: () => Math.max(1, Math.ceil(end - performance.now())),
  })
}

const lookMs = 5_000

function commandOf(args: readonly string[]): string {
  let at = 0
  while (args[at] === '-c') at += 2
  return args[at] ?? ''
}

async function spawnGit(
  cwd: string,
  args: readonly string[],
  {
    timeout = 10_000,
    signal,
    input,
    env = {},
    maxOutput = defaultMaxOutput,
    protocols = 'none',
    filters = false,
  }: RunGitBytesOptions = {},
): Promise<GitBytesAnswer> {
  signal?.throwIfAborted()
  const all = ['--no-optional-locks', '--no-pager', ...settings.flatMap((each) => ['-c', each]), ...args]
  const options = {
    cwd,
    timeout,
    env: { ...environment(process.env), GIT_ALLOW_PROTOCOL: protocols, ...env },
    encoding: 'buffer',
    maxBuffer: maxOutput,
    windowsHide: true,
    killSignal: 'SIGKILL',
    signal,
  } as const
  // Imported here, because it loads Node's network modules.
  const { execFile } = await import('node:child_process')
  const answer = await new Promise<GitBytesAnswer>((done) => {
    const child = execFile('git', all, options, (error, stdout, stderr) => {
      const idle = watch?.()
      done(idle ? idleAnswer : answerOf(error, stdout, stderr.toString('utf8')))
    })
    // A filter or a server may take longer.
    const watch = filters || protocols !== 'none' ? undefined : endIfIdle(child)
    // Git may end before it has read all of its input: the exit code decides.
    child.stdin?.on('error', () => undefined)
    if (input !== undefined) child.stdin?.end(input)
  })
  signal?.throwIfAborted()
  return answer
}

const idleAnswer: GitBytesAnswer = {
  end: 'stopped',
  idle: true,
  stdout: Buffer.alloc(0),
  stderr:
    'git waits for a pipe that one of its settings or files names: run git status in this folder to see',
}

/** Kernel functions in which a process sleeps while it opens a pipe without a writer: `fifo_open` of fs/pipe.c. */
const opensPipe = /^(?:wait_for_partner|fifo_open|pipe_wait)/

/**
 * Kills git if it is opening a pipe without a writer at three checks in a row, one second apart: any file that its
 * settings include may be one. A slow disk makes it sleep in another function. Returns a function that ends the watch
 * and returns whether git was killed. Works only on Linux; elsewhere the timeout ends git.
 */
function endIfIdle(child: ChildProcess): () => boolean {
  let looks = 0
  const timer = setInterval(() => {
    const sleepsIn = seen(() => readFileSync(`/proc/${child.pid}/wchan`, 'latin1')) ?? ''
    looks = opensPipe.test(sleepsIn) ? looks + 1 : 0
    if (looks >= 3) child.kill('SIGKILL')
  }, 1000)
  return () => {
    clearInterval(timer)
    return looks >= 3
  }
}

function answerOf(
  error: (Error & { code?: string | number | null | undefined }) | null,
  stdout: Buffer,
  stderr: string,
): GitBytesAnswer {
  if (error === null) return { end: 'ok', stdout, stderr }
  if (error.code === 'ERR_CHILD_PROCESS_STDIO_MAXBUFFER') return { end: 'ok', stdout, stderr, cut: true }
  if (error.code === 'ENOENT') return { end: 'missing', stdout, stderr }
  if (typeof error.code === 'number') return { end: 'refused', stdout, stderr }
  return { end: 'stopped', stdout, stderr: stderr || error.message }
}

function environment(from: NodeJS.ProcessEnv): NodeJS.ProcessEnv {
  const kept = Object.entries(from).filter(([name]) => !/^GIT_/i.test(name) || keptVariables.test(name))
  return {
    ...Object.fromEntries(kept),
    LC_ALL: 'C',
    LANGUAGE: '',
    GIT_TERMINAL_PROMPT: '0',
    GIT_NO_LAZY_FETCH: '1',
  }
}

/** Returns output without its final newline. A folder name may end with other white space. */
export function oneLine({ stdout }: { readonly stdout: string | Buffer }): string {
  return String(stdout).replace(/\r?\n$/, '')
}
