import { mkdirSync, readdirSync } from 'node:fs'
import { beforeEach, describe, expect, it } from 'vitest'
import { age, testFolder } from '../../../test/support/test-folder.ts'
import { testStandIn } from '../../../test/support/test-stand-in.ts'
import { testHome } from './support/agent-home.ts'
import { claudeLog, writeClaudeLog } from './support/claude-log.ts'
import { linesOf, type Ran, type Running, run, start } from './support/run.ts'

const at = testFolder('each')
const standIn = testStandIn('each')
const home = testHome()
const logs = ['logs/a.jsonl', 'logs/b.jsonl', 'logs/c.jsonl']
beforeEach(async () => {
  mkdirSync(at('logs'))
  for (const log of logs) writeClaudeLog(at(log), { session: log.slice(5, 6), rounds: 2 })
})

const model = () => ['--summarizer', 'anthropic', '--model', 'claude-opus-5-5', '--base-url', standIn.url]

function compress(...more: string[]): Running {
  const args = ['compress', 'logs', ...model(), '--concurrency', '2', ...more]
  return start(args, { cwd: at(), env: { ANTHROPIC_API_KEY: 'test-key' } })
}

const tenfold = (...args: string[]): Promise<Ran> => run(args, { cwd: at() })
const listed = async (): Promise<string[]> =>
  JSON.parse((await tenfold('list', '--json')).stdout)
    .map(({ sessionId }: { sessionId: string }) => sessionId)
    .sort()
const leases = (): string[] => readdirSync(at('.agents/bundles/working'))

interface Line {
  readonly log: string
  readonly known?: boolean
  readonly elsewhere?: boolean
  readonly bundle: { readonly id: string }
}

const logsOf = (ran: Ran): Line[] => linesOf<Line>(ran).filter((line) => 'log' in line)

/** What both print that are started together, one of which waits with this message for the other. */
async function bothOf(start: () => Running, message: string): Promise<[Ran, Ran]> {
  const release = standIn.hold()
  const runs = [start(), start()] as const
  await Promise.any(runs.map((run) => run.saw(message)))
  release()
  return await Promise.all([runs[0].ended, runs[1].ended])
}

describe('two runs at once in one store', () => {
  it('compress each log once', async () => {
    const runs = await bothOf(() => compress('--json'), 'logs/a.jsonl: another run')
    expect(runs.map(({ code }) => code)).toEqual([0, 0])
    expect(standIn.bill).toHaveLength(3)
    expect(await listed()).toEqual(['a', 'b', 'c'])
    for (const log of logs) {
      const lines = runs.map((run) => logsOf(run).find((line) => line.log === log))
      expect(lines.map((line) => line?.bundle.id)).toEqual(Array(2).fill(lines[0]?.bundle.id))
      expect(lines.filter((line) => line?.known && line.elsewhere)).toHaveLength(1)
    }
    expect(runs.map(({ stderr }) => stderr).join('')).toMatch(
      /logs\/a\.jsonl: another run(?: \(process \d+\))? is compressing it; waiting for its bundle/,
    )
    expect(leases()).toEqual([])
    expect(await tenfold('verify')).toMatchObject({ code: 0 })
  })

  it('say how many logs the other one did', async () => {
    const release = standIn.hold()
    const first = compress('--json')
    await standIn.requested(2)
    const waiting = compress()
    await waiting.saw('another run')
    release()
    const [second] = await Promise.all([waiting.ended, first.ended])
    // The third log goes to whichever of the two is free first.
    expect(second.stdout).toMatch(/[23] logs compressed by another run meanwhile\./)
    const before = await compress().ended
    expect(before.stdout).toContain('3 logs already compressed.')
    expect(standIn.bill).toHaveLength(3)
  })

  it.runIf(process.platform !== 'win32')('end the wait with Ctrl-C', async () => {
    standIn.hold()
    const first = compress('--json')
    await standIn.requested(2)
    const second = compress('--json')
    await second.saw('another run')
    second.child.kill('SIGINT')
    expect((await second.ended).code).toBe(130)
    expect(leases()).toHaveLength(2)
    first.child.kill('SIGINT')
    expect((await first.ended).code).toBe(130)
    expect(leases()).toEqual([])
  })

  it('are a sweep and a run by hand, too', async () => {
    const log = home.write('.claude/projects/-shop/s-1.jsonl', claudeLog({ session: 's-1', rounds: 2 }))
    age(log, 30)
    const store = home.at('store')
    const env = { HOME: home.at(), TENFOLD_HOME: home.state, ANTHROPIC_API_KEY: 'test-key' }
    const options = ['--json', '--store', store, ...model()]
    const release = standIn.hold()
    const byHand = start(['compress', log, ...options], { cwd: home.project, env })
    await standIn.requested(1)
    const sweep = start(['sweep', ...options], { cwd: home.project, env })
    await sweep.saw('another run')
    release()
    expect((await byHand.ended).code).toBe(0)
    expect((await sweep.ended).code).toBe(0)
    expect(standIn.bill).toHaveLength(1)
    expect(home.bundles(store)).toHaveLength(1)
  })
})
