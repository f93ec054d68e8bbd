import { describe, expect, it } from 'vitest'
import { finishLog } from '../../src/finish-log.ts'
import { prepareLog } from '../../src/prepare-log.ts'
import { memoryStorage } from '../../src/storage/memory-storage.ts'
import { bundleStore } from '../../src/store/bundle-store.ts'
import { summarizePlan } from '../../src/summarize/summarize-plan.ts'
import { fakeSummarizer } from '../summarize/fake-summarizer.ts'

const log = {
  parsed: {
    messages: [
      { role: 'user', content: 'Please make the parser of src/parse.ts faster.' },
      { role: 'assistant', content: 'The parser reads each line once now.' },
    ],
  },
}

async function made() {
  const { log: opened, ...prepared } = await prepareLog(log)
  const summarized = await summarizePlan(prepared.plan, fakeSummarizer())
  return { opened, prepared, summarized, storage: memoryStorage() }
}

const fixed = { now: new Date('2026-05-04T12:00:00.000Z'), random: () => 0.25 }

async function archives(storage: ReturnType<typeof memoryStorage>): Promise<string[]> {
  const keys: string[] = []
  for await (const { key } of storage.list('')) if (!/^(bundles|tracks)\//.test(key)) keys.push(key)
  return keys.filter((key) => !key.startsWith('LATEST'))
}

describe('finishLog', () => {
  it('archives the log, and records it in the bundle', async () => {
    const { opened, prepared, summarized, storage } = await made()
    const { bundle } = await finishLog({ ...prepared, log: opened }, summarized, {
      store: bundleStore(storage),
    })
    expect(bundle.source.archived).toBe(true)
    expect(await archives(storage)).not.toEqual([])
  })

  it('archives nothing without the log', async () => {
    const { prepared, summarized, storage } = await made()
    const { bundle } = await finishLog(prepared, summarized, { store: bundleStore(storage) })
    expect(bundle.source.archived).toBe(false)
    expect(await archives(storage)).toEqual([])
  })

  it('trusts the option that an earlier step archived the log', async () => {
    const { prepared, summarized, storage } = await made()
    const { bundle } = await finishLog(prepared, summarized, {
      ...{ store: bundleStore(storage), archived: true },
    })
    expect(bundle.source.archived).toBe(true)
    expect(await archives(storage)).toEqual([])
  })

  it('saves the same bundle again if time and id are fixed', async () => {
    const { prepared, summarized, storage } = await made()
    const store = bundleStore(storage)
    const first = await finishLog(prepared, summarized, { store, ...fixed })
    const second = await finishLog(prepared, summarized, { store, ...fixed })
    expect(second).toEqual(first)
  })

  it('keeps the stored bundle of a fixed id only on request', async () => {
    const { prepared, summarized, storage } = await made()
    const store = bundleStore(storage)
    const first = await finishLog(prepared, summarized, { store, ...fixed })
    const other = { ...summarized, summary: { ...summarized.summary, overview: 'Of another version.' } }
    await expect(finishLog(prepared, other, { store, ...fixed })).rejects.toMatchObject({
      code: 'storage-conflict',
    })
    const kept = await finishLog(prepared, other, { store, ...fixed, keepStored: true })
    expect(kept.bundle).toEqual(first.bundle)
    expect(kept.stored).toEqual(first.stored)
  })

  it('puts a kept bundle on its track if the earlier run ended before that', async () => {
    const { prepared, summarized, storage } = await made()
    const store = bundleStore(storage)
    const first = await finishLog(prepared, summarized, { store, ...fixed })
    for await (const { key } of storage.list('tracks/')) await storage.delete(key)
    expect(await bundleStore(storage).latest('main')).toBeUndefined()
    const other = { ...summarized, summary: { ...summarized.summary, overview: 'Of another version.' } }
    await finishLog(prepared, other, { store, ...fixed, keepStored: true })
    expect((await bundleStore(storage).latest('main'))?.bundle).toEqual(first.bundle)
  })
})
