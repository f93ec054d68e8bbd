import { describe, expect, it } from 'vitest'
import { deleteDump, listDumps, loadDump, verifyDump } from '../../src/entries/halt.ts'
import { memoryStorage } from '../../src/storage/memory-storage.ts'
import type { Storage } from '../../src/storage/storage.ts'
import { hookedStorage } from '../support/hooked-storage.ts'
import { keysOf, putText } from '../support/stored.ts'
import { dumpTo } from './support.ts'

const halt = { taskId: 'T-1', agent: { prompt: 'go', conversation: [{ role: 'user', content: 'turn' }] } }
const day = (number: number) => ({ createdAt: new Date(Date.UTC(2026, 0, number)) })

describe('stored dumps', () => {
  it('can be listed without each other, and deleted again if a deletion was interrupted', async () => {
    const storage = memoryStorage()
    const first = await dumpTo(storage, halt, day(1))
    const second = await dumpTo(storage, halt, day(2))
    const cut = hookedStorage(storage, async (call, key) => {
      if (call === 'delete' && key.endsWith('.tar.gz')) throw new Error('cut off')
    })
    await expect(deleteDump(cut, first.haltId)).rejects.toThrow('cut off')
    expect((await listDumps(storage)).map(({ haltId }) => haltId)).toEqual([second.haltId, first.haltId])
    expect((await deleteDump(storage, first.haltId)).deleted).toEqual([first.key])
    await expect(deleteDump(storage, first.haltId)).rejects.toMatchObject({ code: 'no-dump' })
    await expect(loadDump(storage, first.haltId)).rejects.toMatchObject({ code: 'no-dump' })
    expect(await verifyDump(await loadDump(storage, second.haltId))).toMatchObject({ ok: true, findings: [] })
    expect(await keysOf(storage)).toEqual([`dumps/${second.haltId}.json`, second.key])
  })

  it('are listed newest first, including those without a copy of their metadata or damaged', async () => {
    const storage = memoryStorage()
    const ids: string[] = []
    for (const number of [1, 2, 3])
      ids.push((await dumpTo(storage, { ...halt, iteration: number }, day(number))).haltId)
    const [first = '', second = '', third = ''] = ids
    await storage.delete(`dumps/${second}.json`)
    await putText(storage, `dumps/${third}.tar.gz`, '{')
    await putText(storage, `dumps/${third}.json`, '{')
    await putText(storage, 'dumps/readme.txt', 'no dump')
    expect((await listDumps(storage)).map(({ haltId, state }) => [haltId, state])).toEqual([
      [third, 'damaged'],
      [second, 'complete'],
      [first, 'complete'],
    ])
    expect(await listDumps(storage, { taskId: 'T-1', limit: 1 })).toMatchObject([{ haltId: second }])
    expect(await listDumps(storage, { taskId: 'T-9' })).toEqual([])
    const { haltId } = await dumpTo(storage, { taskId: 'задача' }, day(4))
    expect(await listDumps(storage, { taskId: 'задача' })).toMatchObject([{ haltId }])
    expect(await listDumps(storage, { taskId: 'другая' })).toEqual([])
    expect(await listDumps(memoryStorage())).toEqual([])
  })
})

describe('verifyDump', () => {
  const put = async (storage: Storage, key: string, change: (bytes: Buffer) => Uint8Array) => {
    await storage.put(key, change(Buffer.from((await storage.get(key))?.bytes ?? [])))
  }
  it.each<[string, (storage: Storage, id: string) => Promise<unknown>, string, string]>([
    ['no archive', (storage, id) => storage.delete(`dumps/${id}.tar.gz`), 'archive-missing', 'damaged'],
    [
      'a cut archive',
      (storage, id) => put(storage, `dumps/${id}.tar.gz`, (bytes) => bytes.subarray(0, 200)),
      'archive-damaged',
      'damaged',
    ],
    [
      'one changed byte',
      (storage, id) =>
        put(storage, `dumps/${id}.tar.gz`, (bytes) => {
          bytes[300] = (bytes[300] ?? 0) ^ 1
          return bytes
        }),
      'archive-damaged',
      'damaged',
    ],
    [
      'the archive of another dump',
      async (storage, id) => {
        const other = await dumpTo(storage, {}, day(9))
        await storage.put(`dumps/${id}.tar.gz`, (await storage.get(other.key))?.bytes ?? new Uint8Array())
      },
      'archive-damaged',
      'damaged',
    ],
  ])('finds %s', async (_, damage, code, state) => {
    const storage = memoryStorage()
    const { haltId } = await dumpTo(storage, halt, day(1))
    expect(await verifyDump(await loadDump(storage, haltId))).toMatchObject({ ok: true, findings: [] })
    await damage(storage, haltId)
    const report = await verifyDump(await loadDump(storage, haltId))
    expect(report).toMatchObject({ ok: false, state, findings: [{ code }] })
    expect(report.findings[0]?.message).toContain(report.findings[0]?.key)
  })
})
