import { copyFileSync, mkdirSync, readdirSync, readFileSync, utimesSync, writeFileSync } from 'node:fs'
import { beforeEach, describe, expect, it } from 'vitest'
import { testFolder } from '../../../test/support/test-folder.ts'
import { testStandIn } from '../../../test/support/test-stand-in.ts'
import { writeClaudeLog } from './support/claude-log.ts'
import { linesOf, type Ran, run, start } from './support/run.ts'

const at = testFolder('each')
const standIn = testStandIn('each')
beforeEach(() => {
  mkdirSync(at('logs'))
})

const env = { ANTHROPIC_API_KEY: 'test-key' }
const tenfold = (...args: string[]): Promise<Ran> => run(args, { cwd: at(), env })
const claude = () => ['--summarizer', 'anthropic', '--model', 'claude-opus-5-5', '--base-url', standIn.url]
const jsonOf = (ran: Ran) => linesOf(ran).filter((line) => 'log' in line)
const listed = async (): Promise<{ id: string; sessionId: string }[]> =>
  JSON.parse((await tenfold('list', '--json')).stdout)
const leases = (): string[] => readdirSync(at('.agents/bundles/working'))

/** Logs `a`, `b`, … of one session each, the first one changed first. */
function writeLogs(count: number, rounds = 2): string[] {
  return Array.from({ length: count }, (_, index) => {
    const name = `${String.fromCharCode(97 + index)}.jsonl`
    writeClaudeLog(at('logs', name), { session: `session-${index}`, rounds })
    utimesSync(at('logs', name), 1_700_000_000 + index, 1_700_000_000 + index)
    return `logs/${name}`
  })
}

function filesIn(path: string): string[] {
  return readdirSync(path, { recursive: true, encoding: 'utf8' }).sort()
}

describe('compress FOLDER, again', () => {
  it('leaves logs with nothing to remember out of its totals, and counts them', async () => {
    writeLogs(2, 6)
    const line = {
      type: 'user',
      uuid: 'u1',
      sessionId: 'session-9',
      message: { role: 'user', content: 'hi' },
    }
    writeFileSync(at('logs/z.jsonl'), `${JSON.stringify(line)}\n`)
    // The name of the track is in the bundle.
    const on = ['compress', '--track', 'main']
    const kept = (await tenfold(...on, '--store', 'other', 'logs/a.jsonl', 'logs/b.jsonl')).stdout
    const tokens = /[\d,]+ → [\d,]+ tokens \([\d.]+ %\)/.exec(kept.slice(kept.lastIndexOf(' done')))?.[0]
    const all = await tenfold(...on, 'logs')
    expect(all.stdout).toContain(`3 done (1 with nothing to remember), 0 failed · ${tokens}`)
  })

  it('does nothing if nothing changed, and bills nothing', async () => {
    const logs = writeLogs(3)
    expect(jsonOf(await tenfold('compress', '--json', ...claude(), 'logs')).map(({ log }) => log)).toEqual(
      logs,
    )
    expect(standIn.bill).toHaveLength(3)
    const before = filesIn(at('.agents'))
    const again = await tenfold('compress', '--json', ...claude(), 'logs')
    expect(again).toMatchObject({ code: 0, stderr: '' })
    expect(jsonOf(again)).toEqual(
      logs.map((log, index) => ({
        log,
        known: true,
        format: 'claude-code',
        sessionId: `session-${index}`,
        bundle: { id: expect.any(String), key: expect.stringMatching(/^bundles\/.+\.json$/) },
        track: 'dev-shop',
        tokens: { source: expect.any(Number), bundle: expect.any(Number), ratio: expect.any(Number) },
        cost: expect.objectContaining({ currency: 'USD' }),
      })),
    )
    expect(standIn.bill).toHaveLength(3)
    expect(filesIn(at('.agents'))).toEqual(before)
    const human = await tenfold('compress', ...claude(), 'logs')
    expect(human.stdout).toMatch(/^0 done, 0 failed · .+\n3 logs already compressed\.\n/)
  })

  it('opens no log of a folder that did not change, unless what it remembers of it is damaged', async () => {
    const [log = ''] = writeLogs(2)
    const compress = () =>
      run(['compress', 'logs'], { cwd: at(), env: { ...env, TENFOLD_HOME: at('state') } })
    expect((await compress()).code).toBe(0)
    const { length } = readFileSync(at(log))
    writeFileSync(at(log), '?'.repeat(length))
    utimesSync(at(log), 1_700_000_000, 1_700_000_000)
    expect(await compress()).toMatchObject({
      code: 0,
      stdout: expect.stringContaining('2 logs already compressed'),
    })
    for (const name of readdirSync(at('state/found'))) writeFileSync(at('state/found', name), '{"logs":')
    expect((await compress()).stdout).toContain('2 files: 1 log, 1 skipped')
  })

  it('says for a single log that it was done, and writes its bundle to --output', async () => {
    writeLogs(1)
    await tenfold('compress', 'logs/a.jsonl')
    const again = await tenfold('compress', '--output', 'handover.md', 'logs/a.jsonl')
    expect(again).toMatchObject({ code: 0, stderr: '' })
    expect(again.stdout).toMatch(
      /^logs\/a\.jsonl\n {2}already compressed \([\d,]+ → [\d,]+ tokens\); pass --again to redo\n/,
    )
    const [{ id = '' } = {}] = await listed()
    const stored = readFileSync(at(`.agents/bundles/bundles/${id}.md`), 'utf8')
    expect(readFileSync(at('handover.md'), 'utf8')).toBe(stored)
  })

  it('makes one bundle of several copies of a log', async () => {
    writeLogs(1)
    copyFileSync(at('logs/a.jsonl'), at('logs/z.jsonl'))
    const ran = await tenfold('compress', '--json', 'logs')
    expect(jsonOf(ran)[1]).toEqual({ log: 'logs/z.jsonl', sameAs: 'logs/a.jsonl' })
    expect(await listed()).toHaveLength(1)
  })
})

