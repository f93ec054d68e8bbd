import { describe, expect, it } from 'vitest'
import { newBundleId } from '../../src/bundle/bundle-id.ts'
import { checkpointStore } from '../../src/checkpoint/checkpoint-store.ts'
import type { CheckpointPointer } from '../../src/checkpoint/latest-checkpoint.ts'
import { StorageError } from '../../src/errors.ts'
import { memoryStorage } from '../../src/storage/memory-storage.ts'
import type { Storage } from '../../src/storage/storage.ts'
import { keysOf, putText, textOf } from '../support/stored.ts'
import { makeCheckpoint } from './make-checkpoint.ts'
import { failingStorage, slowStorage, watchedStorage } from './storages.ts'

const latestKey = 'checkpoints/LATEST.json'

async function pointerOf(storage: Storage): Promise<CheckpointPointer> {
  return JSON.parse(await textOf(storage, latestKey))
}

/** Track and step of each entry of the pointer, the current track first. */
async function held(storage: Storage): Promise<unknown[]> {
  const { current, tracks } = await pointerOf(storage)
  return [current, ...tracks.map((entry) => `${entry.track}: ${entry.step}`)]
}

describe('save', () => {
  it('gives LATEST the same bytes as a reader does, without reading what it saved', async () => {
    const storage = memoryStorage()
    const read: string[] = []
    const watched: Storage = {
      ...storage,
      get: (key) => {
        read.push(key)
        return storage.get(key)
      },
    }
    const checkpoint = makeCheckpoint({ label: 'l', task: 'T-1', nextCommand: 'npm test' })
    await checkpointStore(watched).save(checkpoint)
    expect(read.filter((key) => key.includes(checkpoint.id))).toEqual([])
    const saved = await textOf(storage, latestKey)
    await storage.delete(latestKey)
    await checkpointStore(storage).latest()
    expect(await textOf(storage, latestKey)).toBe(saved)
  })

  it('stores the checkpoint, its Markdown, an entry and LATEST', async () => {
    const storage = memoryStorage()
    const store = checkpointStore(storage)
    const checkpoint = makeCheckpoint({ label: 'l', task: 'T-1', note: 'mind the gap', extra: { pr: 12 } })
    const saved = await store.save(checkpoint)
    expect(saved).toEqual({
      id: checkpoint.id,
      key: `checkpoints/main/${checkpoint.id}.json`,
      markdownKey: `checkpoints/main/${checkpoint.id}.md`,
      track: 'main',
    })
    expect(await keysOf(storage)).toEqual([
      'checkpoints/LATEST.json',
      'checkpoints/LATEST.md',
      saved.key,
      saved.markdownKey,
      `checkpoints/main/log/${checkpoint.id}.json`,
    ])
    expect(JSON.parse(await textOf(storage, saved.key))).toEqual(checkpoint)
    expect(await textOf(storage, 'checkpoints/LATEST.md')).toContain(
      '## main (current)\n- step: wire the parser\n',
    )
    const [entry] = (await pointerOf(storage)).tracks
    expect(entry).toEqual({
      ...JSON.parse(await textOf(storage, `checkpoints/main/log/${checkpoint.id}.json`)),
      note: 'mind the gap',
      extra: { pr: 12 },
      files: [],
    })
    expect(entry).toMatchObject({ step: 'wire the parser', nextCommand: 'npm test', task: 'T-1' })
    expect((await pointerOf(storage)).current).toBe('main')
    expect(await textOf(storage, 'checkpoints/LATEST.md')).toMatch(/- pr: 12\n[\s\S]*mind the gap\n/)
  })

  it('keeps an entry per track, and the current track if asked to', async () => {
    const storage = memoryStorage()
    const store = checkpointStore(storage)
    await store.save(makeCheckpoint({ step: '1' }))
    await store.save(makeCheckpoint({ track: 'review', step: '1' }), { setCurrent: false })
    expect(await held(storage)).toEqual(['main', 'main: 1', 'review: 1'])
    await store.save(makeCheckpoint({ track: 'review', step: '2' }))
    await store.save(makeCheckpoint({ step: '2' }), { setCurrent: false })
    expect(await held(storage)).toEqual(['review', 'main: 2', 'review: 2'])
    expect((await store.latest())?.checkpoint.track).toBe('review')
    expect(await store.latest('main')).toMatchObject({ entry: { step: '2' }, current: false })
    expect(await store.tracks()).toEqual(['main', 'review'])
  })
})

