import { execFile } from 'node:child_process'
import { mkdir } from 'node:fs/promises'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { median } from './clock.ts'
import type { Measure } from './measures.ts'

const run = promisify(execFile)
/** The program under test. */
export const program = fileURLToPath(new URL('../../../packages/cli/bin/tenfold.js', import.meta.url))

/**
 * What is started: `list` finds an empty store, `checkpoint save` adds the first checkpoint, `resume` and the hook at a
 * start find that. A hook at another event only writes what is to be done.
 */
const commands = [
  ['--version'],
  ['--help'],
  ['list'],
  ['checkpoint', 'save', '--step', 'started'],
  ['resume'],
]
const hooks = ['SessionStart', 'SessionEnd'].map((event) => ({
  what: `start: tenfold hook claude-code (${event})`,
  args: [program, 'hook', 'claude-code'],
  input: JSON.stringify({
    hook_event_name: event,
    source: 'startup',
    session_id: 's-1',
    transcript_path: program,
  }),
}))
// The others load the SDK of their vendor.
const summarizers = ['extractive', 'model', 'batch']
const modules = [
  ...['', '/bundle', '/storage', '/summarizer'].map((path) => `@tenfold/core${path}`),
  ...summarizers.map((name) => `@tenfold/summarizers/${name}`),
]
const starts = [
  { what: 'node -e 0', args: ['-e', '0'] },
  ...commands.map((args) => ({ what: `start: tenfold ${args.join(' ')}`, args: [program, ...args] })),
  ...hooks,
  ...modules.map((name) => ({
    what: `start: import '${name}'`,
    args: ['--input-type=module', '-e', `await import('${import.meta.resolve(name)}')`],
  })),
]

/** Starts that are added up, so that the hundredths of a second in which the system counts are a small part. */
const mostRuns = 20

/** CPU time of the commands and imports until the process ends, against a Node process that does nothing. */
export async function measureStart(folder: string, repeat: number): Promise<Measure[]> {
  await mkdir(folder, { recursive: true })
  const runs = Math.min(4 * repeat, mostRuns)
  const times = starts.map((): number[] => [])
  for (let round = 0; round < repeat; round++) {
    const stores = join(folder, `round-${round}`)
    for (const [index, start] of starts.entries()) {
      const input = 'input' in start ? start.input : '{}'
      times[index]?.push(await cpuTime(start.args, folder, { runs, stores, input }))
    }
  }
  const [base = 0, ...taken] = times.map(median)
  return taken.map((value, index) => ({
    what: starts[index + 1]?.what ?? '',
    ...{ value, unit: 'ms', against: 'node -e 0', base, ratio: value / base },
  }))
}

interface Runs {
  readonly runs?: number
  /** Beginning of the path of each run's own store. */
  readonly stores?: string
  /** What is written to stdin. @default an empty object */
  readonly input?: string
}

/**
 * Milliseconds of CPU time, user and system, that a Node process takes, as the system counts it for its parent: a mean,
 * since the system counts in hundredths of a second.
 */
export async function cpuTime(
  args: readonly string[],
  home: string,
  { runs = 3, stores = join(home, 'store'), input = '{}' }: Runs = {},
): Promise<number> {
  const numbers = Array.from({ length: runs }, (_, run) => run).join(' ')
  const loop = `for i in ${numbers}; do printf %s "$INPUT" | TENFOLD_STORE="$0-$i" "$@" >/dev/null 2>&1; done; times`
  const { stdout } = await run('sh', ['-c', loop, stores, process.execPath, ...args], {
    cwd: home,
    env: { PATH: process.env.PATH, HOME: home, TENFOLD_HOME: home, TENFOLD_HOOK_WORKER: 'off', INPUT: input },
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
