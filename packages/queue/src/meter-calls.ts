import { type PriceTable, type Summarizer, type SummarizerCall, SummarizerError } from '@tenfold/core'
import { costOf, maxCostOf, noPrice, usageIsPartial, withSharedSpending } from '@tenfold/core/internal'
import { sleep } from '@tenfold/core/internal/locks'
import type { CallEstimate } from '@tenfold/core/summarizer'
import type { OpenQueue } from './open-queue.ts'
import type { RunBudget } from './run-budget.ts'

/** How many requests a provider accepts in an interval, from all workers together. */
export interface Rate {
  /** Number of requests. */
  readonly requests: number
  /** Interval in milliseconds. */
  readonly perMs: number
}

/** Rates by the summarizer's name: `anthropic`, `openai`. */
export type Rates = Readonly<Record<string, Rate>>

interface MeterOptions {
  readonly open: OpenQueue
  readonly budget: RunBudget
  readonly job: string
  readonly rates: Rates
  readonly prices: PriceTable
}

interface Reserved {
  readonly call: string
  readonly amount: number
}

const pauseMs = 1000

/** Makes a job's calls wait for their turn, and adds up what they cost. */
export function meterCalls({ open, budget, job, rates, prices }: MeterOptions) {
  const reserved = new Map<string, Reserved[]>()
  const settling = new Set<Promise<void>>()

  /** Waits for calls of other logs if the limit is exceeded only because of what those may still cost. */
  async function reserve(estimate: CallEstimate, signal: AbortSignal): Promise<Reserved> {
    const amount = maxCostOf(estimate, prices)
    for (;;) {
      const result = await budget.reserve(job, amount)
      signal.throwIfAborted()
      if ('call' in result) return { call: result.call, amount: amount ?? 0 }
      if (amount === undefined) throw noPrice(estimate)
      const { limit, taken, reserved: waiting } = result
      if (waiting < 1e-6 || taken - waiting + amount > limit) throw overBudget(limit, taken, amount)
      await sleep(pauseMs * (0.5 + Math.random()), signal)
    }
  }

  function settle({ call }: Reserved, cost: number | undefined): void {
    const done: Promise<void> = budget.settle(call, cost).finally(() => settling.delete(done))
    settling.add(done)
    // `end` rejects with this error.
    done.catch(() => {})
  }

  function record(call: SummarizerCall): void {
    const own = reserved.get(call.summarizer)?.shift()
    if (own === undefined) return
    const cost = costOf([call], prices)?.amount ?? 0
    settle(own, usageIsPartial([call]) ? Math.max(cost, own.amount) : cost)
  }

  return {
    wrap(summarizer: Summarizer): Summarizer {
      const rate = rates[summarizer.name]
      return withSharedSpending(summarizer, {
        record,
        async admit(estimate, signal) {
          if (rate !== undefined) await waitForTurn(open, summarizer.name, rate, signal)
          const own = await reserve(estimate, signal)
          reserved.set(estimate.summarizer, [...(reserved.get(estimate.summarizer) ?? []), own])
        },
      })
    },
    /** Waits until all costs are recorded. */
    async end(): Promise<void> {
      // Calls that are still reserved were not sent.
      for (const each of [...reserved.values()].flat()) settle(each, undefined)
      reserved.clear()
      await Promise.all(settling)
    },
  }
}

function overBudget(limit: number, taken: number, amount: number): SummarizerError {
  const money = (value: number) => Math.ceil(value * 1e4) / 1e4
  return new SummarizerError(
    `maxCost ${limit} of all logs together does not allow a call of up to ${money(amount)} after ${money(taken)} spent: raise it, or use a cheaper model`,
    { reason: 'over-budget' },
  )
}

// Requests are evenly spaced by Redis's clock, because providers refuse bursts.
const takeTurn = `
local time = redis.call('TIME')
local now = time[1] * 1000 + time[2] / 1000
local turn = math.max(now, tonumber(redis.call('GET', KEYS[1]) or 0))
local after = turn + tonumber(ARGV[1])
redis.call('SET', KEYS[1], string.format('%.3f', after), 'PX', math.ceil(after - now) + 1000)
return math.ceil(turn - now)`

/** Waits until a request to a provider is due. Rejects with the reason of the signal. */
async function waitForTurn(
  { redis, key }: OpenQueue,
  provider: string,
  { requests, perMs }: Rate,
  signal: AbortSignal,
): Promise<void> {
  const wait = Number(await redis.eval(takeTurn, 1, key('rate', provider), perMs / requests))
  if (wait > 0) await sleep(wait, signal)
}
