import { describe, expect, it } from 'vitest'
import { StorageConflictError } from '../../src/errors.ts'
import { memoryStorage } from '../../src/storage/memory-storage.ts'
import type { PutCondition, Storage } from '../../src/storage/storage.ts'
import { type StorageCase, storageCases } from '../../src/testing/storage-cases.ts'

describe('memoryStorage', () => {
  for (const { name, run } of storageCases) it(name, () => run(async () => memoryStorage()))
})

/** A memory storage with one law broken, by the name of the case that must notice it. */
const saboteurs = new Map<string, (sound: Storage) => Partial<Storage>>([
  ['has a name for messages', () => ({ name: '' })],
  [
    'gives bytes back exactly: none, all values, text that is not UTF-8, 5 MB',
    (sound) => ({
      put: (key, bytes, condition) => sound.put(key, Buffer.from(Buffer.from(bytes).toString()), condition),
    }),
  ],
  [
    'gives undefined for a key that was never put',
    (sound) => ({ get: async (key) => (await sound.get(key)) ?? { bytes: new Uint8Array(), etag: '' } }),
  ],
  [
    'overwrites with longer and shorter bytes, and get and put agree on the etag',
    (sound) => ({
      async put(key, bytes, condition) {
        const old = (await sound.get(key))?.bytes ?? new Uint8Array()
        return await sound.put(key, Buffer.concat([bytes, old.subarray(bytes.byteLength)]), condition)
      },
    }),
  ],
  ['lets one of 16 parallel puts with ifAbsent win', (sound) => ({ put: checkThenPut(sound) })],
  [
    'refuses ifAbsent if the key exists, and keeps the stored value',
    (sound) => ({ put: withoutCondition(sound, 'ifAbsent') }),
  ],
  [
    'lets one of 16 parallel puts with the same ifMatch win, time after time',
    (sound) => ({ put: checkThenPut(sound) }),
  ],
  [
    'refuses a stale etag, and keeps the stored value',
    (sound) => ({ put: withoutCondition(sound, 'ifMatch') }),
  ],
  [
    'refuses ifMatch if the key is missing or was deleted',
    (sound) => ({
      put: async (key, bytes, condition) =>
        sound.put(key, bytes, (await sound.get(key)) === undefined ? {} : condition),
    }),
  ],
  ['loses no update of writers that compare and swap', (sound) => ({ put: checkThenPut(sound) })],
  [
    'lets no writer that compares and swaps overwrite a plain put that it did not see',
    (sound) => ({ put: swapInTurnsOnly(sound) }),
  ],
  [
    'lists more than 1,000 keys once each, in the order of bytes, with their sizes',
    (sound) => ({
      async *list(prefix) {
        let left = 1_000
        for await (const object of sound.list(prefix)) if (left-- > 0) yield object
      },
    }),
  ],
  [
    'lists by prefix, which is plain text and need not end at a "/"',
    (sound) => ({
      async *list(prefix) {
        const folder = prefix === '' || prefix.endsWith('/') ? prefix : `${prefix}/`
        for await (const object of sound.list(prefix)) if (object.key.startsWith(folder)) yield object
      },
    }),
  ],
  [
    'lists what sorts after a key, which need not exist, within the prefix',
    (sound) => ({ list: (prefix) => sound.list(prefix) }),
  ],
  [
    'lists all earlier keys while others write and delete',
    (sound) => ({
      async *list(prefix) {
        // Pages by offset: a deletion in front of a page shifts others out of it.
        for (let offset = 0; ; offset += 50) {
          const all: { key: string; size: number }[] = []
          for await (const object of sound.list(prefix)) all.push(object)
          if (all.length <= offset) return
          yield* all.slice(offset, offset + 50)
        }
      },
    }),
  ],
  [
    'deletes, and a second delete is no error',
    (sound) => ({
      async delete(key) {
        if ((await sound.get(key)) === undefined) throw new Error('no such key')
        await sound.delete(key)
      },
    }),
  ],
  [
    'is not changed by a caller that writes into its buffer after put',
    (sound) => {
      const buffers = new Map<string, Uint8Array>()
      return {
        async put(key, bytes, condition) {
          buffers.set(key, bytes)
          return await sound.put(key, bytes, condition)
        },
        async get(key) {
          const found = await sound.get(key)
          return found && { ...found, bytes: buffers.get(key) ?? found.bytes }
        },
      }
    },
  ],
  [
    'shows nothing of staged bytes until they are put, and nothing at all of those that are discarded',
    (sound) => ({
      async stage(prefix) {
        const half = `${prefix}half`
        const staged: Uint8Array[] = []
        return {
          async write(bytes) {
            staged.push(bytes.slice())
            await sound.put(half, Buffer.concat(staged))
          },
          async put(key, condition) {
            await sound.delete(half)
            return await sound.put(key, Buffer.concat(staged), condition)
          },
          discard: () => sound.delete(half),
        }
      },
    }),
  ],
  [
    'is not changed by a caller that writes into what get returned',
    (sound) => {
      const given = new Map<string, Awaited<ReturnType<Storage['get']>>>()
      return {
        async get(key) {
          if (!given.has(key)) given.set(key, await sound.get(key))
          return given.get(key)
        },
      }
    },
  ],
  [
    'refuses keys that could be read as another path',
    (sound) => ({
      get: async (key) => (key.includes('..') ? await sound.get(key) : undefined),
    }),
  ],
  [
    'shows readers the old bytes or the new ones, whole, while big values are overwritten',
    (sound) => ({
      async put(key, bytes, condition) {
        await sound.put(key, bytes.subarray(0, bytes.byteLength / 2), condition)
        await new Promise((resolve) => setImmediate(resolve))
        return await sound.put(key, bytes)
      },
    }),
  ],
])