describe('reading', () => {
  it('returns undefined for an empty store and an unknown track, and for tracks that were all saved aside', async () => {
    const storage = memoryStorage()
    const store = checkpointStore(storage)
    expect(await store.latest()).toBeUndefined()
    expect(await store.latest('main')).toBeUndefined()
    expect(await keysOf(storage)).toEqual([])
    await store.save(makeCheckpoint({ track: 'a' }), { setCurrent: false })
    expect(await store.latest()).toBeUndefined()
    expect(await store.latest('a')).toMatchObject({ checkpoint: { track: 'a' }, current: false })
    expect(await store.latest('c')).toBeUndefined()
    await expect(store.latest('../x')).rejects.toThrow(StorageError)
    await expect(store.latest('latest.json')).rejects.toThrow(StorageError)
  })

  it('loads by id, and reports what is wrong', async () => {
    const storage = memoryStorage()
    const store = checkpointStore(storage)
    const checkpoint = makeCheckpoint({ track: 'side' })
    const { key } = await store.save(checkpoint)
    expect(await store.load(checkpoint.id)).toEqual(checkpoint)
    await expect(store.load('x')).rejects.toThrow('expected the id of a checkpoint, got "x"')
    await expect(store.load(newBundleId(new Date()))).rejects.toThrow('memory holds no checkpoint')
    await putText(storage, key, '{}')
    await expect(store.load(checkpoint.id)).rejects.toThrow(`${key} is damaged`)
  })
})

describe('repair', () => {
  async function threeSaves() {
    const storage = memoryStorage()
    const store = checkpointStore(storage)
    await store.save(makeCheckpoint({ step: 'one' }))
    await store.save(makeCheckpoint({ step: 'two' }))
    await store.save(makeCheckpoint({ track: 'side', step: 'beside' }), { setCurrent: false })
    return { storage, store, expected: await held(storage) }
  }

  it.each([
    ['is deleted', undefined],
    ['is torn', '{"schemaVersion": 1, "tra'],
    ['is another thing', '[]'],
    ['holds bytes that are no text', '\ufffd'],
  ])('does not depend on LATEST, and renews it if it %s', async (_, text) => {
    const { storage, store, expected } = await threeSaves()
    if (text === undefined) await storage.delete(latestKey)
    else await putText(storage, latestKey, text)
    const found = await store.latest()
    expect(found).toMatchObject({ checkpoint: { step: 'two' }, current: true })
    expect(found?.repaired).toBeUndefined()
    expect(await held(storage)).toEqual(expected)
    expect((await store.latest('side'))?.checkpoint.step).toBe('beside')
  })

  it('happens in a save, which renews a damaged LATEST with all tracks', async () => {
    const { storage, store } = await threeSaves()
    await putText(storage, latestKey, 'x')
    await store.save(makeCheckpoint({ track: 'side' }), { setCurrent: false })
    expect(await held(storage)).toEqual(['main', 'main: two', 'side: wire the parser'])
  })

  it('advances a LATEST that fell behind, for a named and for the current track', async () => {
    for (const track of ['main', undefined]) {
      const { storage, store } = await threeSaves()
      const old = await textOf(storage, latestKey)
      await store.save(makeCheckpoint({ step: 'three' }))
      await putText(storage, latestKey, old)
      const found = await store.latest(track)
      expect(found).toMatchObject({ checkpoint: { step: 'three' }, entry: { step: 'three' } })
      expect(await held(storage)).toEqual(['main', 'main: three', 'side: beside'])
    }
  })

  it('finds a track that LATEST lacks, and ignores claims about missing entries', async () => {
    const { storage, store, expected } = await threeSaves()
    const pointer = await pointerOf(storage)
    await putText(storage, latestKey, JSON.stringify({ ...pointer, tracks: pointer.tracks.slice(0, 1) }))
    expect((await store.latest('side'))?.checkpoint.step).toBe('beside')
    expect(await held(storage)).toEqual(expected)
    const [main, side] = pointer.tracks
    const { id } = makeCheckpoint()
    const forged = { ...main, id, key: `checkpoints/main/${id}.json`, step: 'forged' }
    await putText(storage, latestKey, JSON.stringify({ ...pointer, tracks: [forged, side] }))
    expect((await store.latest('main'))?.checkpoint.step).toBe('two')
    expect(await held(storage)).toEqual(expected)
    await putText(storage, latestKey, JSON.stringify({ ...pointer, tracks: [forged, side] }))
    await store.save(makeCheckpoint({ step: 'three' }))
    expect(await held(storage)).toEqual(['main', 'main: three', 'side: beside'])
  })

  it('falls back to the newest healthy checkpoint', async () => {
    const { storage, store } = await threeSaves()
    const { key } = (await store.list({ track: 'main' }))[0] ?? { key: '' }
    const whole = await textOf(storage, key)
    for (const text of [undefined, whole.slice(0, -5), whole.replace('two', 'TWO')]) {
      if (text === undefined) await storage.delete(key)
      else await putText(storage, key, text)
      const found = await store.latest()
      expect(found?.checkpoint.step).toBe('one')
      expect(found?.repaired).toContain(key)
    }
  })

  it('skips a damaged entry, and reports that no checkpoint is healthy', async () => {
    const { storage, store } = await threeSaves()
    const [second, first] = await store.list({ track: 'main' })
    await putText(storage, `checkpoints/main/log/${second?.id}.json`, 'x')
    expect((await store.latest())?.checkpoint.step).toBe('one')
    const damaged: string[] = []
    const listing = checkpointStore(storage, { onDamaged: (error) => damaged.push(error.message) })
    expect(await listing.list({ track: 'main' })).toHaveLength(1)
    expect(damaged).toHaveLength(1)
    await expect(store.list()).rejects.toThrow('is damaged')
    await putText(storage, `checkpoints/main/log/${first?.id}.json`, 'x')
    await expect(store.latest('main')).rejects.toThrow('no checkpoint of track main is intact')
    await store.save(makeCheckpoint({ step: 'three' }))
    expect(await store.latest('main')).toMatchObject({
      checkpoint: { step: 'three' },
      entry: { step: 'three' },
    })
  })
})

