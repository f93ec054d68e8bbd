import { describe, expect, it } from 'vitest'
import { repeats } from '../../../../test/support/repeats.ts'
import { memoryStorage } from '../../src/storage/memory-storage.ts'
import type { Storage } from '../../src/storage/storage.ts'
import { bundleStore } from '../../src/store/bundle-store.ts'
import { copyToPruned } from '../../src/store/prune/pruned.ts'
import { verifyStore } from '../../src/store/verify/verify-store.ts'
import { sampleBundle } from '../../src/testing/sample-bundle.ts'
import { cutOffEverywhere } from '../support/cut-off-storage.ts'
import { archiveText, contentOf, filledStore, save } from '../support/filled-store.ts'
import { hookedStorage } from '../support/hooked-storage.ts'
import { keysOf } from '../support/stored.ts'

const bytes = (text: string): Uint8Array => new TextEncoder().encode(text)

async function change(storage: Storage, key: string, edit: (text: string) => string): Promise<void> {
  const stored = await storage.get(key)
  if (stored === undefined) throw new Error(`${key} is not there`)
  await storage.put(key, Buffer.from(edit(Buffer.from(stored.bytes).toString('latin1')), 'latin1'))
}

const fileKeys = async (storage: Storage): Promise<string[]> =>
  (await keysOf(storage, 'archive/')).filter((key) => key.endsWith('.br'))
const sumsKeys = async (storage: Storage): Promise<string[]> =>
  (await keysOf(storage, 'archive/')).filter((key) => key.endsWith('.sums'))

