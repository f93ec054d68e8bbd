import { type ChildProcess, spawn } from 'node:child_process'
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { bundleStore, type Storage } from '@tenfold/core'
import { verifyStore } from '@tenfold/core/store'
import { fileStorage } from '@tenfold/storage-fs'
import { s3Storage } from '@tenfold/storage-s3'
import { anthropicSummarizer } from '@tenfold/summarizers/anthropic'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { hasRedis, type RedisServer, startRedis } from '../../../test/support/redis-server.ts'
import { everyPoint } from '../../../test/support/repeats.ts'
import { testFolder } from '../../../test/support/test-folder.ts'
import { testStandIn } from '../../../test/support/test-stand-in.ts'
import { createBucket } from '../../storage-s3/test/support/bucket.ts'
import {
  missingPrograms,
  type RadosGateway,
  startRadosGateway,
} from '../../storage-s3/test/support/rados-gateway.ts'
import { queueLogs, queueStatus } from '../src/index.ts'

// `npm run soak` takes the many logs, and a bucket if there is a server for it.
const count = everyPoint ? { logs: 2000, workers: 4 } : { logs: 5, workers: 2 }
const inBucket = everyPoint && missingPrograms().length === 0
const program = join(import.meta.dirname, 'support/worker.js')
const model = 'claude-opus-5-5'
const bucket = 'tenfold-queue'

/** A worker in a process of its own, and the lines that it printed. */
interface Child {
  readonly process: ChildProcess
  readonly lines: string[]
  readonly ended: Promise<number | null>
}

describe.skipIf(!hasRedis())('workers that are killed, and a Redis that is restarted', () => {
  let redis: RedisServer
  const standIn = testStandIn('all')
  const folder = testFolder('all')
  let gateway: RadosGateway | undefined
  const children: Child[] = []
  beforeAll(async () => {
    redis = await startRedis({ durable: true })
    if (!inBucket) return
    gateway = await startRadosGateway()
    await createBucket(gateway, bucket)
  }, 300_000)
  afterAll(async () => {
    for (const child of children) child.process.kill('SIGKILL')
    await Promise.all([redis.stop(), gateway?.stop()])
  })

  function startWorker(): Child {
    const settings = { redis: redis.socket, lockMs: 2000, baseURL: standIn.url, concurrency: 1 }
    const { accessKeyId: AWS_ACCESS_KEY_ID, secretAccessKey: AWS_SECRET_ACCESS_KEY } = {
      ...{ accessKeyId: '', secretAccessKey: '' },
      ...gateway?.credentials,
    }
    const process = spawn(globalThis.process.execPath, [program, JSON.stringify(settings)], {
      stdio: ['ignore', 'pipe', 'inherit'],
      env: { ...globalThis.process.env, AWS_ACCESS_KEY_ID, AWS_SECRET_ACCESS_KEY },
    })
    const lines: string[] = []
    process.stdout.setEncoding('utf8').on('data', (text: string) => lines.push(...text.trim().split('\n')))
    const ended = new Promise<number | null>((resolve) => process.once('exit', resolve))
    const child = { process, lines, ended }
    children.push(child)
    return child
  }

  /** The place of the store, as workers open it, and the storage that this process opens. */
  function openPlace(): { readonly store: string; readonly storage: Storage } {
    if (gateway === undefined) return { store: folder('store'), storage: fileStorage(folder('store')) }
    const { endpoint, credentials } = gateway
    const url = `s3://${bucket}/store?endpoint=${encodeURIComponent(endpoint)}&region=us-east-1&path-style=1`
    return { store: url, storage: s3Storage({ bucket, prefix: 'store', endpoint, credentials }) }
  }

  const status = () => queueStatus({ redis: redis.socket })
  const linesWith = (text: string) =>
    children.flatMap(({ lines }) => lines.filter((line) => line.includes(text))).length
  const done = () => linesWith('"event":"done"')
  const waits = { timeout: everyPoint ? 3_000_000 : 500_000, interval: 100 }

  it('lose no log, make no bundle twice, and know of each request that may have been billed', {
    timeout: everyPoint ? 3_600_000 : 600_000,
  }, async () => {
    const logs = Array.from({ length: count.logs }, (_, index) => {
      const path = folder(`log-${index}.json`)
      const messages = [
        {
          role: 'user',
          content: `Please sort list ${index} in src/lists.ts; never change the order of equal names.`,
        },
        { role: 'assistant', content: `I sorted list ${index}. Next I will run npm test.` },
      ]
      writeFileSync(path, JSON.stringify({ messages }))
      return path
    })
    const { store, storage } = openPlace()
    const summarizer = anthropicSummarizer({ model, apiKey: 'test-key', baseURL: standIn.url })
    const added = queueLogs(logs, {
      ...{ redis: redis.socket, store, request: { model }, upload: inBucket },
      openStorage: () => storage,
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
    first.process.kill('SIGKILL')
    await first.ended
    const others = Array.from({ length: count.workers - 1 }, startWorker)
    // Another one at any moment, if there are enough of them.
    const second = others.length > 2 ? others.shift() : undefined
    if (second !== undefined) {
      await expect.poll(done, waits).toBeGreaterThan(count.logs * (0.1 + 0.3 * Math.random()))
      second.process.kill('SIGKILL')
      await second.ended
    }
    await expect.poll(done, waits).toBeGreaterThan(count.logs * (everyPoint ? 0.5 : 0.2))
    await redis.restart()
    const left = async () => {
      const { waiting, active, delayed } = await status()
      return waiting + active + delayed
    }
    await expect.poll(left, { ...waits, interval: 500 }).toBe(0)
    for (const { process } of others) process.kill('SIGTERM')
    expect(await Promise.all(others.map(({ ended }) => ended))).toEqual(others.map(() => 0))

    const { failed, runs } = await status()
    const [run] = runs
    const { calls = 0, lostCalls = 0, lost = 0, done: made = 0, known = 0 } = run ?? {}
    const bundles = await bundleStore(storage).list()
    if (everyPoint)
      console.info(
        `${count.logs} logs in ${inBucket ? 'a bucket' : 'a folder'}: ${bundles.length} bundles, ${standIn.bill.length} requests on the bill, ${calls} ended, ${lostCalls} lost, tried again ${linesWith('"willRetry":true')}`,
      )
    expect(failed).toBe(0)
    // A log is known if its worker saved the bundle and was killed, or lost its lock, before it said so.
    expect(made + known).toBe(count.logs)
    expect(run).toMatchObject({ reserved: 0 })
    expect(bundles).toHaveLength(count.logs)
    expect(new Set(bundles.map(({ sourceSha256 }) => sourceSha256)).size).toBe(count.logs)
    expect((await verifyStore(storage, { deep: false })).findings).toEqual([])
    expect(lost).toBeGreaterThan(0)
    expect(standIn.bill.length).toBeGreaterThan(count.logs)
    // A lock that runs out on a busy machine costs a further request, which is known like all others.
    const killed = children.length - others.length
    expect(lostCalls).toBeGreaterThanOrEqual(1)
    expect(lostCalls).toBeLessThanOrEqual(killed + standIn.bill.length - count.logs)
    expect(calls + lostCalls).toBeGreaterThanOrEqual(standIn.bill.length)
  })
})
