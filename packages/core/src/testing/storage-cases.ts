import { deepEqual, equal, match, rejects } from 'node:assert/strict'
import { TenfoldError } from '../errors.ts'
import {
  encoder,
  everyByte,
  expectBytes,
  expectConflict,
  inParallel,
  listAll,
  noise,
  type StorageCase,
  storageCasesOf,
} from './storage-expect.ts'
import { storageRaceCases } from './storage-race-cases.ts'

export type { StorageCase } from './storage-expect.ts'

/** The laws of {@link Storage} for any test runner: `for (const c of storageCases) it(c.name, () => c.run(make))`. */
export const storageCases: readonly StorageCase[] = [
  ...storageCasesOf({
    async 'has a name for messages'({ name }) {
      match(name, /\S/)
    },
    async 'gives bytes back exactly: none, all values, text that is not UTF-8, 5 MB'(storage) {
      const values = [
        new Uint8Array(),
        everyByte(),
        Uint8Array.of(0xff, 0xfe, 0, 0xc3, 0x28, 0x0d, 0x0a),
        noise(5 * 1024 * 1024),
      ]
      for (const [index, bytes] of values.entries()) {
        await storage.put(`bytes/${index}.bin`, bytes)
        await expectBytes(storage, `bytes/${index}.bin`, bytes)
      }
    },
    async 'gives undefined for a key that was never put'(storage) {
      equal(await storage.get('nothing.json'), undefined)
      await storage.put('folder/file.json', encoder.encode('1'))
      for (const key of ['folder', 'folder/other.json', 'folder/file', 'file.json', 'folder/file.json/below'])
        equal(await storage.get(key), undefined, key)
    },
    async 'overwrites with longer and shorter bytes, and get and put agree on the etag'(storage) {
      const etags = new Set<string>()
      for (const text of ['first', 'a second one that is longer', 'third', '']) {
        const { etag } = await storage.put('a/key.txt', encoder.encode(text))
        equal((await storage.get('a/key.txt'))?.etag, etag)
        await expectBytes(storage, 'a/key.txt', encoder.encode(text))
        etags.add(etag)
      }
      equal(etags.size, 4, 'different bytes have different etags')
    },
    async 'lists more than 1,000 keys once each, in the order of bytes, with their sizes'(storage) {
      const odd = ['a', 'a-b/c', 'a.b', 'a0', 'aB', 'a_b', 'Z/1', 'z/z/z/z', 'b/a.json', 'b-1', 'b.json', '0']
      const sizes = new Map<string, number>(odd.map((key, index) => [key, index]))
      for (let index = 0; index < 1_050; index++)
        sizes.set(`many/${String(index).padStart(6, '0')}.json`, index % 7)
      await inParallel([...sizes], ([key, size]) => storage.put(key, new Uint8Array(size)))
      const listed = await listAll(storage, '')
      deepEqual(
        listed.map(({ key, size }) => [key, size]),
        [...sizes].sort(([a], [b]) => Buffer.compare(Buffer.from(a), Buffer.from(b))),
      )
    },
    async 'lists by prefix, which is plain text and need not end at a "/"'(storage) {
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
      for (const [prefix, keys] of expected)
        deepEqual(
          (await listAll(storage, prefix)).map(({ key }) => key),
          keys,
          prefix,
        )
    },
    async 'lists what sorts after a key, which need not exist, within the prefix'(storage) {
      for (const key of ['a/1', 'a/2', 'a/20', 'a/b/1', 'a/b/2', 'a/c', 'b/1'])
        await storage.put(key, new Uint8Array(1))
      const expected = new Map([
        ['a/1', ['a/2', 'a/20', 'a/b/1', 'a/b/2', 'a/c']],
        ['a/1z', ['a/2', 'a/20', 'a/b/1', 'a/b/2', 'a/c']],
        ['a/2', ['a/20', 'a/b/1', 'a/b/2', 'a/c']],
        ['a/b', ['a/b/1', 'a/b/2', 'a/c']],
        ['a/b/1', ['a/b/2', 'a/c']],
        ['a/b/9', ['a/c']],
        ['a/c', []],
        ['0', ['a/1', 'a/2', 'a/20', 'a/b/1', 'a/b/2', 'a/c']],
        ['c', []],
      ])
      for (const [after, found] of expected)
        deepEqual(
          (await listAll(storage, 'a/', { after })).map(({ key }) => key),
          found,
          after,
        )
      deepEqual(
        (await listAll(storage, 'a/b', { after: 'a/b/1' })).map(({ key }) => key),
        ['a/b/2'],
      )
    },
    async 'deletes, and a second delete is no error'(storage) {
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
    async 'is not changed by a caller that writes into its buffer after put'(storage) {
      const bytes = encoder.encode('as it was put')
      await storage.put('key', bytes)
      bytes.fill(0)
      await expectBytes(storage, 'key', encoder.encode('as it was put'))
    },
    async 'shows nothing of staged bytes until they are put, and nothing at all of those that are discarded'(
      storage,
    ) {
      const stage = async (text: string) => {
        const staged = await storage.stage?.('staged/')
        for (const char of text) {
          const piece = encoder.encode(char)
          await staged?.write(piece)
          piece.fill(0)
        }
        return staged
      }
      const [first, second, third] = [await stage('as staged'), await stage('too late'), await stage('never')]
      if (first === undefined || second === undefined || third === undefined) return
      deepEqual(await listAll(storage, ''), [])
      const { etag } = await first.put('staged/a/key', { ifAbsent: true })
      await first.discard()
      equal((await storage.get('staged/a/key'))?.etag, etag)
      await expectConflict(second.put('staged/a/key', { ifAbsent: true }))
      await second.discard()
      await third.discard()
      await expectBytes(storage, 'staged/a/key', encoder.encode('as staged'))
      const [over, empty] = [await stage('over it'), await storage.stage?.('staged/')]
      await over?.put('staged/a/key', { ifMatch: etag })
      await expectBytes(storage, 'staged/a/key', encoder.encode('over it'))
      await empty?.put('staged/empty')
      deepEqual(
        (await listAll(storage, '')).map(({ key, size }) => [key, size]),
        [
          ['staged/a/key', 7],
          ['staged/empty', 0],
        ],
      )
    },
    async 'is not changed by a caller that writes into what get returned'(storage) {
      await storage.put('key', encoder.encode('as it was put'))
      ;(await storage.get('key'))?.bytes.fill(0)
      await expectBytes(storage, 'key', encoder.encode('as it was put'))
    },
    async 'refuses keys that could be read as another path'(storage) {
      await storage.put('good/Key_1.2-3.json', encoder.encode('1'))
      for (const key of badKeys) {
        const shown = JSON.stringify(key.slice(0, 40))
        await rejects(storage.put(key, encoder.encode('1')), TenfoldError.isInstance, `put ${shown}`)
        await rejects(storage.get(key), TenfoldError.isInstance, `get ${shown}`)
        await rejects(storage.delete(key), TenfoldError.isInstance, `delete ${shown}`)
      }
      deepEqual(await listAll(storage, ''), [{ key: 'good/Key_1.2-3.json', size: 1 }])
    },
  }),
  ...storageRaceCases,
]

const badKeys = [
  ...['', '/', '/etc/passwd', 'a//b', 'a/', '.', '..', '../up', 'a/../b', 'a/..', './a', 'a/./b'],
  ...['a\\b', '..\\up', 'C:\\x', 'C:x', 'a\0b', 'a b', 'a\nb'],
  ...['.hidden', 'a/.hidden', '-flag', 'a/-flag', 'dot.', '~', '*', 'a?b', 'a:b', '\ud800'],
  ...['CON', 'nul', 'a/Aux', 'com1', 'LPT9.txt', 'NUL.json'],
  ...['caf\u00e9', 'e\u0301', '\u{1f600}', '\u2024\u2024/up', '%2e%2e/up'],
  ...['a'.repeat(129), `${'a'.repeat(100)}/`.repeat(11).slice(0, -1)],
]
