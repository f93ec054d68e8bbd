import { describe, expect, it } from 'vitest'
import { deleteDump, listDumps, loadDump, verifyDump } from '../../src/entries/halt.ts'
import { memoryStorage } from '../../src/storage/memory-storage.ts'
import type { Storage } from '../../src/storage/storage.ts'
import { hookedStorage } from '../support/hooked-storage.ts'
import { putText } from '../support/stored.ts'
import { dumpTo, jsonOf, textsOf } from './support.ts'

const turns = Array.from({ length: 200 }, (_, index) => ({ role: 'user', content: `turn ${index}` }))
const halt = { taskId: 'T-1', agent: { prompt: 'go', conversation: turns } }
const day = (number: number) => ({ createdAt: new Date(Date.UTC(2026, 0, number)) })

describe('stored dumps', () => {
  it('are whole without each other: a deletion removes one dump and no part of another', async () => {
    const storage = memoryStorage()
    const first = await dumpTo(storage, halt, day(1))
    const second = await dumpTo(storage, halt, day(2))
    const { deleted } = await deleteDump(storage, first.haltId)
    expect(deleted).toHaveLength(first.parts.length + 1)
    expect(await verifyDump(storage, second.haltId)).toMatchObject({ ok: true, findings: [] })
    expect([...(await textsOf(storage)).keys()].every((key) => key.includes(second.haltId))).toBe(true)
    await expect(loadDump(storage, first.haltId)).rejects.toMatchObject({ code: 'no-dump' })
  })

  it('can be deleted again if a deletion was cut off at any key', async () => {
    const storage = memoryStorage()
    const { haltId, parts } = await dumpTo(storage, halt, day(1))
    for (let left = parts.length; left > 0; left--) {
      let deletions = 0
      const cut = hookedStorage(storage, async (call) => {
        if (call === 'delete' && ++deletions === 2) throw new Error('cut off')
      })
      await expect(deleteDump(cut, haltId)).rejects.toThrow('cut off')
      expect(await listDumps(storage)).toMatchObject([{ haltId, state: 'incomplete' }])
    }
    await deleteDump(storage, haltId)
    expect((await textsOf(storage)).size).toBe(0)
  })

  it('are listed newest first, including those that were cut off or damaged', async () => {
    const storage = memoryStorage()
    const ids: string[] = []
    for (const number of [1, 2, 3])
      ids.push((await dumpTo(storage, { ...halt, iteration: number }, day(number))).haltId)
    const [first = '', second = '', third = ''] = ids
    await storage.delete(`dumps/${second}/manifest.json`)
    await putText(storage, `dumps/${third}/manifest.json`, '{')
    await putText(storage, `dumps/${third}/metadata.json`, '{')
    await putText(storage, 'dumps/readme.txt', 'no dump')
    expect((await listDumps(storage)).map(({ haltId, state }) => [haltId, state])).toEqual([
      [third, 'damaged'],
      [second, 'incomplete'],
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
  const part = 'agent/execution-context.json'
  it.each<[string, (storage: Storage, id: string) => Promise<void>, string, boolean]>([
    ['a part that is gone', (storage, id) => storage.delete(`dumps/${id}/${part}`), 'part-missing', false],
    [
      'a part of another length',
      (storage, id) => putText(storage, `dumps/${id}/${part}`, '{}'),
      'part-damaged',
      false,
    ],
    [
      'a part of the same length',
      async (storage, id) => {
        const text = (await textsOf(storage)).get(`dumps/${id}/${part}`) ?? ''
        await putText(storage, `dumps/${id}/${part}`, text.replace('go', 'no'))
      },
      'part-damaged',
      false,
    ],
    ['no manifest', (storage, id) => storage.delete(`dumps/${id}/manifest.json`), 'manifest-missing', false],
    [
      'a cut manifest',
      (storage, id) => putText(storage, `dumps/${id}/manifest.json`, '{"sch'),
      'manifest-damaged',
      false,
    ],
    [
      'the manifest of another dump',
      async (storage, id) => {
        const other = await dumpTo(storage, {}, day(9))
        const texts = await textsOf(storage)
        await putText(storage, `dumps/${id}/manifest.json`, texts.get(other.key) ?? '')
      },
      'manifest-damaged',
      false,
    ],
    [
      'metadata that is no JSON',
      (storage, id) => putText(storage, `dumps/${id}/metadata.json`, 'x'),
      'metadata-damaged',
      false,
    ],
    ['a file too many', (storage, id) => putText(storage, `dumps/${id}/agent/more.txt`, 'x'), 'extra', true],
  ])('finds %s', async (_, damage, code, ok) => {
    const storage = memoryStorage()
    const { haltId } = await dumpTo(storage, halt, day(1))
    expect(await verifyDump(storage, haltId)).toMatchObject({ ok: true, findings: [] })
    await damage(storage, haltId)
    const report = await verifyDump(storage, haltId)
    expect(report.ok).toBe(ok)
    expect(report.findings.map((finding) => finding.code)).toContain(code)
    expect(report.findings[0]?.message).toContain(report.findings[0]?.key)
  })

  it('reads what is there of a dump that lost a part', async () => {
    const storage = memoryStorage()
    const { haltId } = await dumpTo(storage, halt, day(1))
    const key = `dumps/${haltId}/agent/conversation.jsonl`
    await storage.delete(key)
    const dump = await loadDump(storage, haltId)
    await expect(dump.read('agent/conversation.jsonl')).rejects.toThrow(`${key} is missing`)
    expect(await dump.read('agent/execution-context.json')).toBeDefined()
    expect(await dump.read('agent/nothing.json')).toBeUndefined()
  })

  it('reads the parts of a dump that was cut off', async () => {
    const storage = memoryStorage()
    const { haltId } = await dumpTo(storage, halt, day(1))
    await storage.delete(`dumps/${haltId}/manifest.json`)
    const dump = await loadDump(storage, haltId)
    expect(dump.state).toBe('incomplete')
    expect(dump.paths).toContain('agent/conversation.jsonl')
    expect(Buffer.from((await dump.read('agent/execution-context.json')) ?? []).toString()).toContain('go')
    expect(await jsonOf(storage, haltId, 'metadata.json')).toMatchObject({ reason: 'stopped' })
  })

  it('refuses a manifest that leads elsewhere', async () => {
    const storage = memoryStorage()
    const { haltId, key } = await dumpTo(storage, halt, day(1))
    const manifest = await jsonOf(storage, haltId, 'manifest.json')
    for (const path of ['../../secret', '/etc/passwd', `${haltId}/../../x`]) {
      const parts = [{ ...manifest.parts[0], path }]
      await putText(storage, key, JSON.stringify({ ...manifest, parts }))
      const found = await verifyDump(storage, haltId).catch((error: Error) => error.message)
      expect(JSON.stringify(found)).toContain('manifest-damaged')
    }
  })
})
