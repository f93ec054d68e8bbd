import { setTimeout as sleep } from 'node:timers/promises'
import { bundleStore } from '@tenfold/core'
import { withWorkLease } from '@tenfold/core/internal'
import { describe, expect, it } from 'vitest'
import { keysOf } from '../../core/test/support/stored.ts'
import { standInStorage } from './support/storages.ts'

const digest = 'd'.repeat(32)

describe.each([
  ['with all conditions', {}],
  ['without If-Match', { conditions: 'create-only' as const }],
])('a lease in a bucket %s', (_, options) => {
  it('lets one run work at a time, however long it takes', async () => {
    const { storage } = standInStorage({}, options)
    let atWork = 0
    let most = 0
    const work = async (): Promise<void> => {
      most = Math.max(most, ++atWork)
      await sleep(700)
      atWork -= 1
    }
    const lease = () => withWorkLease(bundleStore(storage), digest, { leaseMs: 500 }, work)
    await Promise.all([lease(), lease()])
    expect(most).toBe(1)
    expect(await keysOf(storage)).toEqual([])
  })

  it('is taken over after its time if the run died', async () => {
    const { storage, standIn } = standInStorage({}, options)
    const store = bundleStore(storage)
    const dead = new Map(standIn.objects)
    await withWorkLease(store, digest, { leaseMs: 100 }, async () => {
      for (const [key, object] of standIn.objects) dead.set(key, object)
    })
    for (const [key, object] of dead) standIn.objects.set(key, object)
    expect(await keysOf(storage)).toEqual([`working/${digest}.json`])
    expect(await withWorkLease(store, digest, { leaseMs: 100 }, async () => 'done')).toBe('done')
    expect(await keysOf(storage)).toEqual([])
  })
})