describe('verifyStore', () => {
  it('finds no fault in a healthy store, and counts what it checked', async () => {
    const { storage, store } = await filledStore()
    await save(store, { day: 7, kind: 'plan', track: 'other' })
    const progress: string[] = []
    const report = await verifyStore(storage, {
      report: ({ step, done, of }) => progress.push(`${step} ${done}/${of}`),
    })
    expect(report).toEqual({
      ok: true,
      checked: { tracks: 2, entries: 7, bundles: 7, pruned: 0, archives: 5, notHere: 0, archivedFiles: 5 },
      findings: [],
    })
    expect(progress).toHaveLength(12)
    expect(progress.at(-1)).toBe('archives 5/5')
    expect(await verifyStore(memoryStorage())).toMatchObject({ ok: true, findings: [] })
  })

  it('finds an entry whose list differs from its bundle', async () => {
    const odd = {
      title: 'Another',
      nextStep: 'curl',
      sourceTokens: 1,
      bundleTokens: 1,
      ratio: 9,
      band: 'x',
      format: 'x',
    }
    for (const [field, value] of Object.entries(odd)) {
      const { storage, ids } = await filledStore()
      const key = `tracks/main/${ids[1]}.json`
      await change(storage, key, (text) => JSON.stringify({ ...JSON.parse(text), [field]: value }))
      expect((await verifyStore(storage)).findings).toMatchObject([
        { level: 'fault', code: 'entry-differs', key, message: expect.stringContaining(field) },
      ])
    }
  })

  it('counts archives that a clone left out, which are not faults', async () => {
    const { storage, ids } = await filledStore()
    for (const key of await keysOf(storage, 'archive/')) await storage.delete(key)
    expect(await verifyStore(storage)).toMatchObject({
      ok: true,
      checked: { bundles: ids.length, archives: 0, notHere: 5 },
      findings: [],
    })
  })

  it('does not unpack archives unnecessarily', async () => {
    const { storage } = await filledStore()
    const [key = ''] = await fileKeys(storage)
    await storage.put(key, bytes('junk'))
    expect(await verifyStore(storage, { deep: false })).toMatchObject({ ok: true, findings: [] })
    expect((await verifyStore(storage)).ok).toBe(false)
  })

  const faults: [code: string, spoil: (storage: Storage, ids: readonly string[]) => Promise<unknown>][] = [
    [
      'bundle-damaged',
      (storage, ids) => change(storage, `bundles/${ids[1]}.json`, (text) => text.slice(0, 90)),
    ],
    ['bundle-damaged', (storage, ids) => storage.put(`bundles/${ids[1]}.json`, Uint8Array.of(0xff))],
    [
      'bundle-damaged',
      (storage, ids) => storage.put(`bundles/${ids[1]}.json`, bytes(JSON.stringify(sampleBundle()))),
    ],
    [
      'bundle-damaged',
      (storage, ids) =>
        change(storage, `bundles/${ids[1]}.json`, (text) =>
          text.replace('"schemaVersion": 1', '"schemaVersion": 2'),
        ),
    ],
    ['bundle-missing', (storage, ids) => storage.delete(`bundles/${ids[1]}.json`)],
    ['entry-differs', (storage, ids) => change(storage, `bundles/${ids[1]}.json`, (text) => `${text}\n`)],
    [
      'markdown-differs',
      (storage, ids) =>
        change(storage, `bundles/${ids[1]}.md`, (text) => text.replace('newline', 'line feed')),
    ],
    ['markdown-differs', (storage, ids) => storage.put(`bundles/${ids[1]}.md`, bytes('# no bundle'))],
    ['entry-damaged', (storage, ids) => storage.put(`tracks/main/${ids[1]}.json`, bytes('{}'))],
    [
      'entry-damaged',
      async (storage, ids) =>
        storage.put(
          `tracks/main/${ids[1]}.json`,
          (await storage.get(`tracks/main/${ids[2]}.json`))?.bytes ?? bytes(''),
        ),
    ],
    [
      'entry-differs',
      (storage, ids) =>
        change(storage, `tracks/main/${ids[1]}.json`, (text) => text.replace('"context"', '"plan"')),
    ],
    ['bundle-missing', (storage, ids) => storage.delete(`bundles/${ids[5]}.json`)],
    [
      'latest-broken',
      async (storage, ids) => {
        for (const id of ids) await storage.delete(`bundles/${id}.json`)
      },
    ],
    ['archive-damaged', async (storage) => storage.put((await fileKeys(storage))[0] ?? '', bytes('junk'))],
    [
      'archive-damaged',
      async (storage) => {
        const [first = '', second = ''] = await fileKeys(storage)
        await storage.put(first, (await storage.get(second))?.bytes ?? bytes(''))
      },
    ],
    ['archive-damaged', async (storage) => storage.put((await sumsKeys(storage))[0] ?? '', bytes('x\n'))],
    ['archive-missing', async (storage) => storage.delete((await fileKeys(storage))[0] ?? '')],
    ['archive-missing', async (storage) => storage.delete((await sumsKeys(storage))[0] ?? '')],
  ]
  it.each(faults)('reports a fault: %s', async (code, spoil) => {
    const { storage, ids } = await filledStore()
    await spoil(storage, ids)
    const { ok, findings } = await verifyStore(storage)
    expect(ok).toBe(false)
    const found = findings.filter(({ level }) => level === 'fault')
    expect(found.map((finding) => finding.code)).toContain(code)
    // If no bundle is left, the track is reported, too.
    expect(new Set(found.map((finding) => finding.code)).size).toBeLessThanOrEqual(2)
    expect(findings.some(({ repaired }) => repaired)).toBe(false)
  })

  const warnings: [code: string, spoil: (storage: Storage, ids: readonly string[]) => Promise<unknown>][] = [
    ['markdown-missing', (storage, ids) => storage.delete(`bundles/${ids[1]}.md`)],
    ['markdown-without-bundle', (storage) => storage.put('bundles/20260101T000000000Z-1.md', bytes('x'))],
    [
      'bundle-without-entry',
      (storage) => {
        const bundle = sampleBundle()
        return storage.put(`bundles/${bundle.id}.json`, bytes(JSON.stringify(bundle)))
      },
    ],
    [
      'previous-missing',
      (storage) => save(bundleStore(storage), { day: 9, previous: '20200101T000000000Z-000000000' }),
    ],
    ['bundle-without-entry', (storage, ids) => storage.delete(`tracks/main/${ids[1]}.json`)],
    ['bundle-without-entry', (storage, ids) => storage.delete(`tracks/main/${ids[0]}.json`)],
    ['latest-behind', (storage) => storage.put('tracks/main/LATEST.md', bytes('old'))],
    ['latest-behind', (storage) => storage.put('tracks/main/LATEST.json', bytes('{"id'))],
    ['stray', (storage) => storage.put('tracks/lone/LATEST.json', bytes('{}'))],
    ['archive-without-bundle', (storage) => archiveText(bundleStore(storage), 'of nobody')],
    [
      'archive-file-without-list',
      async (storage) => {
        const sha256 = await archiveText(bundleStore(storage), 'listed no more')
        await storage.delete(`archive/${sha256}.sums`)
      },
    ],
    ['stray', (storage) => storage.put('bundles/notes.txt', bytes('x'))],
    ['stray', (storage) => storage.put('tracks/main/log/9.json', bytes('x'))],
    ['stray', (storage) => storage.put('tracks/main/9.json', bytes('x'))],
    [
      'latest-behind',
      async (storage) => {
        const pointer = (await storage.get('tracks/main/LATEST.json'))?.bytes ?? bytes('')
        await save(bundleStore(storage), { day: 9 })
        await storage.put('tracks/main/LATEST.json', pointer)
      },
    ],
  ]
  it.each(warnings)('reports a warning: %s', async (code, spoil) => {
    const { storage, ids } = await filledStore()
    await spoil(storage, ids)
    const { ok, findings } = await verifyStore(storage)
    expect(ok).toBe(true)
    expect(findings.map((finding) => finding.code)).toContain(code)
    expect(findings.filter(({ level }) => level === 'fault')).toEqual([])
  })

  it('skips what is not about bundles, and an archive that only a batch job names', async () => {
    const { storage, store } = await filledStore()
    const source = await archiveText(store, 'of a job')
    await storage.put('batches/job-1/job.json', bytes(JSON.stringify({ sessions: [{ source }] })))
    await storage.put('checkpoints/LATEST.json', bytes('{}'))
    expect((await verifyStore(storage)).findings).toEqual([])
  })

  it('finds no fault while others save', async () => {
    const { storage, store } = await filledStore()
    const saves = Array.from({ length: 16 }, (_, index) => save(store, { day: 7, log: `new ${index}` }))
    const reports = await Promise.all([verifyStore(storage), verifyStore(storage)])
    await Promise.all(saves)
    for (const { findings } of reports) expect(findings.filter(({ level }) => level === 'fault')).toEqual([])
    expect((await verifyStore(storage)).findings).toEqual([])
  })
})

