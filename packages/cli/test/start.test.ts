import { spawnSync } from 'node:child_process'
import { cpSync, readFileSync, truncateSync, writeFileSync } from 'node:fs'
import { resolve } from 'node:path'
import { describe, expect, it } from 'vitest'
import { testFolder } from '../../../test/support/test-folder.ts'

const bin = resolve(import.meta.dirname, '../bin/tenfold.js')
const probe = resolve(import.meta.dirname, 'support/list-loaded.cjs')
const at = testFolder('all')

interface Loaded {
  readonly builtins: readonly string[]
  readonly files: number
  readonly bytes: number
}

function loadedBy(args: readonly string[]): Loaded {
  const { PATH, SystemRoot } = process.env
  const { output } = spawnSync(process.execPath, ['--require', probe, bin, ...args], {
    cwd: at(),
    env: { PATH, SystemRoot, HOME: at(), TENFOLD_HOME: at(), TENFOLD_HOOK_WORKER: 'off' },
    input: '{}',
    encoding: 'utf8',
    stdio: ['pipe', 'pipe', 'pipe', 'pipe'],
  })
  return JSON.parse(output[3] ?? '')
}

// What a start loads is what it takes, and does not depend on the machine. Raise a limit only with a reason.
describe('a start', () => {
  it.each([
    // What writes to stdout without Node's streams is a kilobyte; what keeps compiled code for the next run is two, in
    // all that follow too, and saves a third of the time of commands.
    { args: ['--version'], files: 4, kilobytes: 9 },
    // It knows the help of -h from that of --help, and a command that is none; and rewords what is wrong with a value.
    { args: ['--help'], files: 6, kilobytes: 100 },
    // It knows which sessions still run, and refuses pipes in the place of files. What writes lines without options is here,
    // so that a brief is given without what parses options: 80 kB less, in a file more for the commands below.
    { args: ['hook', 'claude-code'], files: 6, kilobytes: 69 },
    { args: ['list'], files: 10, kilobytes: 218 },
    // It redacts: forms of secrets are added, and the time of a pattern is limited.
    { args: ['checkpoint', 'save', '--step', 'started'], files: 11, kilobytes: 390 },
    // It names sessions that ended without an event, as hooks find them, and what was not saved on this machine, as show
    // does; its options suggest a choice. Open steps that a commit seems to have done are marked.
    { args: ['resume'], files: 12, kilobytes: 314 },
  ])('of $args.0 loads few files', ({ args, files, kilobytes }) => {
    const loaded = loadedBy(args)
    expect(loaded.files).toBeGreaterThan(1)
    expect(loaded.files).toBeLessThanOrEqual(files)
    expect(loaded.bytes).toBeLessThanOrEqual(kilobytes * 1000)
  })

  it.each([[['--help']], [['hook', 'claude-code']], [['list']]])(
    'of %j loads none of the larger modules of Node',
    (args) => {
      const { builtins } = loadedBy(args)
      expect(builtins).toContain('fs')
      const larger = ['crypto', 'child_process', 'http', 'https', 'worker_threads', 'readline']
      expect(builtins.filter((name) => larger.includes(name))).toEqual([])
    },
  )

  it.each([[['checkpoint', 'save', '--step', 'started']], [['resume']]])(
    'of %j loads neither streams, a clock, nor what starts threads and processes',
    (args) => {
      const { builtins } = loadedBy(args)
      expect(builtins).toContain('fs')
      const larger = [
        ...['child_process', 'fs/promises', 'http', 'https', 'net', 'perf_hooks', 'readline'],
        'worker_threads',
      ]
      expect(builtins.filter((name) => larger.includes(name))).toEqual([])
    },
  )

  // V8 crashes or hangs on code that is damaged.
  it.each([
    ['changed', (path: string) => writeFileSync(path, readFileSync(path).fill(255, 90_000, 91_000))],
    ['cut off', (path: string) => truncateSync(path, 50_000)],
    ['emptied', (path: string) => truncateSync(path)],
  ])('does not use compiled code that was %s', (_, damage) => {
    const kept = resolve(bin, `../../lib/.cache/${process.version}-${process.arch}/share`)
    const run = () => spawnSync(process.execPath, [bin, 'share', '--help'], { encoding: 'utf8' })
    const first = run()
    damage(kept)
    const damaged = readFileSync(kept)
    const again = run()
    expect(again.status).toBe(0)
    expect(again.stdout).toBe(first.stdout)
    expect(readFileSync(kept).equals(damaged)).toBe(false)
  })

  it('does not use compiled code of a file that changed since, though it is as long', () => {
    const folder = at('copy')
    for (const name of ['bin', 'lib', 'package.json'])
      cpSync(resolve(bin, '../..', name), resolve(folder, name), { recursive: true })
    const run = () => spawnSync(process.execPath, [resolve(folder, 'bin/tenfold.js'), '--version'])
    expect([run().status, run().status]).toEqual([0, 0])
    const start = resolve(folder, 'lib/start.js')
    const text = readFileSync(start, 'utf8')
    const changed = text.replace(/^Object\.defineProperty\(/, 'throw 1;         void(')
    expect(changed).not.toBe(text)
    expect(changed).toHaveLength(text.length)
    writeFileSync(start, changed)
    expect(run().status).toBe(1)
  })
})
