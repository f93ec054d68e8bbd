import { execFile } from 'node:child_process'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { fileStorage } from '@tenfold/storage-fs'
import { expect, it } from 'vitest'
import { listDumps, loadDump, restoreDump, verifyDump } from '../../src/entries/halt.ts'
import { makeFolder } from '../git/repository.ts'
import { dumpTo } from './support.ts'

const run = promisify(execFile)
const child = join(import.meta.dirname, 'dump-child.js')

it('a dump whose process was killed is reported as incomplete, and the one before stays good', async () => {
  const folder = makeFolder()
  folder.write({ 'sandbox/a.txt': 'a\n' })
  const sandboxRoot = join(folder.path, 'sandbox')
  const store = join(folder.path, 'store')
  const storage = fileStorage(store)
  const first = await dumpTo(storage, { taskId: 'T-1', sandboxRoot })
  const moments = ['/execution-context.json', '/manifest.json']
  const killed = await Promise.allSettled(
    moments.map((moment) => run(process.execPath, [child, store, sandboxRoot, moment])),
  )
  expect(killed).toMatchObject(moments.map(() => ({ status: 'rejected', reason: { signal: 'SIGKILL' } })))

  const entries = await listDumps(storage)
  expect(entries.map(({ state }) => state)).toEqual(['incomplete', 'incomplete', 'complete'])
  for (const { haltId } of entries.slice(0, 2)) {
    expect(await verifyDump(storage, haltId)).toMatchObject({
      ok: false,
      state: 'incomplete',
      findings: [{ code: 'manifest-missing' }],
    })
    const dump = await loadDump(storage, haltId)
    expect(dump.metadata).toMatchObject({ reason: 'stopped', taskId: 'T-1', iteration: 1 })
    await expect(restoreDump(storage, haltId, join(folder.path, 'new'))).rejects.toThrow(/is incomplete/)
  }
  expect(await verifyDump(storage, first.haltId)).toMatchObject({ ok: true, findings: [] })
  const last = await dumpTo(storage, { taskId: 'T-1', sandboxRoot })
  expect(await verifyDump(storage, last.haltId)).toMatchObject({ ok: true, findings: [] })
})
