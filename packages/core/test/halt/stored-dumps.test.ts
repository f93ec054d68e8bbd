import { describe, expect, it } from 'vitest'
import { deleteDump, listDumps, loadDump, verifyDump } from '../../src/index.ts'
import { memoryStorage } from '../../src/storage/memory-storage.ts'
import type { Storage } from '../../src/storage/storage.ts'
import { hookedStorage } from '../support/hooked-storage.ts'
import { putText } from '../support/stored.ts'
import { dumpTo, jsonOf, textsOf } from './support.ts'

const turns = Array.from({ length: 200 }, (_, index) => ({ role: 'user', content: `turn ${index}` }))
const halt = { taskId: 'T-1', agent: { prompt: 'go', conversation: turns } }
const day = (number: number) => ({ createdAt: new Date(Date.UTC(2026, 0, number)) })

describe('dumps of one task', () => {
  it('store only what changed, and each is whole', async () => {
    const storage = memoryStorage()
    const first = await dumpTo(storage, halt, day(1))
    const second = await dumpTo(storage, { ...halt, agent: { ...halt.agent, prompt: 'again' } }, day(2))
    const third = await dumpTo(storage, halt, day(3))
    const other = await dumpTo(storage, { ...halt, taskId: 'T-2' }, day(4))
    const elsewhere = await dumpTo(storage, { ...halt, projectId: 'other' }, day(5))
    const conversation = (dump: typeof first) =>
      dump.parts.find(({ path }) => path === 'agent/conversation.jsonl')
    expect(conversation(first)?.stored).toBeUndefined()
    for (const dump of [second, third])
      expect(conversation(dump)?.stored).toBe(`${first.haltId}/agent/conversation.jsonl`)
    for (const dump of [other, elsewhere]) expect(conversation(dump)?.stored).toBeUndefined()
    expect(second.storedBytes).toBeLessThan(first.storedBytes / 4)
    expect(second.reusedBytes).toBeGreaterThan(first.storedBytes / 2)
    for (const { haltId } of [first, second, third, other]) {
      expect(await verifyDump(storage, haltId)).toMatchObject({ ok: true, findings: [] })
      const bytes = await (await loadDump(storage, haltId)).read('agent/conversation.jsonl')
      expect(
        Buffer.from(bytes ?? [])
          .toString()
          .split('\n'),
      ).toHaveLength(201)
    }
  })

  it('share nothing if that is switched off', async () => {
    const storage = memoryStorage()
    const first = await dumpTo(storage, halt, day(1))
    const second = await dumpTo(storage, halt, { ...day(2), share: false })
    expect(second).toMatchObject({ reusedBytes: 0, storedBytes: first.storedBytes })
    await deleteDump(storage, first.haltId)
    expect([...(await textsOf(storage)).keys()].every((key) => key.includes(second.haltId))).toBe(true)
    expect(await verifyDump(storage, second.haltId)).toMatchObject({ ok: true, findings: [] })
  })

  it('share nothing that is damaged or missing', async () => {
    const storage = memoryStorage()
    const first = await dumpTo(storage, halt, day(1))
    await putText(storage, `dumps/${first.haltId}/agent/conversation.jsonl`, 'x')
    const second = await dumpTo(storage, halt, day(2))
    expect(await verifyDump(storage, second.haltId)).toMatchObject({ ok: true })
    expect(await verifyDump(storage, first.haltId)).toMatchObject({ ok: false })
  })

  it('stay whole when another one is deleted, whose parts go with the last dump that needs them', async () => {
    const storage = memoryStorage()
    const [first, second, third] = [
      await dumpTo(storage, halt, day(1)),
      await dumpTo(storage, halt, day(2)),
      await dumpTo(storage, halt, day(3)),
    ]
    const gone = await deleteDump(storage, first.haltId)
    expect(gone.kept).toContain(`dumps/${first.haltId}/agent/conversation.jsonl`)
    await expect(loadDump(storage, first.haltId)).rejects.toMatchObject({ code: 'no-dump' })
    await deleteDump(storage, third.haltId)
    expect(await verifyDump(storage, second.haltId)).toMatchObject({ ok: true, findings: [] })
    expect((await listDumps(storage)).map(({ haltId }) => haltId)).toEqual([second.haltId])
    await deleteDump(storage, second.haltId)
    expect((await textsOf(storage)).size).toBe(0)
  })

  it('keep the parts of a base that is deleted while they are written', async () => {
    const storage = memoryStorage()
    const first = await dumpTo(storage, halt, day(1))
    for (const moment of ['metadata.json', 'agent/execution-context.json']) {
      let deleted = false
      const racing = hookedStorage(
        storage,
        async () => {},
        async (call, key) => {
          if (call !== 'put' || !key.endsWith(moment) || deleted) return
          deleted = true
          const ids = (await listDumps(storage)).filter(({ state }) => state === 'complete')
          await deleteDump(storage, ids[0]?.haltId ?? first.haltId)
        },
      )
      const changed = { ...halt, agent: { ...halt.agent, prompt: moment } }
      const dump = await dumpTo(racing, changed, day(moment.length))
      expect(deleted).toBe(true)
      expect(await verifyDump(storage, dump.haltId)).toMatchObject({ ok: true, findings: [] })
    }
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

  it('finds a missing part that belongs to an earlier dump', async () => {
    const storage = memoryStorage()
    const first = await dumpTo(storage, halt, day(1))
    const second = await dumpTo(storage, halt, day(2))
    const key = `dumps/${first.haltId}/agent/conversation.jsonl`
    await storage.delete(key)
    expect(await verifyDump(storage, second.haltId)).toMatchObject({
      ok: false,
      findings: [{ code: 'part-missing', key }],
    })
    const dump = await loadDump(storage, second.haltId)
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
    for (const stored of ['../../secret', 'bundles/x.json', `${haltId}/../../x`]) {
      const parts = [{ ...manifest.parts[0], stored }]
      await putText(storage, key, JSON.stringify({ ...manifest, parts }))
      const found = await verifyDump(storage, haltId).catch((error: Error) => error.message)
      expect(JSON.stringify(found)).toMatch(/manifest-damaged|not the id of a halt dump/)
    }
  })
})
