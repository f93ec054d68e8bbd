import { setTimeout as sleep } from 'node:timers/promises'
import type { OpenQueue } from './open-queue.ts'

/** Requests that a provider takes in some time, of all workers together. */
export interface Rate {
  readonly requests: number
  readonly perMs: number
}

/** By name of the summarizer: `anthropic`, `openai`. */
export type Rates = Readonly<Record<string, Rate>>

// Each request takes the next place in time, by the clock of Redis: evenly spaced, so that no burst is refused.
const takeTurn = `
local time = redis.call('TIME')
local now = time[1] * 1000 + time[2] / 1000
local turn = math.max(now, tonumber(redis.call('GET', KEYS[1]) or 0))
local after = turn + tonumber(ARGV[1])
redis.call('SET', KEYS[1], string.format('%.3f', after), 'PX', math.ceil(after - now) + 1000)
return math.ceil(turn - now)`

/** Waits until a request to a provider is due. Rejects with the reason of the signal. */
export async function waitForTurn(
  { redis, key }: OpenQueue,
  provider: string,
  { requests, perMs }: Rate,
  signal: AbortSignal,
): Promise<void> {
  const wait = Number(await redis.eval(takeTurn, 1, key('rate', provider), perMs / requests))
  if (wait > 0)
    await sleep(wait, undefined, { signal }).catch((error: unknown) => {
      signal.throwIfAborted()
      throw error
    })
}
