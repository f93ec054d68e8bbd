import { execFile } from 'node:child_process'
import { mkdir } from 'node:fs/promises'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { median } from './clock.ts'
import type { Measure } from './measures.ts'

const run = promisify(execFile)
const program = fileURLToPath(new URL('../../../packages/cli/bin/tenfold.js', import.meta.url))
const core = import.meta.resolve('@tenfold/core')

/** What is started; an empty store has nothing to list, and `resume` ends with 1 there. */
const commands = [['--version'], ['--help'], ['list'], ['resume'], ['hook', 'claude-code']]
const starts = [
  { what: 'node -e 0', args: ['-e', '0'] },
  ...commands.map((args) => ({ what: `start: tenfold ${args.join(' ')}`, args: [program, ...args] })),
  { what: "start: import '@tenfold/core'", args: ['--input-type=module', '-e', `await import('${core}')`] },
]

/** CPU time of the command and of core's import until the process ends, against a Node process that does nothing. */
export async function measureStart(folder: string, repeat: number): Promise<Measure[]> {
  await mkdir(folder, { recursive: true })
  const times = starts.map((): number[] => [])
  for (let round = 0; round < repeat; round++)
    for (const [index, { args }] of starts.entries()) times[index]?.push(await cpuTime(args, folder))
  const [base = 0, ...taken] = times.map(median)
  return taken.map((value, index) => ({
    what: starts[index + 1]?.what ?? '',
    ...{ value, unit: 'ms', against: 'node -e 0', base, ratio: value / base },
  }))
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
  const { stderr } = await child.catch((failed: { stderr: string }) => failed)
  return Number(/cpu (\d+)$/.exec(stderr)?.[1]) / 1000
}
