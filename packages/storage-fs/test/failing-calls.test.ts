import { basename } from 'node:path'
import { type Storage, StorageError } from '@tenfold/core'
import { describe, expect, it } from 'vitest'
import { repeats } from '../../../test/support/repeats.ts'
import { keysOf } from '../../core/test/support/stored.ts'
import { createFileStorage, fileStorage } from '../src/file-storage.ts'
import { root } from './support/crash-run.ts'
import { type Call, failingFileSystem, systemError } from './support/failing-file-system.ts'
import { filesBelow, keyFilesBelow, makeFolder } from './support/folder.ts'
import { copyOf, faultsOf, type Known, knownStore, nothingKnown } from './support/known-store.ts'
import { type MemoryDisk, memoryDisk } from './support/memory-disk.ts'

const text = (value: string): Uint8Array => new TextEncoder().encode(value)

/** Every code, with whether the same call may succeed later without help. */
const codes = new Map([
  ['EIO', false],
  ['ENOSPC', false],
  ['EDQUOT', false],
  ['EACCES', false],
  ['EROFS', false],
  ['EXDEV', false],
  ['EMFILE', true],
])

/** Each call fails with one of the codes in turn; in `npm run soak` with each of them. */
const turns = repeats({ few: 2, all: codes.size })
const codeOf = (n: number): string => [...codes.keys()][n % codes.size] ?? ''

/**
 * A store makes the changes of a storage, each of which is tried at every call, again and again: of its calls every
 * fourth fails; in `npm run soak` every one.
 */
const step = repeats({ few: 6, all: 1 })

type Put = 'put' | 'ifMatch' | 'ifAbsent' | 'ifStaged' | 'delete'

/** Changes a key of a storage with an old value, and returns what it then holds. */
const changes: Record<
  Put,
  { readonly key: string; readonly old: string | undefined; readonly now: string | undefined }
> = {
  put: { key: 'a/key', old: 'old', now: 'new value' },
  ifMatch: { key: 'a/key', old: 'old', now: 'new value' },
  ifAbsent: { key: 'a/new', old: undefined, now: 'new value' },
  ifStaged: { key: 'a/b/new', old: undefined, now: 'new value' },
  delete: { key: 'a/key', old: 'old', now: undefined },
}

/** Those that give a file its name by a link. */
const links: ReadonlySet<Put> = new Set<Put>(['ifAbsent', 'ifStaged'])

async function change(storage: Storage, how: Put, etag: string): Promise<void> {
  const { key, now = '' } = changes[how]
  if (how === 'delete') return await storage.delete(key)
  if (how === 'ifStaged') return await changeStaged(storage, key, now)
  const condition = how === 'ifMatch' ? { ifMatch: etag } : how === 'ifAbsent' ? { ifAbsent: true } : {}
  await storage.put(key, text(now), condition)
}

async function changeStaged(storage: Storage, key: string, now: string): Promise<void> {
  const staged = await storage.stage?.('a/')
  try {
    for (const char of now) await staged?.write(text(char))
    await staged?.put(key, { ifAbsent: true })
  } catch (error) {
    await staged?.discard()
    throw error
  }
}

async function errorOf(run: Promise<unknown>): Promise<unknown> {
  return await run.then(
    () => undefined,
    (error: unknown) => error,
  )
}

function assertClear(error: unknown, code: string, place: string): void {
  expect(error, place).toBeInstanceOf(StorageError)
  expect(String(error), place).toMatch(
    new RegExp(`^StorageError: cannot (write|read|delete|list) .*\\(${code}\\); .+\\.$`),
  )
  expect(error, place).toMatchObject({ retryable: codes.get(code) })
}

async function valueAt(storage: Storage, key: string): Promise<string | undefined> {
  const stored = await storage.get(key)
  return stored && new TextDecoder().decode(stored.bytes)
}

/** Temporary files, locks and claims. */
function leftOn(disk: MemoryDisk): string[] {
  return [...disk.image().files.keys()].filter((path) => /^\.(?!git)/.test(basename(path)))
}

async function diskWithOld(): Promise<{ disk: MemoryDisk; etag: string }> {
  const disk = memoryDisk({ image: { folders: ['/srv'], files: new Map() } })
  const { etag } = await createFileStorage(root, disk.fs).put('a/key', text('old'))
  return { disk, etag }
}

/** Writes to a store on a memory disk once; returns what makes copies of that disk. */
async function begunStore(
  write: (store: ReturnType<typeof knownStore>) => Promise<void>,
): Promise<() => { readonly disk: MemoryDisk; readonly known: Known }> {
  const disk = memoryDisk({ image: { folders: ['/srv'], files: new Map() } })
  const known = nothingKnown()
  await write(knownStore(createFileStorage(root, disk.fs), known))
  return () => ({ disk: memoryDisk({ image: disk.image() }), known: copyOf(known) })
}

