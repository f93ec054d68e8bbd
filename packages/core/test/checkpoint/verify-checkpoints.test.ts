import { describe, expect, it } from 'vitest'
import { checkpoint } from '../../src/checkpoint/checkpoint.ts'
import { verifyCheckpoints } from '../../src/checkpoint/verify-checkpoints.ts'
import { memoryStorage } from '../../src/storage/memory-storage.ts'
import { bundleStore } from '../../src/store/bundle-store.ts'
import { checkpointLatestKey } from '../../src/store/keys.ts'
import { keysOf } from '../support/stored.ts'

async function filled() {
  const storage = memoryStorage()
  const store = bundleStore(storage)
  for (const [track, step] of [
    ['main', 'one'],
    ['main', 'two'],
    ['review', 'three'],
  ] as const)
    await checkpoint({ store, track, step, cwd: '/' })
  return storage
}

describe('verifyCheckpoints', () => {
  it('finds no fault in a healthy store or in an empty one', async () => {
    expect(await verifyCheckpoints(await filled())).toEqual({ checkpoints: 3, findings: [] })
    expect(await verifyCheckpoints(memoryStorage())).toEqual({ checkpoints: 0, findings: [] })
  })

  it('finds a checkpoint that is damaged or missing', async () => {
    const storage = await filled()
    const keys = (await keysOf(storage, 'checkpoints/main/')).filter((key) =>
      /^checkpoints\/main\/\d.*\.json$/.test(key),
    )
    await storage.put(keys[0] ?? '', new TextEncoder().encode('{}'))
    await storage.delete(keys[1] ?? '')
    const { findings } = await verifyCheckpoints(storage)
    expect(findings.map(({ level, code }) => `${level} ${code}`)).toEqual([
      'fault checkpoint-damaged',
      'fault checkpoint-damaged',
      'warning checkpoint-latest',
      'warning checkpoint-latest',
    ])
  })

  it('finds a missing entry, in the middle or at the end, and adds it again on request', async () => {
    for (const [at, codes] of [
      [0, ['warning checkpoint-unlisted']],
      [1, ['warning checkpoint-unlisted', 'warning checkpoint-latest', 'warning checkpoint-latest']],
    ] as const) {
      const storage = await filled()
      await storage.delete((await keysOf(storage, 'checkpoints/main/log/'))[at] ?? '')
      const { findings } = await verifyCheckpoints(storage)
      expect(findings.map(({ level, code }) => `${level} ${code}`)).toEqual(codes)
      await verifyCheckpoints(storage, { repair: true })
      expect(await verifyCheckpoints(storage)).toEqual({ checkpoints: 3, findings: [] })
    }
  })

  it('finds an entry that was replaced, or differs from its checkpoint', async () => {
    const storage = await filled()
    const [first = '', second = ''] = await keysOf(storage, 'checkpoints/main/log/')
    const text = async (key: string): Promise<string> =>
      new TextDecoder().decode((await storage.get(key))?.bytes)
    const put = async (key: string, value: string): Promise<void> => {
      await storage.put(key, new TextEncoder().encode(value))
    }
    const whole = await text(first)
    await put(first, await text(second))
    expect((await verifyCheckpoints(storage)).findings.map(({ code }) => code)).toEqual([
      'checkpoint-damaged',
    ])
    await put(first, whole.replace(/"step": ?"one"/, '"step":"zero"'))
    expect((await verifyCheckpoints(storage)).findings).toMatchObject([
      { level: 'fault', code: 'checkpoint-damaged', message: expect.stringContaining('step') },
    ])
  })

  it('finds a broken LATEST, and recreates it on request', async () => {
    const storage = await filled()
    await storage.put(checkpointLatestKey, new TextEncoder().encode('nonsense'))
    expect((await verifyCheckpoints(storage)).findings).toMatchObject([
      { code: 'checkpoint-latest', repaired: false },
    ])
    expect((await verifyCheckpoints(storage, { repair: true })).findings).toMatchObject([
      { code: 'checkpoint-latest', repaired: true },
    ])
    expect((await verifyCheckpoints(storage)).findings).toEqual([])
  })
})
