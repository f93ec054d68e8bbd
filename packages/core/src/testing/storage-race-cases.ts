import { deepEqual, equal, notEqual, ok } from 'node:assert/strict'
import {
  compareAndSwap,
  encoder,
  expectBytes,
  expectConflict,
  expectOneWinner,
  inParallel,
  pause,
  type StorageCase,
  storageCasesOf,
} from './storage-expect.ts'

/** More than a stream or a socket accepts at once. */
const bigLength = 300_000

/** Cases of {@link storageCases} about conditional puts and concurrent callers. */
export const storageRaceCases: readonly StorageCase[] = storageCasesOf({
  async 'lets one of 16 parallel puts with ifAbsent win'(storage) {
    for (const key of ['log/1.json', 'log/2.json', 'log/3.json'])
      await expectOneWinner(storage, key, { ifAbsent: true })
    await storage.delete('log/1.json')
    await storage.put('log/1.json', encoder.encode('again'), { ifAbsent: true })
    await expectBytes(storage, 'log/1.json', encoder.encode('again'))
  },
  async 'refuses ifAbsent if the key exists, and keeps the stored value'(storage) {
    await storage.put('key', encoder.encode('kept'))
    await expectConflict(storage.put('key', encoder.encode('lost'), { ifAbsent: true }))
    await expectConflict(storage.put('key', encoder.encode('kept'), { ifAbsent: true }))
    await expectBytes(storage, 'key', encoder.encode('kept'))
  },
  async 'lets one of 16 parallel puts with the same ifMatch win, time after time'(storage) {
    let { etag } = await storage.put('pointer', encoder.encode('start'))
    for (let round = 0; round < 4; round++) {
      await expectOneWinner(storage, 'pointer', { ifMatch: etag }, `round ${round}`)
      etag = (await storage.get('pointer'))?.etag ?? ''
    }
  },
  async 'refuses a stale etag, and keeps the stored value'(storage) {
    const { etag: stale } = await storage.put('pointer', encoder.encode('1'))
    const { etag } = await storage.put('pointer', encoder.encode('2'), { ifMatch: stale })
    await expectConflict(storage.put('pointer', encoder.encode('3'), { ifMatch: stale }))
    await expectConflict(storage.put('pointer', encoder.encode('3'), { ifMatch: 'no-etag' }))
    await expectBytes(storage, 'pointer', encoder.encode('2'))
    await storage.put('pointer', encoder.encode('3'), { ifMatch: etag })
    await expectBytes(storage, 'pointer', encoder.encode('3'))
  },
  async 'refuses ifMatch if the key is missing or was deleted'(storage) {
    await expectConflict(storage.put('pointer', encoder.encode('1'), { ifMatch: 'no-etag' }))
    const { etag } = await storage.put('pointer', encoder.encode('1'))
    await storage.delete('pointer')
    await expectConflict(storage.put('pointer', encoder.encode('2'), { ifMatch: etag }))
    equal(await storage.get('pointer'), undefined)
  },
  async 'loses no update of writers that compare and swap'(storage) {
    await storage.put('counter', encoder.encode('0'))
    const next = (text: string): string => String(Number(text) + 1)
    await Promise.all(Array.from({ length: 4 }, () => compareAndSwap(storage, 'counter', 8, next)))
    await expectBytes(storage, 'counter', encoder.encode('32'))
  },
  async 'lets no writer that compares and swaps overwrite a plain put that it did not see'(storage) {
    await storage.put('key', encoder.encode('start'))
    for (let round = 0; round < 5; round++) {
      let swaps = 0
      const next = (text: string): string => `${text} ${round}.${swaps++}`
      const swapping = [1, 2, 3].map(() => compareAndSwap(storage, 'key', 3, next))
      const plain = `plain put ${round}`
      const putting = async (): Promise<void> => {
        for (let waits = 0; waits <= round; waits++) await pause()
        await storage.put('key', encoder.encode(plain))
      }
      await Promise.all([...swapping, putting()])
      const text = new TextDecoder().decode((await storage.get('key'))?.bytes)
      ok(text.startsWith(plain), `expected a value that grew from "${plain}", got "${text}"`)
    }
  },
  async 'lists all earlier keys while others write and delete'(storage) {
    const stable = Array.from({ length: 120 }, (_, index) => `set/${String(index).padStart(4, '0')}.json`)
    await inParallel(stable, (key) => storage.put(key, encoder.encode('1')))
    let listing = true
    const churn = async (name: string): Promise<void> => {
      for (let index = 0; listing; index++) {
        await storage.put(`set/${String(index % 120).padStart(4, '0')}-${name}.json`, encoder.encode('2'))
        await storage.put(stable[index % 120] ?? '', encoder.encode(`${index}`))
        await storage.delete(`set/${String((index + 60) % 120).padStart(4, '0')}-${name}.json`)
        await pause()
      }
    }
    const listings: string[][] = []
    const listAgain = async (): Promise<void> => {
      try {
        for (let round = 0; round < 3; round++) {
          const keys: string[] = []
          for await (const { key } of storage.list('set/')) {
            keys.push(key)
            if (keys.length % 40 === 0) await pause()
          }
          listings.push(keys)
        }
      } finally {
        listing = false
      }
    }
    await Promise.all([listAgain(), churn('a'), churn('b')])
    for (const keys of listings) {
      deepEqual(keys, [...new Set(keys)].sort(), 'each key once, in order')
      deepEqual(
        keys.filter((key) => /\/\d{4}\.json$/.test(key)),
        stable,
      )
    }
  },
  async 'shows readers the old bytes or the new ones, whole, while big values are overwritten'(storage) {
    const value = (round: number): Uint8Array => new Uint8Array(bigLength + round * 4_099).fill(round)
    await storage.put('big', value(0))
    let writing = true
    let newest = 0
    const read = async (): Promise<number> => {
      let reads = 0
      let seen = 0
      for (; writing; reads++) {
        const before = newest
        const bytes = (await storage.get('big'))?.bytes ?? new Uint8Array()
        const round = bytes[0] ?? -1
        equal(bytes.byteLength, value(round).byteLength, 'the length of one value')
        ok(Buffer.compare(bytes, value(round)) === 0, 'the bytes of one value')
        ok(round >= before && round >= seen, 'a put that returned is seen by all reads that begin later')
        seen = round
        await pause()
      }
      return reads
    }
    const write = async (): Promise<number> => {
      try {
        for (let round = 1; round <= 12; round++) {
          await storage.put('big', value(round))
          newest = round
          await pause()
        }
      } finally {
        writing = false
      }
      return newest
    }
    for (const done of await Promise.all([write(), read(), read(), read()])) notEqual(done, 0)
  },
})