describe('verifyStore during a prune', () => {
  it('finds nothing wrong with a bundle that is moved between its reads', async () => {
    const { storage, ids } = await filledStore()
    const [json, entry] = [`bundles/${ids[0]}.json`, `tracks/main/${ids[0]}.json`]
    const keys = [json, `bundles/${ids[0]}.md`, entry]
    for (const key of keys) await copyToPruned(storage, key)
    let reads = 0
    const watched = hookedStorage(storage, async (call, key) => {
      if (call !== 'get' || key !== json) return
      reads += 1
      // First its files disappear, and its entry at the next read.
      for (const gone of reads === 1 ? keys.slice(0, 2) : [entry]) await storage.delete(gone)
    })
    expect((await verifyStore(watched)).findings).toEqual([])
    expect(reads).toBe(2)
  })
})

describe('repair', () => {
  async function spoiled(): Promise<Storage> {
    const { storage, ids } = await filledStore()
    await storage.put('tracks/main/LATEST.json', bytes('older'))
    await storage.put('tracks/main/LATEST.md', bytes('old'))
    await storage.delete(`bundles/${ids[1]}.md`)
    await storage.delete(`bundles/${ids[2]}.md`)
    await storage.delete(`tracks/main/${ids[3]}.json`)
    return storage
  }

  it('recreates LATEST, missing Markdown and missing entries', async () => {
    const whole = await spoiled()
    const { ok, findings } = await verifyStore(whole, { repair: true })
    expect(ok).toBe(true)
    expect(findings.map(({ code, repaired }) => `${code} ${repaired}`).sort()).toEqual([
      'bundle-without-entry true',
      'latest-behind true',
      'markdown-missing true',
      'markdown-missing true',
    ])
    expect((await verifyStore(whole)).findings).toEqual([])
  })

  it('deletes nothing, and overwrites nothing except LATEST', async () => {
    const { storage, ids } = await filledStore()
    await storage.put(`bundles/${ids[1]}.md`, bytes('my own notes'))
    await storage.put(`bundles/${ids[3]}.json`, bytes('{}'))
    await storage.put(`tracks/main/${ids[4]}.json`, bytes('{}'))
    await archiveText(bundleStore(storage), 'of nobody')
    const before = await contentOf(storage)
    const { ok, findings } = await verifyStore(storage, { repair: true })
    expect(ok).toBe(false)
    expect(findings.some(({ repaired }) => repaired)).toBe(false)
    expect(await contentOf(storage)).toEqual(before)
  })

  it('is completed by the next run after a cut at any call', async () => {
    const cuts = await cutOffEverywhere(
      spoiled,
      (storage) => verifyStore(storage, { repair: true }),
      async (storage) => {
        await verifyStore(storage, { repair: true })
        expect((await verifyStore(storage)).findings).toEqual([])
      },
      repeats({ few: 5, all: 1 }),
    )
    expect(cuts).toBeGreaterThan(40)
  })
})