describe('a part of a folder', () => {
  it('is compressed with --limit, and the next run continues', async () => {
    const logs = writeLogs(3)
    const first = await tenfold('compress', '--limit', '2', 'logs')
    expect(first.stdout).toMatch(/2 done, 0 failed .+\n1 log left for the next run\.\n/)
    const second = await tenfold('compress', '--json', '--limit', '2', 'logs')
    expect(jsonOf(second).map(({ log, known }) => [log, known])).toEqual(
      logs.map((log, index) => [log, index < 2 ? true : undefined]),
    )
  })

  it('is what changed --since a time', async () => {
    const [a = ''] = writeLogs(2)
    writeClaudeLog(at('logs/now.jsonl'), { session: 'now' })
    const recent = await tenfold('compress', '--dry-run', '--json', '--since', '1d', 'logs')
    expect(jsonOf(recent).map(({ log }) => log)).toEqual(['logs/now.jsonl'])
    const named = await tenfold('compress', '--dry-run', '--json', '--since', '1d', a)
    expect(jsonOf(named).map(({ log }) => log)).toEqual([a])
  })
})

describe('what a run costs', () => {
  it('is at most --max-cost for all logs together', async () => {
    const logs = writeLogs(3)
    const one = await tenfold('compress', '--json', '--dry-run', ...claude(), 'logs/a.jsonl')
    const [
      {
        estimates: [{ cost }],
      },
    ] = jsonOf(one) as unknown as [{ estimates: [{ cost: number }] }]
    const ran = await tenfold(
      'compress',
      '--json',
      ...claude(),
      '--max-cost',
      (cost * 1.02).toFixed(6),
      '--concurrency',
      '1',
      'logs',
    )
    expect(ran.code).toBe(1)
    // The answer of the stand-in is shorter than it may be, but a second one might not be.
    expect(standIn.bill).toHaveLength(1)
    expect(jsonOf(ran).map(({ error }) => (error as { code: string } | undefined)?.code)).toEqual([
      undefined,
      'summarizer-failed',
      'not-tried',
    ])
    expect(ran.stderr).toContain('1 log not tried')
    const rest = await tenfold('compress', '--json', ...claude(), 'logs')
    expect(
      jsonOf(rest)
        .filter(({ known }) => known)
        .map(({ log }) => log),
    ).toEqual(logs.slice(0, 1))
    expect(standIn.bill).toHaveLength(3)
    // What others reserve while they are under way is waited for.
    const limit = ['--max-cost', (cost * 2.02).toFixed(6), '--store', 'other']
    await tenfold('compress', '--quiet', ...claude(), ...limit, '--concurrency', '4', 'logs')
    expect(standIn.bill.length - 3).toBeGreaterThanOrEqual(2)
  })

  it('is nothing for a wrong key, which stops the run', async () => {
    writeLogs(2)
    standIn.always(401)
    const ran = await tenfold('compress', '--json', '--concurrency', '1', ...claude(), 'logs')
    expect(jsonOf(ran).map(({ error }) => (error as { code: string }).code)).toEqual([
      'summarizer-failed',
      'not-tried',
    ])
    expect(standIn.bill).toEqual([])
  })

  it('is estimated for each model by --dry-run, which sends nothing', async () => {
    writeLogs(2)
    const models = ['--summarizer', 'anthropic:claude-opus-5-5,openai:gpt-6-sol']
    const ran = await tenfold('compress', '--dry-run', ...models, 'logs')
    expect(ran).toMatchObject({ code: 0, stderr: '' })
    const request = String.raw`\d requests? · up to [\d,]+ tokens in, [\d,]+ out · at most \d\.\d{4} USD\n`
    expect(ran.stdout).toMatch(new RegExp(`^logs/a\\.jsonl: ${request}logs/b\\.jsonl: ${request}`))
    expect(ran.stdout).toMatch(
      new RegExp(
        `2 logs to compress; nothing was sent or written\n {2}anthropic claude-opus-5-5: 2 ${request.slice(3)} {2}openai gpt-6-sol: 2 ${request.slice(3)}`,
      ),
    )
    expect(standIn.requests).toEqual([])
    expect(readdirSync(at())).toEqual(['logs'])
    const bad = await tenfold('compress', '--dry-run', '--output', '-', ...models, 'logs/a.jsonl')
    expect(bad).toMatchObject({
      code: 2,
      stderr: expect.stringContaining('expected --dry-run without --output'),
    })
  })
})

