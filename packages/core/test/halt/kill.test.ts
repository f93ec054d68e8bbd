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

it('a dump whose process was killed is whole or absent, and others stay good', async () => {
  const folder = makeFolder()
  folder.write({ 'sandbox/a.txt': 'a\n' })
  const sandboxRoot = join(folder.path, 'sandbox')
  const store = join(folder.path, 'store')
  const storage = fileStorage(store)
  const first = await dumpTo(storage, { taskId: 'T-1', sandboxRoot })
  const verified = async (haltId: string) => verifyDump(await loadDump(storage, haltId))
  // At the archive, and at the metadata after it.
  for (const put of ['1', '2']) {
    const killed = run(process.execPath, [child, store, sandboxRoot, put])
    await expect(killed).rejects.toMatchObject({ signal: 'SIGKILL' })
  }
  const [whole, before, none] = await listDumps(storage)
  expect([whole?.state, before?.haltId, none]).toEqual(['complete', first.haltId, undefined])
  expect(whole?.metadata).toMatchObject({ reason: 'stopped', taskId: 'T-1', iteration: 1 })
  const folderOfWhole = join(folder.path, 'new')
  await restoreDump(await loadDump(storage, whole?.haltId ?? ''), folderOfWhole)
  expect(await verified(whole?.haltId ?? '')).toMatchObject({ ok: true, state: 'complete', findings: [] })
  expect(await verified(first.haltId)).toMatchObject({ ok: true, findings: [] })
  const last = await dumpTo(storage, { taskId: 'T-1', sandboxRoot })
  expect(await verified(last.haltId)).toMatchObject({ ok: true, findings: [] })
})
