import { execFile } from 'node:child_process'
import { mkdir } from 'node:fs/promises'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { median } from './clock.ts'
import type { Measure } from './measures.ts'

const run = promisify(execFile)

/** What is started; an empty store has nothing to list. */
const commands = [['--version'], ['--help'], ['list'], ['hook', 'claude-code']]

/** CPU time of the published command until it ends, against a Node process that does nothing. */
export async function measureStart(folder: string, repeat: number): Promise<Measure[]> {
  const program = await packCommand(folder)
  const subjects = [['-e', '0'], ...commands.map((args) => [program, ...args])]
  const times = subjects.map((): number[] => [])
  for (let round = 0; round < repeat; round++)
    for (const [index, args] of subjects.entries()) times[index]?.push(await cpuTime(args, folder))
  const [base = 0, ...taken] = times.map(median)
  return taken.map((value, index) => ({
    what: `start: tenfold ${commands[index]?.join(' ')}`,
    ...{ value, unit: 'ms', against: 'node -e 0', base, ratio: value / base },
  }))
}

/** Makes the published files of the command in a folder. Returns the path of the program. */
async function packCommand(folder: string): Promise<string> {
  const source = fileURLToPath(new URL('../../../packages/cli', import.meta.url))
  await mkdir(folder, { recursive: true })
  const { stdout } = await run('npm', ['pack', '--json', '--pack-destination', folder], { cwd: source })
  const [packed]: { filename: string }[] = JSON.parse(stdout.slice(stdout.indexOf('[\n')))
  await run('tar', ['-xzf', join(folder, packed?.filename ?? ''), '-C', folder])
  return join(folder, 'package/bin/tenfold.js')
}

/** Milliseconds of CPU time, user and system, that a Node process has taken at its exit. */
async function cpuTime(args: readonly string[], home: string): Promise<number> {
  const report =
    'data:text/javascript,process.on("exit",()=>{const{user,system}=process.cpuUsage();process.stderr.write("\\ncpu "+(user+system))})'
  const child = run(process.execPath, ['--import', report, ...args], {
    cwd: home,
    env: { PATH: process.env.PATH, HOME: home, TENFOLD_HOME: home, TENFOLD_HOOK_WORKER: 'off' },
  })
  child.child.stdin?.end('{}')
  const { stderr } = await child
  return Number(/cpu (\d+)$/.exec(stderr)?.[1]) / 1000
}
