import { type ChildProcess, spawn } from 'node:child_process'
import { mkdtempSync, realpathSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { bundleStore, verifyStore } from '@tenfold/core'
import { fileStorage } from '@tenfold/storage-fs'
import { anthropicSummarizer } from '@tenfold/summarizers/anthropic'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { type StandIn, startStandIn } from '../../../test/stand-in/index.ts'
import { hasRedis, type RedisServer, startRedis } from '../../../test/support/redis-server.ts'
import { queueLogs, queueStatus } from '../src/index.ts'

const program = join(import.meta.dirname, 'support/worker.js')
const model = 'claude-opus-5-5'

/** A worker in a process of its own, and the lines that it printed. */
interface Child {
  readonly process: ChildProcess
  readonly lines: string[]
}

// `npm run soak` does the same with four workers and 2,000 logs in a bucket.
describe.skipIf(!hasRedis())('workers that are killed, and a Redis that is restarted', () => {
  let redis: RedisServer
  let standIn: StandIn
  let folder: string
  const children: Child[] = []
  beforeAll(async () => {
    redis = await startRedis({ durable: true })
    standIn = await startStandIn()
    folder = realpathSync(mkdtempSync(join(tmpdir(), 'tenfold-killed-')))
  })
  afterAll(async () => {
    for (const child of children) child.process.kill('SIGKILL')
    await redis.stop()
    await standIn.close()
    rmSync(folder, { recursive: true, force: true })
  })

  function startWorker(): Child {
    const settings = { redis: redis.socket, lockMs: 2000, baseURL: standIn.url, concurrency: 1 }
    const child = spawn(process.execPath, [program, JSON.stringify(settings)], {
      stdio: ['ignore', 'pipe', 'inherit'],
    })
    const lines: string[] = []
    child.stdout.on('data', (text: Buffer) => lines.push(...String(text).trim().split('\n')))
    children.push({ process: child, lines })
    return { process: child, lines }
  }

  it('lose no log, make no bundle twice, and know of each request that may have been billed', async () => {
    const logs = Array.from({ length: 24 }, (_, index) => {
      const path = join(folder, `log-${index}.json`)
      const messages = [
        { role: 'user', content: `Please sort list ${index}.` },
        { role: 'assistant', content: 'Done.' },
      ]
      writeFileSync(path, JSON.stringify({ messages }))
      return path
    })
    const store = join(folder, 'store')
    const summarizer = anthropicSummarizer({ model, apiKey: 'test-key', baseURL: standIn.url })
    const added = queueLogs(logs, {
      ...{ redis: redis.socket, store, request: { model } },
      openStorage: (place) => fileStorage(place),
      optionsOf: () => ({ summarizer }),
    })
    for await (const result of added) expect(result).toHaveProperty('queued')

    // The first worker is killed while a model answers it; its answer is lost, yet billed.
    const asked = new Promise<void>((resolve) => {
      let calls = 0
      standIn.answer = () => {
        if (++calls !== 3) return undefined
        setImmediate(resolve)
        return { scenario: 'stall_headers' }
      }
    })
    const first = startWorker()
    await asked
    const dead = new Promise((resolve) => first.process.once('exit', resolve))
    first.process.kill('SIGKILL')
    await dead
    const others = [startWorker(), startWorker()]
    const done = () => others.flatMap(({ lines }) => lines.filter((line) => line.includes('"done"'))).length
    await expect.poll(done).toBeGreaterThan(5)
    await redis.restart()
    const left = async () => {
      const { waiting, active, delayed } = await queueStatus({ redis: redis.socket })
      return waiting + active + delayed
    }
    await expect.poll(left, { interval: 500 }).toBe(0)
    const ended = others.map(({ process }) => new Promise((resolve) => process.once('exit', resolve)))
    for (const { process } of others) process.kill('SIGTERM')
    expect(await Promise.all(ended)).toEqual([0, 0])

    const { failed, runs } = await queueStatus({ redis: redis.socket })
    expect(failed).toBe(0)
    expect(runs).toMatchObject([{ done: 24, known: 0, lostCalls: 1, reserved: 0 }])
    expect(runs[0]?.lost).toBeGreaterThan(0)
    // A lock that runs out on a busy machine costs a further request, which is known like all others.
    expect(standIn.bill.length).toBeGreaterThanOrEqual(25)
    expect((runs[0]?.calls ?? 0) + 1).toBeGreaterThanOrEqual(standIn.bill.length)
    const bundles = await bundleStore(fileStorage(store)).list()
    expect(new Set(bundles.map(({ sourceSha256 }) => sourceSha256)).size).toBe(24)
    expect(bundles).toHaveLength(24)
    expect((await verifyStore(fileStorage(store))).findings).toEqual([])
  })
})