describe('a change whose n-th call fails, for every n', () => {
  for (const how of ['put', 'ifMatch', 'ifAbsent', 'ifStaged', 'delete'] as const) {
    it(`throws a clear error, keeps the old state or the new one whole, and leaves nothing else behind: ${how}`, async () => {
      let failed = 0
      for (let turn = 0; turn < turns; turn++) {
        for (let n = 1, calls: Call[] = []; calls.length >= n - 1; n++) {
          const code = codeOf(n + turn)
          const { disk, etag } = await diskWithOld()
          calls = []
          const fs = failingFileSystem({
            over: disk.fs,
            before(call) {
              if (calls.push(call) === n) throw systemError(code)
            },
          })
          const error = await errorOf(change(createFileStorage(root, fs), how, etag))
          const place = `${code} at call ${n}, ${calls[n - 1]}`
          const { key, old, now } = changes[how]
          const sound = createFileStorage(root, disk.fs)
          // From here on the change is visible; a later failure is in its sync.
          const decisive = how === 'delete' ? 'unlink' : links.has(how) ? 'link' : 'rename'
          const seen = calls.slice(0, n - 1).includes(decisive)
          expect(await valueAt(sound, key), place).toBe(error === undefined || seen ? now : old)
          expect(leftOn(disk), place).toEqual([])
          if (error !== undefined) {
            failed += 1
            assertClear(error, code, place)
            expect(await errorOf(change(sound, how, etag)).then(String), place).toMatch(
              seen && how.startsWith('if') ? /StorageConflictError/ : /^undefined$/,
            )
          }
        }
      }
      expect(failed).toBeGreaterThan(8 * turns)
    })
  }

  it('does the same on the disk of this machine', async () => {
    let failed = 0
    for (const how of ['put', 'ifMatch', 'ifAbsent', 'ifStaged'] as const) {
      for (let n = 1, calls: Call[] = []; calls.length >= n - 1; n++) {
        const folder = await makeFolder()
        const { etag } = await fileStorage(folder).put('a/key', text('old'))
        calls = []
        const fs = failingFileSystem({
          before(call) {
            if (calls.push(call) === n) throw systemError('EIO')
          },
        })
        const error = await errorOf(change(createFileStorage(folder, fs), how, etag))
        const { key, old, now } = changes[how]
        const seen = calls.slice(0, n - 1).some((call) => call === 'rename' || call === 'link')
        expect(await valueAt(fileStorage(folder), key)).toBe(error === undefined || seen ? now : old)
        expect((await keyFilesBelow(folder)).filter((path) => path.includes('/.'))).toEqual([])
        if (error !== undefined) failed += 1
      }
    }
    expect(failed).toBeGreaterThan(30)
  })
})

describe('a read whose n-th call fails, for every n', () => {
  for (const how of ['get', 'list'] as const) {
    it(`throws a clear error, never returns a part: ${how}`, async () => {
      let failed = 0
      for (let turn = 0; turn < turns; turn++) {
        for (let n = 1, calls = 0; calls >= n - 1; n++) {
          const code = codeOf(n + turn)
          const { disk } = await diskWithOld()
          calls = 0
          const fs = failingFileSystem({
            over: disk.fs,
            before() {
              calls += 1
              if (calls === n) throw systemError(code)
            },
          })
          const storage = createFileStorage(root, fs)
          const read = async (): Promise<string> => {
            if (how === 'get') return (await valueAt(storage, 'a/key')) ?? ''
            const keys = await keysOf(storage, 'a/')
            return keys.join()
          }
          const found: unknown = await read().catch((error: unknown) => error)
          if (typeof found === 'string') expect(found).toBe(how === 'get' ? 'old' : 'a/key')
          else assertClear(found, code, `${code} at call ${n}`)
          if (typeof found !== 'string') failed += 1
        }
      }
      expect(failed).toBeGreaterThan(2 * turns)
    })
  }
})

