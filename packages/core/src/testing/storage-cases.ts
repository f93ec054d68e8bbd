import { deepEqual, equal, notEqual, ok, rejects } from 'node:assert/strict'
import { TenfoldError } from '../errors.ts'
import type { PutCondition, Storage } from '../store/storage.ts'

/** One law of `Storage`. `run` asks for storages that are new and empty, and rejects where the law does not hold. */
export interface StorageCase {
  readonly name: string
  run(makeStorage: () => Promise<Storage>): Promise<void>
}

const encoder = new TextEncoder()
const writers = 16
const megabyte = 1024 * 1024

/** The laws of `Storage` as cases for any test runner: `for (const { name, run } of storageCases) it(name, () => run(make))`. */
export const storageCases: readonly StorageCase[] = [
  {
    name: 'gives bytes back exactly: none, all values, text that is no UTF-8, 5 MB',
    async run(makeStorage) {
      const storage = await makeStorage()
      const values = [new Uint8Array(), everyByte(), Uint8Array.of(0xff, 0xfe, 0, 0xc3, 0x28, 0x0d, 0x0a), noise(5 * megabyte)]
      for (const [index, bytes] of values.entries()) {
        await storage.put(`bytes/${index}.bin`, bytes)
        await expectBytes(storage, `bytes/${index}.bin`, bytes)
      }
    },
  },
  {
    name: 'gives undefined for a key that was never put',
    async run(makeStorage) {
      const storage = await makeStorage()
      equal(await storage.get('nothing.json'), undefined)
      await storage.put('folder/file.json', encoder.encode('1'))
      for (const key of ['folder', 'folder/other.json', 'folder/file', 'file.json', 'folder/file.json/below'])
        equal(await storage.get(key), undefined, key)
    },
  },
  {
    name: 'overwrites with longer and shorter bytes, and get and put agree on the etag',
    async run(makeStorage) {
      const storage = await makeStorage()
      const etags = new Set<string>()
      for (const text of ['first', 'a second one that is longer', 'third', '']) {
        const { etag } = await storage.put('a/key.txt', encoder.encode(text))
        equal((await storage.get('a/key.txt'))?.etag, etag)
        await expectBytes(storage, 'a/key.txt', encoder.encode(text))
        etags.add(etag)
      }
      equal(etags.size, 4, 'other bytes have another etag')
    },
  },
  {
    name: 'lets one of 16 parallel puts with ifAbsent win',
    async run(makeStorage) {
      const storage = await makeStorage()
      for (const key of ['log/1.json', 'log/2.json', 'log/3.json']) await expectOneWinner(storage, key, { ifAbsent: true })
      await storage.delete('log/1.json')
      await storage.put('log/1.json', encoder.encode('again'), { ifAbsent: true })
      await expectBytes(storage, 'log/1.json', encoder.encode('again'))
    },
  },
  {
    name: 'refuses ifAbsent where the key exists, and keeps what is there',
    async run(makeStorage) {
      const storage = await makeStorage()
      await storage.put('key', encoder.encode('kept'))
      await expectConflict(storage.put('key', encoder.encode('lost'), { ifAbsent: true }))
      await expectConflict(storage.put('key', encoder.encode('kept'), { ifAbsent: true }))
      await expectBytes(storage, 'key', encoder.encode('kept'))
    },
  },
  {
    name: 'lets one of 16 parallel puts with the same ifMatch win, ten times over',
    async run(makeStorage) {
      const storage = await makeStorage()
      let { etag } = await storage.put('pointer', encoder.encode('start'))
      for (let round = 0; round < 10; round++) {
        await expectOneWinner(storage, 'pointer', { ifMatch: etag })
        etag = (await storage.get('pointer'))?.etag ?? ''
      }
    },
  },
  {
    name: 'refuses a stale etag, and keeps what is there',
    async run(makeStorage) {
      const storage = await makeStorage()
      const { etag: stale } = await storage.put('pointer', encoder.encode('1'))
      const { etag } = await storage.put('pointer', encoder.encode('2'), { ifMatch: stale })
      await expectConflict(storage.put('pointer', encoder.encode('3'), { ifMatch: stale }))
      await expectConflict(storage.put('pointer', encoder.encode('3'), { ifMatch: 'no-etag' }))
      await expectBytes(storage, 'pointer', encoder.encode('2'))
      await storage.put('pointer', encoder.encode('3'), { ifMatch: etag })
      await expectBytes(storage, 'pointer', encoder.encode('3'))
    },
  },
  {
    name: 'refuses ifMatch where the key is missing or was deleted',
    async run(makeStorage) {
      const storage = await makeStorage()
      await expectConflict(storage.put('pointer', encoder.encode('1'), { ifMatch: 'no-etag' }))
      const { etag } = await storage.put('pointer', encoder.encode('1'))
      await storage.delete('pointer')
      await expectConflict(storage.put('pointer', encoder.encode('2'), { ifMatch: etag }))
      equal(await storage.get('pointer'), undefined)
    },
  },
  {
    name: 'loses no update where plain puts and compare-and-swap meet',
    async run(makeStorage) {
      const storage = await makeStorage()
      await storage.put('counter', encoder.encode('0'))
      await Promise.all(Array.from({ length: 4 }, () => addByCompareAndSwap(storage, 'counter', 8)))
      await expectBytes(storage, 'counter', encoder.encode('32'))
    },
  },
  {
    name: 'lists more than 1,000 keys once each, in the order of bytes, with their sizes',
    async run(makeStorage) {
      const storage = await makeStorage()
      const odd = ['a', 'a-b/c', 'a.b', 'a0', 'aB', 'a_b', 'Z/1', 'z/z/z/z', 'b/a.json', 'b-1', 'b.json', '0']
      const sizes = new Map<string, number>(odd.map((key, index) => [key, index]))
      for (let index = 0; index < 1_050; index++) sizes.set(`many/${String(index).padStart(6, '0')}.json`, index % 7)
      await inParallel([...sizes], ([key, size]) => storage.put(key, new Uint8Array(size)))
      const listed = await listAll(storage, '')
      deepEqual(
        listed.map(({ key, size }) => [key, size]),
        [...sizes].sort(([a], [b]) => Buffer.compare(Buffer.from(a), Buffer.from(b))),
      )
    },
  },
  {
    name: 'lists by prefix, which is plain text and need not end at a "/"',
    async run(makeStorage) {
      const storage = await makeStorage()
      for (const key of ['log/1', 'log/10', 'log/2', 'log-old/1', 'logs', 'other/log/1', 'LOG/1'])
        await storage.put(key, new Uint8Array(1))
      const expected = new Map([
        ['log/', ['log/1', 'log/10', 'log/2']],
        ['log/1', ['log/1', 'log/10']],
        ['log', ['log-old/1', 'log/1', 'log/10', 'log/2', 'logs']],
        ['logs', ['logs']],
        ['logs/', []],
        ['o', ['other/log/1']],
        ['none', []],
        ['../', []],
        ['/', []],
        ['log/../', []],
        ['log//', []],
      ])
      for (const [prefix, keys] of expected) deepEqual((await listAll(storage, prefix)).map(({ key }) => key), keys, prefix)
    },
  },
  {
    name: 'lists all that was there before while others write and delete',
    async run(makeStorage) {
      const storage = await makeStorage()
      const stable = Array.from({ length: 120 }, (_, index) => `set/${String(index).padStart(4, '0')}.json`)
      await inParallel(stable, (key) => storage.put(key, encoder.encode('1')))
      let listing = true
      const churn = async (name: string): Promise<void> => {
        for (let index = 0; listing; index++) {
          await storage.put(`set/${String(index % 120).padStart(4, '0')}-${name}.json`, encoder.encode('2'))
          await storage.put(stable[index % 120] ?? '', encoder.encode(`${index}`))
          await storage.delete(`set/${String((index + 60) % 120).padStart(4, '0')}-${name}.json`)
        }
      }
      const churning = Promise.all([churn('a'), churn('b')])
      const listings: string[][] = []
      try {
        for (let round = 0; round < 5; round++) {
          const keys: string[] = []
          for await (const { key } of storage.list('set/')) {
            keys.push(key)
            if (keys.length % 40 === 0) await new Promise((resolve) => setTimeout(resolve, 1))
          }
          listings.push(keys)
        }
      } finally {
        listing = false
        await churning
      }
      for (const keys of listings) {
        deepEqual(keys, [...new Set(keys)].sort(), 'each key once, in order')
        deepEqual(keys.filter((key) => /\/\d{4}\.json$/.test(key)), stable)
      }
    },
  },
  {
    name: 'deletes, and a second delete is no error',
    async run(makeStorage) {
      const storage = await makeStorage()
      await storage.put('a/1', encoder.encode('1'))
      await storage.put('a/2', encoder.encode('2'))
      await storage.delete('a/1')
      equal(await storage.get('a/1'), undefined)
      deepEqual(await listAll(storage, ''), [{ key: 'a/2', size: 1 }])
      await storage.delete('a/1')
      await storage.delete('never/there')
      await storage.delete('a')
      await expectBytes(storage, 'a/2', encoder.encode('2'))
    },
  },
  {
    name: 'is not changed by a caller that writes into its buffer after put',
    async run(makeStorage) {
      const storage = await makeStorage()
      const bytes = encoder.encode('as it was put')
      await storage.put('key', bytes)
      bytes.fill(0)
      await expectBytes(storage, 'key', encoder.encode('as it was put'))
    },
  },
  {
    name: 'is not changed by a caller that writes into what get gave',
    async run(makeStorage) {
      const storage = await makeStorage()
      await storage.put('key', encoder.encode('as it was put'))
      ;(await storage.get('key'))?.bytes.fill(0)
      await expectBytes(storage, 'key', encoder.encode('as it was put'))
    },
  },
  {
    name: 'refuses keys that could be read as another path',
    async run(makeStorage) {
      const storage = await makeStorage()
      await storage.put('good/Key_1.2-3.json', encoder.encode('1'))
      for (const key of badKeys) {
        const shown = JSON.stringify(key.slice(0, 40))
        await rejects(storage.put(key, encoder.encode('1')), TenfoldError.isInstance, `put ${shown}`)
        await rejects(storage.get(key), TenfoldError.isInstance, `get ${shown}`)
        await rejects(storage.delete(key), TenfoldError.isInstance, `delete ${shown}`)
      }
      deepEqual(await listAll(storage, ''), [{ key: 'good/Key_1.2-3.json', size: 1 }])
    },
  },
  {
    name: 'shows readers the old bytes or the new ones, whole, while big values are overwritten',
    async run(makeStorage) {
      const storage = await makeStorage()
      const value = (round: number): Uint8Array => new Uint8Array(megabyte + round * 4_099).fill(round)
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
          await new Promise((resolve) => setImmediate(resolve))
        }
        return reads
      }
      const readers = Promise.all([read(), read(), read()])
      try {
        for (let round = 1; round <= 20; round++) {
          await storage.put('big', value(round))
          newest = round
          await new Promise((resolve) => setImmediate(resolve))
        }
      } finally {
        writing = false
      }
      for (const reads of await readers) notEqual(reads, 0)
    },
  },
]

