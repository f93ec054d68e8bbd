import { execFile } from 'node:child_process'
import { mkdir } from 'node:fs/promises'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { median } from './clock.ts'
import type { Measure } from './measures.ts'

const run = promisify(execFile)
/** The program under test. */
export const program = fileURLToPath(new URL('../../../packages/cli/bin/tenfold.js', import.meta.url))

/** What is started; an empty store has nothing to list, and `resume` ends with 1 there. */
const commands = [
  ['--version'],
  ['--help'],
  ['checkpoint', 'save', '--step', 'started'],
  ['list'],
  ['resume'],
  ['hook', 'claude-code'],
]
// The others load the SDK of their vendor.
const summarizers = ['extractive', 'model', 'batch']
const modules = [
  ...['', '/bundle', '/storage', '/summarizer'].map((path) => `@tenfold/core${path}`),
  ...summarizers.map((name) => `@tenfold/summarizers/${name}`),
]
const starts = [
  { what: 'node -e 0', args: ['-e', '0'] },
  ...commands.map((args) => ({ what: `start: tenfold ${args.join(' ')}`, args: [program, ...args] })),
  ...modules.map((name) => ({
    what: `start: import '${name}'`,
    args: ['--input-type=module', '-e', `await import('${import.meta.resolve(name)}')`],
  })),
]

/** CPU time of the commands and imports until the process ends, against a Node process that does nothing. */
export async function measureStart(folder: string, repeat: number): Promise<Measure[]> {
  await mkdir(folder, { recursive: true })
  const times = starts.map((): number[] => [])
  for (let round = 0; round < repeat; round++)
    for (const [index, { args }] of starts.entries())
      times[index]?.push(await cpuTime(args, folder, Math.min(repeat, 3)))
  const [base = 0, ...taken] = times.map(median)
  return taken.map((value, index) => ({
    what: starts[index + 1]?.what ?? '',
    ...{ value, unit: 'ms', against: 'node -e 0', base, ratio: value / base },
  }))
}

/**
 * Milliseconds of CPU time, user and system, that a Node process takes, as the system counts it for its parent: a mean,
 * since the system counts in hundredths of a second.
 */
export async function cpuTime(args: readonly string[], home: string, runs = 3): Promise<number> {
  const loop = `for i in ${' 1'.repeat(runs)}; do echo '{}' | "$@" >/dev/null 2>&1; done; times`
  const { stdout } = await run('sh', ['-c', loop, 'sh', process.execPath, ...args], {
    cwd: home,
    env: { PATH: process.env.PATH, HOME: home, TENFOLD_HOME: home, TENFOLD_HOOK_WORKER: 'off' },
  })
  // The second line is of the children.
  const times =
    stdout
      .trim()
      .split('\n')[1]
      ?.matchAll(/(\d+)m([\d.]+)s/g) ?? []
  const seconds = Array.from(times, ([, minutes, rest]) => Number(minutes) * 60 + Number(rest))
  return (seconds.reduce((sum, each) => sum + each, 0) * 1000) / runs
}
