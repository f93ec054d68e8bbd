import { randomUUID } from 'node:crypto'
import type { OpenQueue } from './open-queue.ts'

// The model calls for the logs of one `queueLogs` call, on all machines. A call is recorded before it is made and again
// when it ends. A killed worker leaves calls without an end, which may have been billed.

export type RunBudget = ReturnType<typeof runBudget>

interface DoneCounts {
  readonly known: boolean
  readonly sourceTokens: number
  readonly bundleTokens: number
}

const giveUp = `
local function giveUp(id, entry)
  local amount = string.match(entry, ' (%S+)$')
  redis.call('HDEL', KEYS[2], id)
  redis.call('HSET', KEYS[3], id, entry)
  redis.call('HINCRBYFLOAT', KEYS[1], 'reserved', '-' .. amount)
  redis.call('HINCRBYFLOAT', KEYS[1], 'lost', amount)
end
local function entries()
  local all, found = redis.call('HGETALL', KEYS[2]), {}
  for at = 1, #all, 2 do found[all[at]] = all[at + 1] end
  return found
end
`

// A command may be resent because the reply was lost, and must not count twice.
const reserveScript = `${giveUp}
if redis.call('HEXISTS', KEYS[2], ARGV[1]) == 1 then return {} end
local function amountOf(field) return tonumber(redis.call('HGET', KEYS[1], field) or 0) end
local limit = redis.call('HGET', KEYS[1], 'maxCost')
local taken = amountOf('spent') + amountOf('reserved') + amountOf('lost')
if limit and (ARGV[3] == '' or taken + ARGV[3] > tonumber(limit) + 1e-9) then
  -- A job without a lock had its worker killed, so its calls are lost.
  for id, entry in pairs(entries()) do
    if redis.call('EXISTS', ARGV[4] .. string.match(entry, '^(%S+)') .. ':lock') == 0 then giveUp(id, entry) end
  end
  return { limit, string.format('%.6f', taken), string.format('%.6f', amountOf('reserved')) }
end
local amount = ARGV[3] == '' and '0' or ARGV[3]
redis.call('HINCRBYFLOAT', KEYS[1], 'reserved', amount)
redis.call('HSET', KEYS[2], ARGV[1], ARGV[2] .. ' ' .. amount)
return {}`

const settleScript = `
local from, field = KEYS[2], 'reserved'
local entry = redis.call('HGET', from, ARGV[1])
if not entry then
  from, field = KEYS[3], 'lost'
  entry = redis.call('HGET', from, ARGV[1])
end
if not entry then return end
redis.call('HDEL', from, ARGV[1])
redis.call('HINCRBYFLOAT', KEYS[1], field, '-' .. string.match(entry, ' (%S+)$'))
if ARGV[2] == '' then return end
redis.call('HINCRBYFLOAT', KEYS[1], 'spent', ARGV[2])
redis.call('HINCRBY', KEYS[1], 'calls', 1)`

const giveUpScript = `${giveUp}
for id, entry in pairs(entries()) do
  if string.match(entry, '^(%S+)') == ARGV[1] then giveUp(id, entry) end
end`

const doneScript = `
if redis.call('SADD', KEYS[2], ARGV[1]) == 0 then return end
redis.call('HINCRBY', KEYS[1], ARGV[2], 1)
redis.call('HINCRBY', KEYS[1], 'sourceTokens', ARGV[3])
redis.call('HINCRBY', KEYS[1], 'bundleTokens', ARGV[4])
redis.call('EXPIRE', KEYS[2], ARGV[5])`

/** Runs expire in Redis after this time. */
const keptSeconds = 30 * 24 * 60 * 60

export function runKeys({ key }: Pick<OpenQueue, 'key'>, run: string) {
  return {
    all: key('runs'),
    run: key('run', run),
    calls: key('run', run, 'calls'),
    lost: key('run', run, 'lost'),
  }
}

/** What a run has spent, in the currency of the prices. */
export function runBudget(open: OpenQueue, run: string) {
  const { redis, key } = open
  const keys = runKeys(open, run)
  const three = [3, keys.run, keys.calls, keys.lost] as const
  return {
    /**
     * Reserves the maximum cost of a job's call. Returns the id of the reservation, or, if the run's limit does not
     * allow it, how much is taken and how much of that is only reserved. Without an amount, any limit refuses the call.
     */
    async reserve(job: string, amount: number | undefined) {
      const call = randomUUID()
      const refused = (await redis.eval(
        reserveScript,
        ...three,
        ...[call, job, amount === undefined ? '' : decimal(amount), key('')],
      )) as string[]
      const [limit, taken, reserved] = refused.map(Number)
      if (limit === undefined) return { call }
      return { limit, taken: taken ?? 0, reserved: reserved ?? 0 }
    },
    /** Replaces a reservation by the call's cost. Undefined means that the call was not made. */
    async settle(call: string, cost: number | undefined): Promise<void> {
      await redis.eval(settleScript, ...three, call, cost === undefined ? '' : decimal(cost))
    },
    /** Counts calls of earlier deliveries of a job as lost if they have no recorded end. */
    async giveUp(job: string): Promise<void> {
      await redis.eval(giveUpScript, ...three, job)
    },
    /** Counts a log as done, once. */
    async done(job: string, { known, sourceTokens, bundleTokens }: DoneCounts): Promise<void> {
      const field = known ? 'known' : 'done'
      const args = [job, field, sourceTokens, bundleTokens, keptSeconds]
      await redis.eval(doneScript, 2, keys.run, key('run', run, 'jobs'), ...args)
    },
  }
}

export async function beginRun(open: OpenQueue, run: string, maxCost: number | undefined): Promise<void> {
  const keys = runKeys(open, run)
  const now = Date.now()
  await open.redis.zremrangebyscore(keys.all, 0, now - keptSeconds * 1000)
  await open.redis.zadd(keys.all, now, run)
  await open.redis.hset(keys.run, { at: now, ...(maxCost !== undefined && { maxCost }) })
  for (const key of [keys.run, keys.all]) await open.redis.expire(key, keptSeconds)
}

function decimal(amount: number): string {
  return amount.toFixed(9)
}