describe.runIf(process.platform !== 'win32')('a run that is stopped', () => {
  it('and killed is continued by the next one, which bills nothing that is done', async () => {
    const logs = writeLogs(6)
    // The fourth request is still open when the run ends.
    standIn.script(['ok', 'ok', 'ok', 'stall_headers'])
    const running = start(['compress', '--json', ...claude(), '--concurrency', '1', 'logs'], {
      cwd: at(),
      env,
    })
    await running.saw('"log":"logs/c.jsonl"')
    await expect.poll(() => standIn.bill.length).toBe(4)
    running.child.kill('SIGKILL')
    expect(await running.ended).toMatchObject({ code: null })
    expect(leases()).toHaveLength(1)
    expect((await tenfold('verify')).code).toBe(0)
    const next = await tenfold('compress', '--json', ...claude(), 'logs')
    expect(next.code).toBe(0)
    // Elsewhere it waits: nothing there tells it that the other run is dead.
    if (process.platform === 'linux') expect(next.stderr).toBe('')
    expect(leases()).toEqual([])
    const known = jsonOf(next).filter((line) => line.known)
    expect(known).toHaveLength(3)
    expect(standIn.bill).toHaveLength(7)
    expect((await listed()).map(({ sessionId }) => sessionId).sort()).toEqual(
      logs.map((_, index) => `session-${index}`),
    )
    expect((await tenfold('verify')).code).toBe(0)
  })
})

// That no other log is given up with it, core shows: here a limit could be too short for a busy machine.
it('gives up a log that takes too long', async () => {
  writeFileSync(at('endless.mjs'), endlessReader)
  writeFileSync(at('z.chat'), '#endless\n')
  const ran = await tenfold('compress', '--json', '--reader', './endless.mjs', '--log-time', '1s', 'z.chat')
  expect(ran.code).toBe(1)
  expect(ran.stderr).toMatch(/^error: z\.chat took longer than 1 s .+ raise the limit \(--log-time\)\.\n$/)
  expect(jsonOf(ran)).toMatchObject([{ error: { code: 'log-too-slow' } }])
})

const endlessReader = `export default {
  name: 'endless',
  framing: 'text',
  detect: ({ text }) => (text.startsWith('#endless') ? 1 : 0),
  async read() { for (;;); },
}\n`
