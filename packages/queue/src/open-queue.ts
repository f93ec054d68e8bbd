import { Queue } from 'bullmq'
import type { Redis } from 'ioredis'
import type { JobData } from './job.ts'
import { openRedis, type QueuePlace } from './redis.ts'

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
