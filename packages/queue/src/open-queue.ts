import { TenfoldError } from '@tenfold/core'
import { backoff } from '@tenfold/core/internal/locks'
import { Queue } from 'bullmq'
import { Redis } from 'ioredis'
import type { JobData } from './job.ts'

/** The location of a queue. */
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
  /** Returns a Redis key of this queue. */
  key(...parts: readonly string[]): string
  close(): Promise<void>
}

/** Prefix of all Redis keys. */
export const prefix = 'tenfold'

/** Connects to a queue. Throws TenfoldError `redis-unreachable` or `redis-may-evict`. */
export async function openQueue({ redis: url, queue: name = 'tenfold' }: QueuePlace): Promise<OpenQueue> {
  const redis = await openRedis(url)
  const queue: LogQueue = new Queue(name, { connection: redis, prefix })
  // Failed commands reject. These events concern the connection, which is restored automatically.
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
 * Connects to Redis and reconnects whenever the connection is lost; commands wait meanwhile. Throws TenfoldError
 * `redis-unreachable` if the first connection fails, and `redis-may-evict` if Redis is configured to drop keys.
 */
async function openRedis(url = defaultRedis): Promise<Redis> {
  const redis = new Redis(url, {
    lazyConnect: true,
    connectTimeout: connectMs,
    // BullMQ requires this: commands wait for the connection without limit.
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

/** Throws if Redis may drop keys when its memory is full, because jobs and their locks would be lost. */
function assertKeepsJobs(info: string, url: string): void {
  const policy = /^maxmemory_policy:(\S+)/m.exec(info)?.[1]
  if (policy === undefined || policy === 'noeviction') return
  throw new TenfoldError(
    'redis-may-evict',
    `Redis at ${shownUrl(url)} may drop jobs when its memory is full (maxmemory-policy ${policy}). Set "maxmemory-policy noeviction" in its configuration, or now: redis-cli config set maxmemory-policy noeviction`,
  )
}

/** The URL without its password, for messages. */
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
