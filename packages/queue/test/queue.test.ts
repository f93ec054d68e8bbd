import { execFileSync } from 'node:child_process'
import { createHash } from 'node:crypto'
import { copyFileSync, existsSync, mkdirSync, renameSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { basename, join } from 'node:path'
import { gzipSync } from 'node:zlib'
import {
  bundleStore,
  type PriceTable,
  type Summarizer,
  type SummarizerCall,
  SummarizerError,
  type SummaryRequest,
} from '@tenfold/core'
import { defaultPrices } from '@tenfold/core/internal'
import { patternRedactor } from '@tenfold/core/redact'
import { fileStorage } from '@tenfold/storage-fs'
import { extractiveSummarizer } from '@tenfold/summarizers/extractive'
import { Redis } from 'ioredis'
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { hasRedis, installRedis, type RedisServer, startRedis } from '../../../test/support/redis-server.ts'
import { testFolder } from '../../../test/support/test-folder.ts'
import {
  drainQueue,
  type QueueEvent,
  type QueueLogsOptions,
  type QueueWorkerOptions,
  queueLogs,
  queueStatus,
  queueWorker,
  retryJobs,
} from '../src/index.ts'

if (!hasRedis() && process.env.TENFOLD_REQUIRE_PARTS === '1')
  it('redis-server is installed, as TENFOLD_REQUIRE_PARTS=1 demands', () => expect.unreachable(installRedis))
else if (!hasRedis()) console.warn(`Skipped: the queue. There is no redis-server here: ${installRedis}`)

describe.skipIf(!hasRedis())('a queue of logs', () => {
  let server: RedisServer
  const folder = testFolder('all')
  let queue = ''
  let store = ''
  let asked: ReturnType<typeof asking>
  beforeAll(async () => {
    server = await startRedis()
  })
  afterAll(async () => {
    await server.stop()
  })
  let number = 0
  beforeEach(() => {
    number += 1
    queue = `q${number}`
    store = folder(`store-${number}`)
    asked = asking()
  })

  const writeLog = (name: string, rounds = 4): string => {
    const path = folder(`${queue}-${name}.json`)
    const messages = Array.from({ length: rounds }, (_, round) => [
      { role: 'user', content: `Round ${round} of ${name}: please look at src/file-${round}.ts once more.` },
      { role: 'assistant', content: `I changed src/file-${round}.ts; the next step is file ${round + 1}.` },
    ])
    writeFileSync(path, JSON.stringify({ messages: messages.flat() }))
    return path
  }
  const parts = () => ({
    ...{ redis: server.socket, queue },
    openStorage: (place: string) => fileStorage(place),
    optionsOf: (request: unknown) => ({
      summarizer:
        (request as { model?: string }).model === undefined ? extractiveSummarizer() : asked.summarizer,
    }),
  })
  const addAll = async (logs: readonly string[], options: Partial<QueueLogsOptions> = {}) =>
    await all(queueLogs(logs, { ...parts(), store, request: {}, ...options }))
  const workAll = async (options: Partial<QueueWorkerOptions> = {}) => {
    const events: QueueEvent[] = []
    const report = (event: QueueEvent) => void (event.event !== 'progress' && events.push(event))
    const worker = await queueWorker({ ...parts(), concurrency: 1, untilEmpty: true, report, ...options })
    await worker.ended
    return events
  }
  const bundles = async () => await bundleStore(fileStorage(store)).list()
  const status = () => queueStatus({ redis: server.socket, queue })

  it('compresses each log once, and knows what is queued, done and unreadable', async () => {
    const logs = [writeLog('a'), folder('missing.json'), writeLog('b')]
    const copy = folder('copy.json')
    copyFileSync(logs[0]!, copy)
    const first = await addAll([...logs, copy])
    expect(first).toMatchObject([
      { log: logs[0], queued: expect.stringMatching(/^w[0-9a-f]{31}$/) },
      { log: logs[1], error: { code: 'log-missing' } },
      { log: logs[2], queued: expect.any(String) },
      { log: copy, waiting: expect.any(String) },
    ])
    expect(await addAll(logs.slice(2))).toEqual([
      { log: logs[2], waiting: 'queued' in first[2]! && first[2].queued },
    ])
    expect(await status()).toMatchObject({ waiting: 2, active: 0, failed: 0, workers: 0 })
    const events = await workAll()
    expect(events.map(({ event }) => event)).toEqual(['done', 'done'])
    expect(await bundles()).toHaveLength(2)
    expect(await addAll([logs[0]!, logs[2]!])).toMatchObject([{ known: { track: 'main' } }, { known: {} }])
    const { runs, ...counts } = await status()
    expect(counts).toMatchObject({ waiting: 0, active: 0, delayed: 0, failed: 0 })
    expect(runs).toMatchObject([{ done: 2, known: 0, calls: 0, spent: 0 }])
  })

  it('puts each log on the track that follows from it, and asks no log again for another track', async () => {
    const logs = [writeLog('a'), writeLog('b')]
    const trackOf = async (log: string) => (log === logs[1] ? undefined : 'of-a')
    expect(await addAll(logs, { trackOf })).toMatchObject([
      { queued: expect.any(String) },
      { queued: expect.any(String) },
    ])
    const events = await workAll()
    const tracks = events.map((event) => event.event === 'done' && event.bundle.track)
    expect(tracks).toEqual(['of-a', 'main'])
    expect(await addAll(logs, { trackOf })).toMatchObject([
      { known: { track: 'of-a' } },
      { known: { track: 'main' } },
    ])
    expect(await addAll(logs.slice(1), { trackOf: async () => 'other' })).toMatchObject([
      { known: { track: 'main' } },
    ])
  })

  it('keeps no text of a log in Redis', async () => {
    await addAll([writeLog('private')], { request: { model: 'claude-opus-5-5' }, upload: true })
    const redis = new Redis(server.socket)
    const keys = await redis.keys(`*${queue}*`)
    const held = await Promise.all(keys.map(async (key) => (await redis.dumpBuffer(key))?.toString('latin1')))
    redis.disconnect()
    expect(held.join()).toContain('claude-opus-5-5')
    expect(held.join()).not.toContain('please look')
    await drainQueue({ ...parts() })
  })

  it('carries logs to workers that do not see them, and removes them when they are done', async () => {
    const log = writeLog('far')
    const copies = [log, folder(`${queue}-copy.json`)]
    writeFileSync(
      copies[1]!,
      JSON.stringify({
        messages: [{ role: 'user', content: 'Please sort src/lists.ts by name, then by age.' }],
      }),
    )
    await addAll(copies, { upload: true })
    // The same log for another track is another job, with files of its own.
    await addAll([log], {
      upload: true,
      request: { other: 1 },
      optionsOf: () => ({ ...parts().optionsOf({}), track: 'x' }),
    })
    const storage = fileStorage(store)
    const uploaded = async () => (await all(storage.list('queue/'))).length
    expect(await uploaded()).toBe(3)
    for (const path of copies) rmSync(path)
    const track = (request: unknown) => ((request as { other?: number }).other === 1 ? { track: 'x' } : {})
    await workAll({ optionsOf: (request) => ({ ...parts().optionsOf({}), ...track(request) }) })
    expect((await bundles()).map((entry) => entry.track).sort()).toEqual(['main', 'main', 'x'])
    expect(await uploaded()).toBe(0)
  })

  it('tries again what may pass, and lists the rest with its error until someone retries or removes it', async () => {
    asked.state.fails.push(
      new SummarizerError('overloaded', { reason: 'overloaded', retryable: true }),
      new SummarizerError('the key is wrong', { reason: 'auth' }),
    )
    const [good, bad] = [writeLog('good'), writeLog('bad')]
    await addAll([good, bad], { request: { model: 'm' } })
    rmSync(bad)
    const events = await workAll()
    expect(events.filter(({ log }) => log === good)).toMatchObject([
      { event: 'failed', willRetry: true },
      { event: 'failed', willRetry: false, error: { reason: 'auth' } },
    ])
    const { failures, failed, runs } = await status()
    expect(failed).toBe(2)
    expect(failures).toMatchObject([
      { log: good, code: 'summarizer-failed', message: 'the key is wrong', attempts: 2 },
      { log: bad, code: 'log-missing', attempts: 1 },
    ])
    expect(runs).toMatchObject([{ calls: 2 }])
    expect(await addAll([good], { request: { model: 'm' } })).toMatchObject([
      { failed: failures[0]?.job, reason: 'summarizer-failed: the key is wrong' },
    ])
    expect(await retryJobs({ redis: server.socket, queue, jobs: [failures[0]?.job ?? ''] })).toHaveLength(1)
    await workAll()
    expect(await bundles()).toHaveLength(1)
    expect(await drainQueue({ ...parts() })).toBe(0)
    expect(await drainQueue({ ...parts(), failed: true })).toBe(1)
    expect(await status()).toMatchObject({ failed: 0, failures: [] })
  })

  it('keeps the calls of all workers within a rate and the cost of a run, and goes on with a higher limit', async () => {
    const logs = ['a', 'b', 'c', 'd'].map((name) => writeLog(name))
    await addAll(logs, { request: { model: 'm' }, maxCost: 0.25, attempts: 1 })
    const given = { prices: cents(10), rates: { asking: { requests: 10, perMs: 10_000 } } }
    const events = (await Promise.all([workAll(given), workAll(given)])).flat()
    const count = (what: string) => events.filter(({ event }) => event === what).length
    expect([count('done'), count('failed'), asked.requests.length]).toEqual([2, 2, 2])
    // One a second, from when the first was asked for: on a busy machine a request is seen late.
    expect(Math.max(...asked.at) - Math.min(...asked.since)).toBeGreaterThan(990)
    const { failures, runs } = await status()
    expect(runs).toMatchObject([{ maxCost: 0.25, calls: 2, spent: 0.2, reserved: 0, lostCalls: 0 }])
    expect(failures[0]?.message).toMatch(
      /^maxCost 0.25 of all logs together does not allow a call of up to 0.1/,
    )
    expect(await retryJobs({ redis: server.socket, queue, maxCost: 0.5 })).toHaveLength(2)
    await workAll({ prices: given.prices })
    expect((await status()).runs).toMatchObject([{ maxCost: 0.5, calls: 4, spent: 0.4 }])
    expect(await bundles()).toHaveLength(4)
  })

  it('puts logs that are under way back if it is stopped at once', async () => {
    const stopped = new AbortController()
    const begun = Promise.all([
      new Promise<void>((resolve) => {
        asked.state.wait = (signal) => {
          resolve()
          return new Promise((_, reject) => signal.addEventListener('abort', () => reject(signal.reason)))
        }
      }),
    ])
    await addAll([writeLog('slow')], { request: { model: 'm' } })
    const worker = await queueWorker({ ...parts(), concurrency: 1, signal: stopped.signal })
    await begun
    stopped.abort(new Error('stop'))
    await worker.ended
    expect(await status()).toMatchObject({ waiting: 1, active: 0, failed: 0 })
  })

  it('ends what is under way when it is closed, and takes no further log', async () => {
    let release = () => {}
    const begun = new Promise<void>((resolve) => {
      asked.state.wait = () => {
        resolve()
        return new Promise((end) => {
          release = end
        })
      }
    })
    await addAll([writeLog('a'), writeLog('b')], { request: { model: 'm' } })
    const worker = await queueWorker({ ...parts(), concurrency: 1 })
    await begun
    const closed = worker.close()
    release()
    await closed
    expect(await bundles()).toHaveLength(1)
    expect(await status()).toMatchObject({ waiting: 1, active: 0 })
  })

  it('refuses a Redis that may drop jobs, or that is not there', async () => {
    const redis = new Redis(server.socket)
    await redis.config('SET', 'maxmemory-policy', 'allkeys-lru')
    await expect(status()).rejects.toMatchObject({
      code: 'redis-may-evict',
      message: expect.stringMatching(/allkeys-lru.*maxmemory-policy noeviction/),
    })
    await redis.config('SET', 'maxmemory-policy', 'noeviction')
    redis.disconnect()
    await expect(queueStatus({ redis: 'redis://user:secret-word@127.0.0.1:1' })).rejects.toMatchObject({
      code: 'redis-unreachable',
      message: expect.stringMatching(/^Redis at redis:\/\/127\.0\.0\.1:1 cannot be used: .*ECONNREFUSED/),
    })
  })

  it('fails each job alone that has another shape, cannot be used or is not allowed', async () => {
    const allowed = folder(`${queue}-logs`)
    mkdirSync(allowed)
    const inside = (name: string): string => {
      const path = join(allowed, `${name}.json`)
      renameSync(writeLog(name), path)
      return path
    }
    // The threads start with the options of the first one, which none can start with.
    await addAll([inside('first')], { request: { track: true } })
    await addAll([inside('a')], { upload: true })
    const link = join(allowed, 'link.json')
    symlinkSync(writeLog('secret'), link)
    await addAll([link, join(allowed, '..', basename(writeLog('other', 5)))])
    await addAll([inside('b')], { store: folder(`other-${number}`) })

    const { Queue } = await import('bullmq')
    const other = new Queue(queue, { connection: { path: server.socket }, prefix: 'tenfold' })
    const job = (await other.getJobs(['wait'])).find(({ data }) => 'files' in data.log)
    const add = async (log: object, request = {}) =>
      await other.add('compress', { ...job?.data, log, request }, { jobId: (log as { name: string }).name })
    const file = { path: '../../outside', sha256: '0'.repeat(64), key: 'a' }
    await add({ name: 'outside', files: [file] })
    await other.add('compress', 'x', { jobId: 'text' })
    const bomb = Buffer.alloc(80_000_000)
    const key = 'queue/bomb.gz'
    await fileStorage(store).put(key, gzipSync(bomb))
    const sha256 = createHash('sha256').update(bomb).digest('hex')
    await add({ name: 'bomb', files: [{ path: 'bomb.jsonl', sha256, key }] })
    execFileSync('mkfifo', [join(allowed, 'pipe')])
    await add({ name: 'pipe', path: join(allowed, 'pipe') })
    await add({ name: 'broken', path: inside('c') }, { broken: true })
    await add({ name: 'slow', path: inside('d') }, { slow: true })
    await other.close()

    const { optionsOf } = parts()
    const events = await workAll({
      ...{ allowLogs: [allowed], allowStores: [store] },
      optionsOf: (request) => {
        if (JSON.stringify(request).includes('broken')) throw new SyntaxError('Invalid regular expression')
        return {
          ...optionsOf(request),
          ...(JSON.stringify(request).includes('track') && { track: '../out' }),
          ...(JSON.stringify(request).includes('slow') && {
            redactors: [patternRedactor({ type: 'pattern', pattern: /(\S+\s?)+#$/ })],
          }),
        }
      },
    })
    expect(events.filter((event) => event.event === 'failed' && event.willRetry)).toEqual([])
    const { failures } = await status()
    expect(Object.fromEntries(failures.map(({ log, job: id, code }) => [basename(log || id), code]))).toEqual(
      {
        ...{ 'first.json': 'bad-job', outside: 'bad-job', text: 'bad-job', broken: 'bad-job' },
        ...{ bomb: 'log-too-large', pipe: 'log-unreadable', slow: 'pattern-too-slow' },
        ...{ 'link.json': 'not-allowed', 'b.json': 'not-allowed' },
        [`${queue}-other.json`]: 'not-allowed',
      },
    )
    expect(failures.map(({ message }) => message).join()).toContain('leaves its folder')
    expect(await bundles()).toHaveLength(1)
    expect(existsSync(folder(`other-${number}`))).toBe(false)
  })
})

async function all<T>(values: AsyncIterable<T>): Promise<T[]> {
  const list: T[] = []
  for await (const value of values) list.push(value)
  return list
}

/** A summarizer that reads 1,000 tokens in each call, and does what the test says. */
function asking() {
  const { recipe: _, ...offline } = extractiveSummarizer()
  const requests: SummaryRequest[] = []
  const since: number[] = []
  const at: number[] = []
  const state: { fails: Error[]; wait?: ((signal: AbortSignal) => Promise<void>) | undefined } = { fails: [] }
  const model = 'claude-opus-5-5'
  const usage = { inputTokens: 1000, outputTokens: 100 }
  const estimate = { summarizer: 'asking', model, inputTokens: 1000, maxOutputTokens: 100 }
  const summarizer: Summarizer = {
    ...offline,
    ...{ name: 'asking', model },
    estimate: () => estimate,
    async summarize(request, control) {
      since.push(performance.now())
      await control.admit?.(estimate)
      at.push(performance.now())
      requests.push(request)
      await state.wait?.(control.signal)
      const call: SummarizerCall = { summarizer: 'asking', model, usage }
      control.onCall?.(call)
      const failure = state.fails.shift()
      if (failure !== undefined) throw failure
      const { summary } = await offline.summarize(request, control)
      return { summary, calls: [call] }
    },
  }
  return { summarizer, requests, since, at, state }
}

/** Prices by which each call of the summarizer above costs so many cents. */
function cents(each: number): PriceTable {
  const models = [{ match: 'claude-opus-5-5', provider: 'test', input: each * 10, output: 0 }]
  return { ...defaultPrices, models }
}
