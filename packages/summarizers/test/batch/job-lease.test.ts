import { setTimeout as sleep } from 'node:timers/promises'
import { memoryStorage, type Storage } from '@tenfold/core'
import { encodeJson } from '@tenfold/core/internal'
import { describe, expect, it } from 'vitest'
import { type Engine, underLease } from '../../src/batch/engine.ts'
import { jobKey } from '../../src/batch/job-store.ts'

const { signal } = new AbortController()

interface Options {
  readonly signal: AbortSignal
  readonly leaseMs: number
  readonly wait: boolean
}

function withLease<T>(storage: Storage, options: Options, work: (signal: AbortSignal) => Promise<T>) {
  const { leaseMs, wait } = options
  const engine = { storage, job: 'job', signal: options.signal, limits: { leaseMs }, report: () => undefined }
  return underLease(engine as unknown as Engine, wait, (owned) => work(owned.signal))
}

describe('the lease of a job', () => {
  it('lets one process work at a time', async () => {
    const storage = memoryStorage()
    let inside = 0
    let most = 0
    const work = async () => {
      inside += 1
      most = Math.max(most, inside)
      await sleep(20)
      inside -= 1
    }
    // A lease long enough that a busy machine renews it in time.
    const options = { signal, leaseMs: 3_000, wait: true }
    await Promise.all(Array.from({ length: 6 }, () => withLease(storage, options, work)))
    expect(most).toBe(1)
  })

  it('is renewed while the work goes on', async () => {
    const storage = memoryStorage()
    const order: string[] = []
    const options = { signal, leaseMs: 1_500, wait: true }
    let begin = (): void => undefined
    const began = new Promise<void>((resolve) => {
      begin = resolve
    })
    const long = withLease(storage, options, async () => {
      begin()
      await sleep(4_000)
      order.push('first')
    })
    await began
    await withLease(storage, options, async () => order.push('second'))
    await long
    expect(order).toEqual(['first', 'second'])
  })

  it('is taken over from a dead process when it has not changed for its time', async () => {
    const storage = memoryStorage()
    await storage.put(jobKey('job', 'lease.json'), encodeJson({ owner: 'dead', beat: 7 }))
    const started = performance.now()
    expect(await withLease(storage, { signal, leaseMs: 200, wait: false }, async () => 'done')).toBe('done')
    expect(performance.now() - started).toBeGreaterThan(190)
  })

  it('ends the work of a process that lost it', async () => {
    const storage = memoryStorage()
    const work = withLease(storage, { signal, leaseMs: 80, wait: true }, async (inner) => {
      await storage.put(jobKey('job', 'lease.json'), encodeJson({ owner: 'other', beat: 9 }))
      await sleep(600_000, undefined, { signal: inner })
    })
    await expect(work).rejects.toMatchObject({ code: 'batch-taken-over' })
    expect(Buffer.from((await storage.get(jobKey('job', 'lease.json')))?.bytes ?? []).toString()).toContain(
      'other',
    )
  })

  it('stops waiting when the caller does', async () => {
    const storage = memoryStorage()
    await storage.put(jobKey('job', 'lease.json'), encodeJson({ owner: 'other', beat: 1 }))
    const stop = new AbortController()
    const waiting = withLease(storage, { signal: stop.signal, leaseMs: 5000, wait: true }, async () => 1)
    stop.abort(new Error('enough'))
    await expect(waiting).rejects.toThrow()
  })
})