const badKeys = [
  ...['', '/', '/etc/passwd', 'a//b', 'a/', '.', '..', '../up', 'a/../b', 'a/..', './a', 'a/./b'],
  ...['a\\b', '..\\up', 'C:\\x', 'C:x', 'a\0b', 'a b', 'a\nb', '.hidden', 'a/.hidden', '-flag', 'a/-flag', 'dot.'],
  ...['CON', 'nul', 'a/Aux', 'com1', 'LPT9.txt', 'NUL.json', 'caf\u00e9', 'e\u0301', '\u{1f600}', '\u2024\u2024/up', '%2e%2e/up'],
  ...['a'.repeat(129), `${'a'.repeat(100)}/`.repeat(11).slice(0, -1), '~', '*', 'a?b', 'a:b', '\ud800'],
]

async function expectBytes(storage: Storage, key: string, bytes: Uint8Array): Promise<void> {
  const stored = await storage.get(key)
  ok(stored !== undefined, `${key} is there`)
  equal(stored.bytes.byteLength, bytes.byteLength, `length of ${key}`)
  ok(Buffer.compare(stored.bytes, bytes) === 0, `bytes of ${key}`)
}

async function expectConflict(put: Promise<unknown>): Promise<void> {
  await rejects(put, isConflict, 'expected a StorageConflictError')
}

