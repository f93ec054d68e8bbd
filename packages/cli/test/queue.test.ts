import { readdirSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { hasRedis, installRedis, type RedisServer, startRedis } from '../../../test/support/redis-server.ts'
import { testFolder } from '../../../test/support/test-folder.ts'
import { testStandIn } from '../../../test/support/test-stand-in.ts'
import { writeClaudeLog } from './support/claude-log.ts'
import { linesOf, type Ran, run, start } from './support/run.ts'

if (!hasRedis() && process.env.TENFOLD_REQUIRE_PARTS === '1')
  it('redis-server is installed, as TENFOLD_REQUIRE_PARTS=1 demands', () => expect.unreachable(installRedis))
else if (!hasRedis()) console.warn(`Skipped: tenfold queue. There is no redis-server here: ${installRedis}`)

describe.skipIf(!hasRedis())('tenfold queue', () => {
  let redis: RedisServer
  const standIn = testStandIn('all')
  const at = testFolder('all')
  beforeAll(async () => {
    redis = await startRedis()
    for (const name of ['a', 'b']) writeClaudeLog(at(`${name}.jsonl`), { rounds: 2, session: name })
  })
  afterAll(() => redis.stop())

  const env = () => ({
    TENFOLD_REDIS_URL: redis.socket,
    TENFOLD_STORE: 'store',
    ANTHROPIC_API_KEY: 'test-key',
    ANTHROPIC_BASE_URL: standIn.url,
  })
  const queue = (...args: string[]): Promise<Ran> => run(['queue', ...args], { cwd: at(), env: env() })

  it('compresses the logs of a folder with a model, and says what it did and what it cost', async () => {
    const options = ['--summarizer', 'anthropic', '--model', 'claude-opus-5-5', '--max-cost', '5']
    const added = await queue('add', '--json', ...options, 'a.jsonl', 'b.jsonl', 'missing.jsonl')
    expect(added.code).toBe(1)
    expect(linesOf(added)).toMatchObject([
      { log: 'a.jsonl', state: 'queued' },
      { log: 'b.jsonl', state: 'queued' },
      { log: 'missing.jsonl', state: 'failed', error: { code: 'log-missing' } },
    ])
    const worked = await queue(
      'work',
      '--until-empty',
      '--json',
      '--concurrency',
      '1',
      '--rate',
      'anthropic=100/s',
    )
    expect(worked).toMatchObject({ code: 0, stderr: '' })
    expect(linesOf(worked)).toMatchObject([
      { log: 'a.jsonl', known: false, track: 'dev-shop', cost: expect.any(Number) },
      { log: 'b.jsonl', known: false },
    ])
    const status = JSON.parse((await queue('status', '--json')).stdout)
    expect(status).toMatchObject({ waiting: 0, failed: 0, runs: [{ done: 2, calls: 2, maxCost: 5 }] })
    expect((await queue('status')).stdout).toMatch(
      /^0 waiting, 0 in progress, 0 failed; 0 workers\n\nQUEUED AT .*LIMIT/,
    )
    const again = await queue('add', ...options, 'a.jsonl', 'b.jsonl')
    expect(again).toMatchObject({ code: 0, stdout: '0 logs queued.\n2 logs already compressed.\n' })
    expect(standIn.bill).toHaveLength(2)
  })

  it('ends the log under way and no other after a SIGTERM, and fails with what failed', async () => {
    const sent = standIn.requests.length
    const release = standIn.hold()
    await queue(
      'add',
      '--track',
      'late',
      '--summarizer',
      'anthropic',
      '--model',
      'claude-opus-5-5',
      'a.jsonl',
      'b.jsonl',
    )
    const worker = start(['queue', 'work', '--concurrency', '1'], { cwd: at(), env: env() })
    await standIn.requested(sent + 1)
    worker.child.kill('SIGTERM')
    await worker.saw('Finishing the logs')
    release()
    const ran = await worker.ended
    expect(ran).toMatchObject({ code: 0, stdout: expect.stringMatching(/on track late\n1 log done/) })
    expect(ran.stderr).toContain('Finishing the logs in progress; no further log is taken.')

    rmSync(at('b.jsonl'))
    const failed = await queue('work', '--until-empty', '--concurrency', '1')
    expect(failed).toMatchObject({ code: 1, stderr: expect.stringContaining('There is no log at') })
    const status = await queue('status')
    expect(status.stdout).toMatch(
      /Failed:\n {2}w[0-9a-f]{31} b\.jsonl: There is no log at .*\(log-missing, 1 attempt\)/,
    )
    writeClaudeLog(at('b.jsonl'), { rounds: 2, session: 'b' })
    expect((await queue('retry')).stdout).toBe('1 log will be tried again.\n')
    expect((await queue('retry', 'w0')).code).toBe(1)
    expect((await queue('drain')).stdout).toBe('1 log removed from the queue.\n')
  })

  it('pays once for a log that someone compresses by hand at the same moment', async () => {
    const before = standIn.bill.length
    const model = ['--track', 'both', '--summarizer', 'anthropic', '--model', 'claude-opus-5-5']
    const release = standIn.hold()
    const sent = standIn.requests.length
    await queue('add', ...model, 'a.jsonl')
    const given = { cwd: at(), env: env() }
    const worker = start(['queue', 'work', '--until-empty', '--json'], given)
    await standIn.requested(sent + 1)
    const byHand = start(['compress', '--json', ...model, 'a.jsonl'], given)
    await byHand.saw('another run')
    release()
    const [worked, compressed] = await Promise.all([worker.ended, byHand.ended])
    expect([worked.code, compressed.code]).toEqual([0, 0])
    expect(standIn.bill.length - before).toBe(1)
    const known = [...linesOf(worked), linesOf(compressed)[0]].filter((line) => line?.known === true)
    expect(known).toHaveLength(1)
  })

  it('copies logs into the store if asked to, and takes them away when they are drained', async () => {
    const log = at('c.jsonl')
    writeClaudeLog(log, { rounds: 1, session: 'c' })
    const store = at('store')
    expect(await queue('add', '--upload', '--quiet', log)).toMatchObject({ code: 0, stdout: '' })
    expect(readdirSync(join(store, 'queue'))).toHaveLength(1)
    await queue('drain')
    expect(readdirSync(join(store, 'queue'))).toEqual([])
  })

  it('explains wrong options, a Redis that is not there, and prints no password', async () => {
    expect((await queue('work', '--rate', 'anthropic=5')).stderr).toContain(
      'such as anthropic=50/m, got "anthropic=5"',
    )
    const odd = await queue('status', '--redis', 'http://user:secret-word@host')
    expect(odd.stderr).toContain('expected --redis to be a URL that begins with redis://')
    const away = await queue('status', '--redis', 'redis://user:secret-word@127.0.0.1:1')
    expect(away).toMatchObject({ code: 1, stderr: expect.stringContaining('ECONNREFUSED') })
    for (const { stderr } of [odd, away]) expect(stderr).not.toContain('secret-word')
    writeFileSync(at('x.env'), 'A=1')
    expect((await queue('add', '--redact-env', 'x.env', 'a.jsonl')).stderr).toContain(
      "unknown option '--redact-env'",
    )
  })
})