describe('a store whose n-th call fails', () => {
  for (const [kind, kindCodes] of [
    ['save', ['EIO', 'EMFILE', 'EXDEV']],
    ['checkpoint', ['ENOSPC']],
    ['archive', ['EACCES']],
  ] as const) {
    it(`keeps what was there and what returned, leaves nothing behind, and the next save works: ${kind}`, async () => {
      const begun = await begunStore(async (store) => {
        await store.save(1)
        if (kind === 'checkpoint') await store.checkpoint(2)
      })
      let failed = 0
      let returned = 0
      // Each call fails with one of the codes in turn, in `npm run soak` with each of them.
      for (let turn = 0; turn < repeats({ few: 1, all: kindCodes.length }); turn++) {
        for (let n = 1 + turn, calls = 0; calls >= n - step; n += step) {
          const code = kindCodes[(n + turn) % kindCodes.length] ?? kindCodes[0]
          const { disk, known } = begun()
          calls = 0
          const fs = failingFileSystem({
            over: disk.fs,
            before() {
              calls += 1
              if (calls === n) throw systemError(code)
            },
          })
          const store = knownStore(createFileStorage(root, fs), known)
          const error = await errorOf(kind === 'archive' ? store.archive('a log\n') : store[kind](3))
          const place = `${code} at call ${n}`
          if (error === undefined) returned += 1
          else {
            failed += 1
            assertClear(error, code, place)
          }
          expect(leftOn(disk), place).toEqual([])
          expect(await faultsOf(createFileStorage(root, disk.fs), known), place).toEqual([])
        }
      }
      expect(failed).toBeGreaterThan(30 / step)
      expect(returned).toBeGreaterThan(0)
    })
  }

  it('recovers if its disk disappears from the n-th call on, and comes back', async () => {
    const begun = await begunStore((store) => store.save(1))
    let failed = 0
    for (let n = 1, calls = 0; calls >= n - step; n += step) {
      const { disk, known } = begun()
      calls = 0
      const fs = failingFileSystem({
        over: disk.fs,
        before() {
          calls += 1
          if (calls >= n) throw systemError('EIO')
        },
      })
      const error = await errorOf(knownStore(createFileStorage(root, fs), known).save(3))
      if (error !== undefined) {
        failed += 1
        assertClear(error, 'EIO', `from call ${n} on`)
      }
      // What could not be removed remains: temporary files for the sweep, and a lock until it is stale.
      const back = createFileStorage(root, disk.fs, { lockTimes: { staleAfter: 1 } })
      expect(await faultsOf(back, known), `from call ${n} on`).toEqual([])
    }
    expect(failed).toBeGreaterThan(30 / step)
  })
})

describe('short writes', () => {
  it('of no byte, one byte or half, at every n-th write of a save, leave the save whole or failed', async () => {
    const begun = await begunStore((store) => store.save(1))
    let failed = 0
    let returned = 0
    for (const [name, part] of [
      ['none', () => 0],
      ['one', () => 1],
      ['half', (length: number) => length >> 1],
    ] as const) {
      for (let n = 1, writes = 0; writes >= n - 1; n++) {
        const { disk, known } = begun()
        writes = 0
        const fs = failingFileSystem({
          over: disk.fs,
          shorten(length) {
            writes += 1
            return writes === n ? part(length) : length
          },
        })
        const error = await errorOf(knownStore(createFileStorage(root, fs), known).save(3))
        if (error !== undefined) assertClear(error, 'ENOSPC', `${name} at write ${n}`)
        if (error === undefined) returned += 1
        else failed += 1
        expect(leftOn(disk)).toEqual([])
        expect(await faultsOf(createFileStorage(root, disk.fs), known), `${name} at write ${n}`).toEqual([])
      }
    }
    expect(failed).toBeGreaterThan(2)
    expect(returned).toBeGreaterThan(10)
  })

  it('are continued on the disk of this machine', async () => {
    const folder = await makeFolder()
    let writes = 0
    const fs = failingFileSystem({
      shorten(length) {
        writes += 1
        return Math.ceil(length / 2)
      },
    })
    const bytes = new Uint8Array(200_000).map((_, index) => index)
    await createFileStorage(folder, fs).put('a/big', bytes)
    expect(writes).toBeGreaterThan(20)
    expect(Buffer.compare((await fileStorage(folder).get('a/big'))?.bytes ?? new Uint8Array(), bytes)).toBe(0)
  })

  it('of no bytes, without an error, mean a full disk and leave the old value', async () => {
    const folder = await makeFolder()
    await fileStorage(folder).put('a/key', text('old'))
    let left = 65_536
    const fs = failingFileSystem({
      shorten(length) {
        const taken = Math.min(length, left)
        left -= taken
        return taken
      },
    })
    const put = createFileStorage(folder, fs).put('a/key', new Uint8Array(200_000))
    await expect(put).rejects.toThrow(/no space left \(ENOSPC\); free some space/)
    await expect(put).rejects.toMatchObject({ key: 'a/key', retryable: false })
    expect((await filesBelow(folder)).filter((path) => path.startsWith('a/'))).toEqual(['a/key'])
    expect(await valueAt(fileStorage(folder), 'a/key')).toBe('old')
  })
})

describe('an error message', () => {
  it('names the obstacle of a key below another', async () => {
    const storage = fileStorage(await makeFolder())
    await storage.put('a', text('1'))
    await expect(storage.put('a/b', text('2'))).rejects.toThrow(/a file is where a folder is needed/)
    await storage.put('b/c', text('1'))
    await expect(storage.put('b', text('2'))).rejects.toThrow(/a folder is in its place/)
    expect(await valueAt(storage, 'b/c')).toBe('1')
  })
})
