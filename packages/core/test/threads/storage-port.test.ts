import { expect, it } from 'vitest'
import { memoryStorage } from '../../src/storage/memory-storage.ts'
import { bundleStore } from '../../src/store/bundle-store.ts'
import { sampleBundle } from '../../src/testing/sample-bundle.ts'
import {
  outlineOfStorage,
  type PortCalls,
  storageHandlers,
  storageOfPort,
} from '../../src/threads/port-calls.ts'
import { keysOf } from '../support/stored.ts'

it('a storage of another thread lists after a key, and keeps no copies of LATEST if it is remote', async () => {
  for (const remote of [true, false]) {
    const inner = { ...memoryStorage(), remote }
    const handlers = storageHandlers(inner)
    const call = async (name: string, ...args: never[]) => await handlers[name]?.(...args)
    const storage = storageOfPort(outlineOfStorage(inner), { call } as unknown as PortCalls)
    const { id } = await bundleStore(storage).save(sampleBundle())
    expect((await bundleStore(storage).latest('main'))?.bundle.id).toBe(id)
    expect((await keysOf(inner)).some((key) => key.includes('LATEST'))).toBe(!remote)
    const after: string[] = []
    for await (const { key } of storage.list('bundles/', { after: `bundles/${id}.json` })) after.push(key)
    expect(after).toEqual([`bundles/${id}.md`])
  }
})
