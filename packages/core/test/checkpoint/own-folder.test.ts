import { describe, expect, it } from 'vitest'
import { checkpoint } from '../../src/checkpoint/checkpoint.ts'
import { saveBundle } from '../../src/given/complete-bundle.ts'
import { dumpHalt } from '../../src/halt/dump-halt.ts'
import { loadDump } from '../../src/halt/stored-dumps.ts'
import { resume } from '../../src/resume/resume.ts'
import { memoryStorage } from '../../src/storage/memory-storage.ts'
import type { Storage } from '../../src/storage/storage.ts'
import { bundleStore } from '../../src/store/bundle-store.ts'
import { makeRepository } from '../git/repository.ts'

/** A repository whose only change is a file of the store that is kept in it. */
function repositoryWithStore() {
  const repository = makeRepository()
  repository.commit({ 'a.ts': '1' })
  const storage: Storage = { ...memoryStorage(), folder: `${repository.path}/store` }
  repository.write({ 'store/bundles/x.json': '{}' })
  return { cwd: repository.path, storage, store: bundleStore(storage) }
}

describe('the folder of a store in the repository', () => {
  it('does not count as changed in a checkpoint and when it is resumed', async () => {
    const { cwd, store } = repositoryWithStore()
    const { checkpoint: saved } = await checkpoint({ store, track: 'main', step: 'a step', cwd })
    expect(saved.git).toMatchObject({ dirty: false, changed: 0 })
    const { live } = await resume({ store, track: 'main', verify: cwd })
    expect(live?.findings).toEqual([])
  })

  it('does not count as changed in a bundle that is given', async () => {
    const { cwd, store } = repositoryWithStore()
    const { bundle } = await saveBundle(store, { kind: 'context', summary: 'Done.' }, { cwd })
    expect(bundle.git?.dirty).toBe(false)
  })

  it('counts as changed if other folders are given', async () => {
    const { cwd, store } = repositoryWithStore()
    const { checkpoint: saved } = await checkpoint({ store, track: 'main', step: 'a step', cwd, ignore: [] })
    expect(saved.git?.files).toEqual([expect.objectContaining({ path: 'store/' })])
  })

  it('is not in a halt dump', async () => {
    const { cwd, storage } = repositoryWithStore()
    const dumped = await dumpHalt({ reason: 'budget', sandboxRoot: cwd }, { storage })
    const dump = await loadDump(storage, 'haltId' in dumped ? dumped.haltId : '')
    expect(dump.metadata?.git).toMatchObject({ dirty: false })
  })
})
