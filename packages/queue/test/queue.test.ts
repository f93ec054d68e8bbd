import { mkdtempSync, realpathSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import {
  bundleStore,
  type Summarizer,
  type SummarizerCall,
  SummarizerError,
  type SummaryRequest,
} from '@tenfold/core'
import { fileStorage } from '@tenfold/storage-fs'
import { extractiveSummarizer } from '@tenfold/summarizers/extractive'
import { Redis } from 'ioredis'
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { hasRedis, installRedis, type RedisServer, startRedis } from '../../../test/support/redis-server.ts'
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
  let folder: string
  let queue = ''
  let store = ''
  let asked: ReturnType<typeof asking>
  beforeAll(async () => {
    server = await startRedis()
    folder = realpathSync(mkdtempSync(join(tmpdir(), 'tenfold-queue-test-')))
  })
  afterAll(async () => {
    await server.stop()
    rmSync(folder, { recursive: true, force: true })
  })
  let number = 0
  beforeEach(() => {
    number += 1
    queue = `q${number}`
    store = join(folder, `store-${number}`)
    asked = asking()
  })

  const writeLog = (name: string, rounds = 4): string => {
    const path = join(folder, `${queue}-${name}.json`)
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
    const worker = await queueWorker({ ...parts(), concurrency: 2, untilEmpty: true, report, ...options })
    await worker.ended
    return events
  }
  const bundles = async () => await bundleStore(fileStorage(store)).list()
  const status = () => queueStatus({ redis: server.socket, queue })

  it('compresses each log once, and knows what is queued, done and unreadable', async () => {
    const logs = [writeLog('a'), join(folder, 'missing.json'), writeLog('b')]
    const first = await addAll(logs)
    expect(first).toMatchObject([
      { log: logs[0], queued: expect.stringMatching(/^w[0-9a-f]{31}$/) },
      { log: logs[1], error: { code: 'log-missing' } },
      { log: logs[2], queued: expect.any(String) },
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

  it('carries logs to workers that do not see them, and removes them when none needs them', async () => {
    const log = writeLog('far')
    const copies = [log, join(folder, `${queue}-copy.json`)]
    writeFileSync(copies[1]!, JSON.stringify({ messages: [{ role: 'user', content: 'Another one.' }] }))
    await addAll(copies, { upload: true })
    // The same log for another track needs the same object.
    await addAll([log], {
      upload: true,
      request: { other: 1 },
      optionsOf: () => ({ ...parts().optionsOf({}), track: 'x' }),
    })
    const storage = fileStorage(store)
    const uploaded = async () => (await all(storage.list('queue/'))).length
    expect(await uploaded()).toBe(2)
    for (const path of copies) rmSync(path)
    const track = (request: unknown) => ((request as { other?: number }).other === 1 ? { track: 'x' } : {})
    await workAll({ optionsOf: (request) => ({ ...parts().optionsOf({}), ...track(request) }) })
    expect((await bundles()).map((entry) => entry.track).sort()).toEqual(['main', 'main', 'x'])
    expect(await uploaded()).toBe(0)
  })
})

async function all<T>(values: AsyncIterable<T>): Promise<T[]> {
  const list: T[] = []
  for await (const value of values) list.push(value)
  return list
}

/** A summarizer without a recipe, which says that each call costs 0.01 (of a price table of the test). */
function asking() {
  const { recipe: _, ...offline } = extractiveSummarizer()
  const requests: SummaryRequest[] = []
  const at: number[] = []
  const state = { fails: [] as Error[] }
  const model = 'claude-opus-5-5'
  const usage = { inputTokens: 1000, outputTokens: 100 }
  const estimate = { summarizer: 'asking', model, inputTokens: 1000, maxOutputTokens: 100 }
  const summarizer: Summarizer = {
    ...offline,
    ...{ name: 'asking', model },
    estimate: () => estimate,
    async summarize(request, control) {
      await control.admit?.(estimate)
      at.push(performance.now())
      requests.push(request)
      const call: SummarizerCall = { summarizer: 'asking', model, usage }
      control.onCall?.(call)
      const failure = state.fails.shift()
      if (failure !== undefined) throw failure
      const { summary } = await offline.summarize(request, control)
      return { summary, calls: [call] }
    },
  }
  return { summarizer, requests, at, state }
}
void SummarizerError
void retryJobs