/** Looks and puts in two steps, so that writers who looked at the same time all win. */
function checkThenPut(sound: Storage): Storage['put'] {
  return async (key, bytes, condition = {}) => {
    const found = await sound.get(key)
    for (let waits = 0; waits < 2; waits++) await new Promise((resolve) => setImmediate(resolve))
    check(key, condition, found)
    return await sound.put(key, bytes)
  }
}

/** Writers that compare and swap wait for each other, but not for plain puts. */
function swapInTurnsOnly(sound: Storage): Storage['put'] {
  let turn: Promise<unknown> = Promise.resolve()
  return async (key, bytes, condition = {}) => {
    if (condition.ifMatch === undefined) return await sound.put(key, bytes, condition)
    const swap = turn.then(() => checkThenPut(sound)(key, bytes, condition))
    turn = swap.catch(() => undefined)
    return await swap
  }
}

function check(key: string, condition: PutCondition, found: { readonly etag: string } | undefined): void {
  const lost =
    (condition.ifAbsent === true && found !== undefined) ||
    (condition.ifMatch !== undefined && condition.ifMatch !== found?.etag)
  if (lost) throw new StorageConflictError(key, 'lost')
}

function withoutCondition(sound: Storage, ignored: keyof PutCondition): Storage['put'] {
  return async (key, bytes, condition = {}) => {
    const { [ignored]: _, ...heeded } = condition
    return await sound.put(key, bytes, heeded)
  }
}

describe('each case catches its saboteur', () => {
  it('has exactly one saboteur', () => {
    expect([...saboteurs.keys()].sort()).toEqual(storageCases.map(({ name }) => name).sort())
  })

  for (const [name, sabotage] of saboteurs) {
    it(name, async () => {
      const subject = storageCases.find((candidate): candidate is StorageCase => candidate.name === name)
      const makeBroken = async (): Promise<Storage> => {
        const sound = memoryStorage()
        return { ...sound, ...sabotage(sound) }
      }
      await expect(subject?.run(makeBroken)).rejects.toThrow()
    })
  }
})