function isConflict(error: unknown): boolean {
  return TenfoldError.isInstance(error) && error.code === 'storage-conflict'
}

async function expectOneWinner(storage: Storage, key: string, condition: PutCondition): Promise<void> {
  const values = Array.from({ length: writers }, (_, index) => encoder.encode(`${key} by ${index}`))
  const results = await Promise.allSettled(values.map((bytes) => storage.put(key, bytes, condition)))
  const winners = values.filter((_, index) => results[index]?.status === 'fulfilled')
  equal(winners.length, 1, `winners of ${writers} on ${key}`)
  for (const result of results) if (result.status === 'rejected') ok(isConflict(result.reason), String(result.reason))
  await expectBytes(storage, key, winners[0] ?? new Uint8Array())
}

async function addByCompareAndSwap(storage: Storage, key: string, times: number): Promise<void> {
  for (let done = 0; done < times; ) {
    const stored = await storage.get(key)
    ok(stored !== undefined)
    const next = encoder.encode(String(Number(new TextDecoder().decode(stored.bytes)) + 1))
    try {
      await storage.put(key, next, { ifMatch: stored.etag })
      done += 1
    } catch (error) {
      ok(isConflict(error), String(error))
    }
  }
}

async function listAll(storage: Storage, prefix: string): Promise<{ key: string; size: number }[]> {
  const found: { key: string; size: number }[] = []
  for await (const { key, size } of storage.list(prefix)) found.push({ key, size })
  return found
}

async function inParallel<T>(values: readonly T[], run: (value: T) => Promise<unknown>): Promise<void> {
  for (let start = 0; start < values.length; start += 32) await Promise.all(values.slice(start, start + 32).map(run))
}

function everyByte(): Uint8Array {
  return Uint8Array.from({ length: 256 }, (_, index) => index)
}

/** Bytes that do not compress, the same in each run. */
function noise(length: number): Uint8Array {
  const bytes = new Uint8Array(length)
  let state = 1
  for (let index = 0; index < length; index++) {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0
    bytes[index] = state >>> 24
  }
  return bytes
}
