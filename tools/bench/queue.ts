import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdir, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { bundleStore, compressLogs } from '@tenfold/core'
import { type QueueEvent, type QueueParts, queueLogs, queueWorker } from '@tenfold/queue'
import { fileStorage } from '@tenfold/storage-fs'
import { extractiveSummarizer } from '@tenfold/summarizers/extractive'
import { Queue, Worker } from 'bullmq'
import type { Measure } from './measures.ts'

/** Jobs in each round of a measure. */
const jobsPerRound = 20

/**
 * Milliseconds of CPU that the queue adds to a log, against those of a BullMQ job that does nothing; empty if there is no
 * redis-server. The store has the logs already, so that nothing but finding them is added to. Each is the mean between
 * the first result and the last, of one log at a time: the wait for Redis and for disks depends on the machine.
 */
export async function measureQueue(folder: string, repeat: number): Promise<Measure[]> {
  const jobs = jobsPerRound * repeat
  const redis = await startRedis(folder)
  if (redis === undefined) return []
  try {
    const logs = await writeLogs(folder, jobs)
    const store = join(folder, 'store')
    const parts = queueParts(redis.socket)
    for await (const result of queueLogs(logs, { ...parts, store, request: {} }))
      if ('error' in result) throw result.error
    await compressAlone(logs, store, () => {})
    const alone = await meanOf((tick) => compressAlone(logs, store, tick))
    const queued = await meanOf(async (tick) => {
      const report = (event: QueueEvent) => event.event === 'done' && tick()
      await (await queueWorker({ ...parts, concurrency: 1, untilEmpty: true, report })).ended
    })
    const base = await meanOf((tick) => runBareJobs(redis.socket, jobs, tick))
    const value = queued - alone
    const what = 'queue: CPU added to each log'
    return [{ what, value, unit: 'ms', against: 'a bare BullMQ job', base, ratio: value / base }]
  } finally {
    redis.stop()
  }
}

/** What whoever queues logs and the workers have in common. */
export function queueParts(redis: string): QueueParts & { readonly redis: string } {
  return {
    redis,
    openStorage: (place) => fileStorage(place),
    optionsOf: () => ({ summarizer: extractiveSummarizer() }),
  }
}

/** Milliseconds of CPU of a BullMQ job that does nothing; undefined if there is no redis-server. */
export async function measureBareJob(folder: string, repeat: number): Promise<number | undefined> {
  const redis = await startRedis(folder)
  if (redis === undefined) return undefined
  try {
    return await meanOf((tick) => runBareJobs(redis.socket, jobsPerRound * repeat, tick))
  } finally {
    redis.stop()
  }
}

async function meanOf(run: (tick: () => void) => Promise<void>): Promise<number> {
  const ticks: number[] = []
  await run(() => {
    const { user, system } = process.cpuUsage()
    ticks.push((user + system) / 1000)
  })
  return ((ticks.at(-1) ?? 0) - (ticks[0] ?? 0)) / (ticks.length - 1)
}

async function compressAlone(logs: readonly string[], folder: string, tick: () => void): Promise<void> {
  const store = bundleStore(fileStorage(folder))
  for await (const result of compressLogs(logs, {
    summarizer: extractiveSummarizer(),
    store,
    concurrency: 1,
  })) {
    if ('error' in result) throw result.error
    tick()
  }
}

async function runBareJobs(socket: string, jobs: number, tick: () => void): Promise<void> {
  const connection = { path: socket, maxRetriesPerRequest: null }
  const queue = new Queue('bare', { connection })
  await queue.addBulk(
    Array.from({ length: jobs }, () => ({ name: 'job', data: {}, opts: { removeOnComplete: true } })),
  )
  let done = 0
  const worker = new Worker('bare', async () => {}, { connection })
  await new Promise<void>((resolve) => {
    worker.on('completed', () => {
      tick()
      if (++done === jobs) resolve()
    })
  })
  await Promise.all([worker.close(), queue.close()])
}

async function writeLogs(folder: string, jobs: number): Promise<string[]> {
  await mkdir(folder, { recursive: true })
  return await Promise.all(
    Array.from({ length: jobs }, async (_, index) => {
      const path = join(folder, `${index}.json`)
      const messages = [
        { role: 'user', content: `Please sort list ${index} in src/lists.ts, by name and then by age.` },
      ]
      await writeFile(path, JSON.stringify({ messages }))
      return path
    }),
  )
}

/** Starts a Redis of its own; undefined if there is no redis-server. */
export async function startRedis(
  folder: string,
): Promise<{ readonly socket: string; stop(): void } | undefined> {
  await mkdir(folder, { recursive: true })
  const socket = join(folder, 'redis.sock')
  const settings = [
    '--port',
    '0',
    '--unixsocket',
    socket,
    '--dir',
    folder,
    '--save',
    '',
    '--appendonly',
    'yes',
  ]
  const child = spawn('redis-server', settings, { stdio: ['ignore', 'pipe', 'ignore'] })
  try {
    await once(child, 'spawn')
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return undefined
    throw error
  }
  for await (const text of child.stdout) if (/ready to accept/i.test(String(text))) break
  return { socket, stop: () => void child.kill('SIGKILL') }
}