describe('parallel saves', () => {
  const writers = Array.from({ length: 16 }, (_, at) => at)

  it('keep the entries of all tracks, and the primary one', async () => {
    const storage = slowStorage()
    await checkpointStore(storage).save(makeCheckpoint({ track: 'primary' }))
    const saved = await Promise.all(
      writers.map((at) =>
        checkpointStore(storage).save(makeCheckpoint({ track: `t${at % 8}`, step: `${at >> 3}` }), {
          setCurrent: false,
        }),
      ),
    )
    expect(saved.flatMap(({ warning }) => warning ?? [])).toEqual([])
    const tracks = Array.from({ length: 8 }, (_, at) => `t${at}: 1`)
    expect(await held(storage)).toEqual(['primary', 'primary: wire the parser', ...tracks])
    for (const at of writers)
      expect((await checkpointStore(storage).latest(`t${at % 8}`))?.repaired).toBeUndefined()
  })
})

it('the last writer of LATEST.md writes the text of the pointer', async () => {
  const inner = memoryStorage()
  const earlier = makeCheckpoint({ step: 'earlier' })
  const later = makeCheckpoint({ step: 'later' })
  let isFirst = true
  const storage = watchedStorage(inner, {
    async before(call) {
      if (call !== 'put checkpoints/LATEST.md' || !isFirst) return
      isFirst = false
      await checkpointStore(inner).save(later)
    },
  })
  await checkpointStore(storage).save(earlier)
  expect(await textOf(inner, 'checkpoints/LATEST.md')).toContain('- step: later\n')
})

describe('a save that breaks off at call n', () => {
  for (const when of ['before', 'after'] as const)
    for (const dead of [true, false])
      it(`${when} it took effect, ${dead ? 'and the process ends' : 'and the process goes on'}`, async () => {
        let reached = 0
        for (let n = 1; ; n++) {
          const inner = memoryStorage()
          await checkpointStore(inner).save(makeCheckpoint({ step: 'old' }))
          await checkpointStore(inner).save(makeCheckpoint({ track: 'side', step: 'beside' }), {
            setCurrent: false,
          })
          const failing = failingStorage(inner, n, { when, dead })
          const checkpoint = makeCheckpoint({ step: 'new' })
          const saved = await checkpointStore(failing.storage)
            .save(checkpoint)
            .catch((error: unknown) => error)
          if (failing.calls() < n) break
          reached = n
          const store = checkpointStore(inner)
          const latest = await store.latest()
          const listed = (await store.list({ track: 'main' })).map(({ step }) => step)
          const committed = (await keysOf(inner, 'checkpoints/main/log/')).length === 2
          expect(latest?.checkpoint.step, `call ${n}`).toBe(committed ? 'new' : 'old')
          expect(listed, `call ${n}`).toEqual(committed ? ['new', 'old'] : ['old'])
          expect((await store.latest('side'))?.checkpoint.step).toBe('beside')
          if (saved instanceof Error) expect(saved, `call ${n}`).toBeInstanceOf(StorageError)
          else expect(committed, `call ${n}`).toBe(true)
          // No matter what broke, the same save succeeds afterwards, once.
          expect(await store.save(checkpoint)).not.toHaveProperty('warning')
          expect((await store.list({ track: 'main' })).map(({ step }) => step)).toEqual(['new', 'old'])
          expect(await held(inner)).toEqual(['main', 'main: new', 'side: beside'])
          expect(await store.latest()).toMatchObject({ checkpoint, current: true })
        }
        expect(reached).toBeGreaterThan(7)
      })
})
