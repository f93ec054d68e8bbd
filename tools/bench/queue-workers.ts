import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { fileURLToPath } from 'node:url'
import { queueLogs } from '@tenfold/queue'
import type { Measure } from './measures.ts'
import { measureBareJob, queueParts, startRedis } from './queue.ts'

const program = fileURLToPath(new URL('queue-worker.js', import.meta.url))

/** Logs per second of 1, 2 and 4 worker processes, and the CPU that each log takes; empty without a redis-server. */
export async function measureQueueWorkers(
  logs: readonly string[],
  repeat: number,
  folder: string,
): Promise<Measure[]> {
  const base = await measureBareJob(join(folder, 'bare'), repeat)
  if (base === undefined) return []
  const measures: Measure[] = []
  let first: number | undefined
  for (const workers of [1, 2, 4]) {
    const { rate, milliseconds } = await runWorkers(logs, workers, join(folder, String(workers)))
    first ??= rate
    const name = `queue: ${workers} ${workers === 1 ? 'worker' : 'workers'}`
    measures.push(
      { what: name, value: rate, unit: 'logs/s', against: '1 worker', base: first, ratio: rate / first },
      {
        ...{ what: `${name}, CPU of each log`, value: milliseconds, unit: 'ms' },
        ...{ against: 'a bare BullMQ job', base, ratio: milliseconds / base },
      },
    )
  }
  return measures
}

async function runWorkers(logs: readonly string[], count: number, folder: string) {
  const redis = await startRedis(folder)
  if (redis === undefined) throw new Error('redis-server is gone')
  const children = Array.from({ length: count }, () =>
    spawn(process.execPath, [program, redis.socket], { stdio: ['ignore', 'pipe', 'inherit'] }),
  )
  let milliseconds = 0
  let waiting = count
  let left = logs.length
  try {
    let allReady = (): void => undefined
    let oneDone = (): void => undefined
    const ready = new Promise<void>((resolve) => {
      allReady = resolve
    })
    const finished = new Promise<void>((resolve, reject) => {
      oneDone = () => {
        if (--left === 0) resolve()
      }
      const hear = (line: string): void => {
        if (line === 'ready' && --waiting === 0) allReady()
        else if (line === 'done') oneDone()
        else if (line === 'failed') reject(new Error('a log failed'))
        else if (line.startsWith('cpu ')) milliseconds += Number(line.slice(4))
      }
      for (const child of children) {
        child.once('exit', () => reject(new Error('a worker ended too early')))
        createInterface({ input: child.stdout }).on('line', hear)
      }
    })
    await Promise.race([ready, finished])
    const started = performance.now()
    const queue = async () => {
      const parts = { ...queueParts(redis.socket), store: join(folder, 'store'), request: {} }
      for await (const result of queueLogs(logs, parts)) {
        if ('error' in result) throw result.error
        // A log with the content of another needs no job of its own.
        if (!('queued' in result)) oneDone()
      }
    }
    await Promise.all([queue(), finished])
    const seconds = (performance.now() - started) / 1000
    await Promise.all(
      children.map((child) => {
        const ended = once(child, 'close')
        child.kill('SIGTERM')
        return ended
      }),
    )
    return { rate: logs.length / seconds, milliseconds: milliseconds / logs.length }
  } finally {
    for (const child of children) child.kill('SIGKILL')
    redis.stop()
  }
}
