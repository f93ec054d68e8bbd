import { TenfoldError } from '@tenfold/core'
import { backoff } from '@tenfold/core/internal/locks'
import { Queue } from 'bullmq'
import { Redis } from 'ioredis'
import type { JobData } from './job.ts'

/** Where a queue is. */
export interface QueuePlace {
  /** `redis://[user:password@]host:port[/db]`, `rediss://…`, or the path of a socket. @default redis://127.0.0.1:6379 */
  readonly redis?: string | undefined
  /** Name of the queue: one Redis can hold several. @default tenfold */
  readonly queue?: string | undefined
}

/** A job of BullMQ that compresses a log. */
type LogQueue = Queue<JobData, unknown, string>

export interface OpenQueue {
  readonly name: string
  readonly redis: Redis
  readonly queue: LogQueue
  /** The key of Redis for something of this queue. */
  key(...parts: readonly string[]): string
  close(): Promise<void>
}

/** All keys begin with it. */
export const prefix = 'tenfold'

/** Connects to a queue. Throws TenfoldError `redis-unreachable` or `redis-may-evict`. */
export async function openQueue({ redis: url, queue: name = 'tenfold' }: QueuePlace): Promise<OpenQueue> {
  const redis = await openRedis(url)
  const queue: LogQueue = new Queue(name, { connection: redis, prefix })
  // Commands that fail reject; this is about the connection, which comes back.
  queue.on('error', () => {})
  return {
    name,
    redis,
    queue,
    key: (...parts) => [prefix, name, ...parts].join(':'),
    async close() {
      await queue.close()
      redis.disconnect()
    },
  }
}

const defaultRedis = 'redis://127.0.0.1:6379'

const connectMs = 5000
/**
 * Connects to Redis, and again whenever the connection is lost; commands wait meanwhile. Throws TenfoldError
 * `redis-unreachable` if it cannot be reached at first, `redis-may-evict` if its settings let it drop jobs.
 */
async function openRedis(url = defaultRedis): Promise<Redis> {
  const redis = new Redis(url, {
    lazyConnect: true,
    connectTimeout: connectMs,
    // BullMQ needs it: a command waits for the connection, however long that takes.
    maxRetriesPerRequest: null,
    retryStrategy: (times) => backoff(times, { firstMs: 50, mostMs: 2000 }),
  })
  let last: unknown
  redis.on('error', (error) => {
    last = error
  })
  try {
    await redis.connect()
    assertKeepsJobs(await redis.info(), url)
    return redis
  } catch (error) {
    redis.disconnect()
    if (TenfoldError.isInstance(error)) throw error
    throw new TenfoldError(
      'redis-unreachable',
      `Redis at ${shownUrl(url)} cannot be used: ${reasonOf(last ?? error)}; start it, or give the URL of another (option redis).`,
      { cause: error },
    )
  }
}

/** Throws if Redis may drop keys when its memory is full: jobs and their locks would be lost. */
function assertKeepsJobs(info: string, url: string): void {
  const policy = /^maxmemory_policy:(\S+)/m.exec(info)?.[1]
  if (policy === undefined || policy === 'noeviction') return
  throw new TenfoldError(
    'redis-may-evict',
    `Redis at ${shownUrl(url)} may drop jobs when its memory is full (maxmemory-policy ${policy}). Set "maxmemory-policy noeviction" in its configuration, or now: redis-cli config set maxmemory-policy noeviction`,
  )
}

/** What may be printed of a URL: no password. */
function shownUrl(url: string): string {
  if (!URL.canParse(url)) return url
  const shown = new URL(url)
  shown.password = ''
  shown.username = ''
  shown.search = ''
  return shown.href.replace(/\/$/, '')
}

function reasonOf(error: unknown): string {
  if (error instanceof AggregateError) return error.errors.map(reasonOf).join(', ')
  return error instanceof Error ? error.message : String(error)
}
