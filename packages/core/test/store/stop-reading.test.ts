import { describe, expect, it } from 'vitest'
import { checkpointStore } from '../../src/checkpoint/checkpoint-store.ts'
import { memoryStorage } from '../../src/storage/memory-storage.ts'
import type { Storage } from '../../src/storage/storage.ts'
import { type BundleStore, bundleStore } from '../../src/store/bundle-store.ts'
import { sampleBundle } from '../../src/testing/sample-bundle.ts'
import { makeCheckpoint } from '../checkpoint/make-checkpoint.ts'
import { hookedStorage } from '../support/hooked-storage.ts'

const bundles = Array.from({ length: 3 }, () => sampleBundle({ task: 'T-1' }))
const checkpoints = [makeCheckpoint(), makeCheckpoint()]
const last = { bundle: bundles.at(-1)?.id ?? '', checkpoint: checkpoints.at(-1)?.id ?? '' }
const full = memoryStorage()

/** The filled storage, local or remote, and a signal that is aborted by its call number `at`; it counts the calls. */
function stopping(at: number, remote: boolean) {
  const stop = new AbortController()
  const calls = { count: 0 }
  const hooked = hookedStorage(full, async () => {
    calls.count += 1
    if (calls.count === at) stop.abort(new Error('enough'))
  })
  return { storage: { ...hooked, remote }, signal: stop.signal, calls }
}

const inBundles = (run: (store: BundleStore, signal: AbortSignal) => Promise<unknown>) => {
  return (storage: Storage, signal: AbortSignal) => run(bundleStore(storage), signal)
}
const inCheckpoints = (
  run: (store: ReturnType<typeof checkpointStore>, signal: AbortSignal) => Promise<unknown>,
) => {
  return (storage: Storage, signal: AbortSignal) => run(checkpointStore(storage), signal)
}

describe('reading a store', async () => {
  for (const bundle of bundles) await bundleStore(full).save(bundle)
  for (const checkpoint of checkpoints) await checkpointStore(full).save(checkpoint)

  it.each([
    ['list', inBundles((store, signal) => store.list({ task: 'T-1' }, { signal }))],
    ['history', inBundles((store, signal) => store.history('main', { signal }))],
    ['latest', inBundles((store, signal) => store.latest('main', { signal }))],
    ['load', inBundles((store, signal) => store.load(last.bundle, { signal }))],
    ['findBySource', inBundles((store, signal) => store.findBySource('a'.repeat(64), { signal }))],
    ['list of checkpoints', inCheckpoints((store, signal) => store.list({}, { signal }))],
    ['latest checkpoint', inCheckpoints((store, signal) => store.latest('main', { signal }))],
    ['load of a checkpoint', inCheckpoints((store, signal) => store.load(last.checkpoint, { signal }))],
  ])('stops at any call of %s, with the reason of the signal', async (_, read) => {
    for (const remote of [false, true]) {
      const whole = stopping(0, remote)
      await expect(read(whole.storage, whole.signal)).resolves.toBeDefined()
      expect(whole.calls.count).toBeGreaterThan(0)
      await expect(read(whole.storage, AbortSignal.abort(new Error('enough')))).rejects.toThrow('enough')
      // A call that is under way ends: with the last one there is nothing left to stop.
      for (let at = 1; at < whole.calls.count / 2; at++) {
        const { storage, signal, calls } = stopping(at, remote)
        await expect(read(storage, signal)).rejects.toThrow('enough')
        expect(calls.count).toBeLessThan(whole.calls.count)
      }
    }
  })
})
