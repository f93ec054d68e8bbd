import { writeFile } from 'node:fs/promises'
import { setTimeout as sleep } from 'node:timers/promises'
import { StorageConflictError, StorageError } from '@tenfold/core'
import { describe, expect, it } from 'vitest'
import { fileStorage } from '../src/file-storage.ts'
import { thisProcess } from '../src/process-identity.ts'
import { type Call, failingFileSystem, systemError } from './support/failing-file-system.ts'
import { filesBelow, makeFolder } from './support/folder.ts'

const text = (value: string): Uint8Array => new TextEncoder().encode(value)
const isFolderCall = (path: string): boolean => path.endsWith('/a')

interface Attempt {
  readonly root: string
  readonly calls: Call[]
  readonly error: unknown
}

/** Puts `a/key` over an old value with the n-th call failing; the calls made tell when n is past the end. */
async function putFailing(n: number, code: string, how: 'put' | 'ifMatch' | 'ifAbsent'): Promise<Attempt> {
  const root = await makeFolder()
  const sound = fileStorage(root)
  const { etag } = await sound.put('a/key', text('old'))
  const calls: Call[] = []
  const fs = failingFileSystem({
    before(call) {
      calls.push(call)
      if (calls.length === n) throw systemError(code)
    },
  })
  const condition = how === 'ifMatch' ? { ifMatch: etag } : how === 'ifAbsent' ? { ifAbsent: true } : {}
  const key = how === 'ifAbsent' ? 'a/new' : 'a/key'
  const put = fileStorage(root, { fs }).put(key, text('new value'), condition)
  return {
    root,
    calls,
    error: await put.then(
      () => undefined,
      (error: unknown) => error,
    ),
  }
}

describe('a put whose n-th call fails', () => {
  for (const how of ['put', 'ifMatch', 'ifAbsent'] as const) {
    for (const code of ['ENOSPC', 'EIO', 'EACCES', 'EMFILE']) {
      it(`${how}, ${code}: throws StorageError, keeps the old state or shows the new one whole`, async () => {
        let failed = 0
        for (let n = 1; ; n++) {
          const { root, calls, error } = await putFailing(n, code, how)
          if (calls.length < n) break
          const key = how === 'ifAbsent' ? 'a/new' : 'a/key'
          const stored = await fileStorage(root).get(key)
          const value = stored && new TextDecoder().decode(stored.bytes)
          const place = `call ${n}, ${calls[n - 1]}`
          const published = calls.slice(0, n - 1).some((call) => call === 'rename' || call === 'link')
          const expected = published ? 'new value' : how === 'ifAbsent' ? undefined : 'old'
          expect(value, place).toBe(error === undefined ? 'new value' : expected)
          if (error !== undefined) {
            failed += 1
            expect(error, place).toBeInstanceOf(StorageError)
            expect(String(error), place).toContain(code)
          }
          // What cannot be unlinked stays until the next sweep; a lock that cannot be read, until it is stale.
          const left = (await filesBelow(root)).filter((path) => path.endsWith('.tmp'))
          if (calls[n - 1] !== 'unlink') expect(left, place).toEqual([])
        }
        expect(failed).toBeGreaterThan(8)
      }, 30_000)
    }
  }
})

describe('a full disk', () => {
  it('that takes a part of each write is written to in a loop', async () => {
    const root = await makeFolder()
    let writes = 0
    const fs = failingFileSystem({
      shorten(length) {
        writes += 1
        // The lock is written in one go or not at all.
        return length > 1_000 ? Math.ceil(length / 2) : length
      },
    })
    const bytes = new Uint8Array(200_000).map((_, index) => index)
    await fileStorage(root, { fs }).put('a/big', bytes, { ifAbsent: true })
    expect(writes).toBeGreaterThan(5)
    expect(Buffer.compare((await fileStorage(root).get('a/big'))?.bytes ?? new Uint8Array(), bytes)).toBe(0)
  })

  it('that takes no more bytes, without an error, is an error and leaves the old value', async () => {
    const root = await makeFolder()
    await fileStorage(root).put('a/key', text('old'))
    let left = 65_536
    const fs = failingFileSystem({
      shorten(length) {
        const taken = Math.min(length, left)
        left -= taken
        return taken
      },
    })
    const put = fileStorage(root, { fs }).put('a/key', new Uint8Array(200_000))
    await expect(put).rejects.toThrow(/no space left \(ENOSPC\); free some space/)
    await expect(put).rejects.toMatchObject({ key: 'a/key', retryable: false })
    expect(await filesBelow(root)).toEqual(['a/key'])
    expect((await fileStorage(root).get('a/key'))?.bytes).toEqual(text('old'))
  })
})

describe('messages say what happened, where, and what to do', () => {
  for (const [code, pattern, retryable] of [
    ['EACCES', /cannot write .*\/a\/key: permission was denied \(EACCES\); check the owner/, false],
    ['EROFS', /read-only \(EROFS\)/, false],
    ['EMFILE', /too many files are open \(EMFILE\); try again/, true],
    ['EIO', /the disk reported an error \(EIO\)/, false],
  ] as const) {
    it(code, async () => {
      const root = await makeFolder()
      const fs = failingFileSystem({
        before(call, path) {
          if (call === 'open' && path.endsWith('.tmp')) throw systemError(code)
        },
      })
      const put = fileStorage(root, { fs }).put('a/key', text('x'))
      await expect(put).rejects.toThrow(pattern)
      await expect(put).rejects.toMatchObject({ code: 'storage-failed', retryable })
    })
  }

  it('a key below another', async () => {
    const storage = fileStorage(await makeFolder())
    await storage.put('a', text('1'))
    await expect(storage.put('a/b', text('2'))).rejects.toThrow(/a file stands where a folder is needed/)
    await storage.put('b/c', text('1'))
    await expect(storage.put('b', text('2'))).rejects.toThrow(StorageError)
    expect((await storage.get('b/c'))?.bytes).toEqual(text('1'))
  })
})

describe('what is synced', () => {
  it('each new folder into its parent, the file before its name, the folder after it', async () => {
    const root = await makeFolder()
    const calls: string[] = []
    const fs = failingFileSystem({
      before(call, path) {
        if (['file.sync', 'rename', 'link', 'mkdir'].includes(call))
          calls.push(`${call} ${path.slice(root.length)}`)
      },
    })
    await fileStorage(root, { fs }).put('a/b/key', text('1'), { ifAbsent: true })
    expect(calls.map((call) => call.replace(/[0-9a-f]{16}/, 'HEX'))).toEqual([
      'mkdir ',
      'mkdir /a',
      'file.sync ',
      'mkdir /a/b',
      'file.sync /a',
      'file.sync /a/b/.key.HEX.tmp',
      'link /a/b/key',
      'file.sync /a/b',
    ])
  })

  it('a folder that another process made is synced too', async () => {
    const root = await makeFolder()
    await fileStorage(root).put('a/1', text('1'))
    const synced: string[] = []
    const fs = failingFileSystem({
      before(call, path) {
        if (call === 'file.sync' && isFolderCall(path)) synced.push('a')
        if (call === 'file.sync' && path === root) synced.push('root')
      },
    })
    const storage = fileStorage(root, { fs })
    await storage.put('a/2', text('2'))
    await storage.put('a/3', text('3'))
    expect(synced).toEqual(['root', 'a', 'a'])
  })
})

describe('locks', () => {
  it('hold a plain put and a delete back while a swap stands between its look and its rename', async () => {
    for (const meddle of ['put', 'delete'] as const) {
      const root = await makeFolder()
      const sound = fileStorage(root)
      const { etag } = await sound.put('key', text('old'))
      let open = (): void => undefined
      const gate = new Promise<void>((resolve) => {
        open = resolve
      })
      const fs = failingFileSystem({})
      const slow = {
        ...fs,
        rename: async (from: string, to: string) => await gate.then(() => fs.rename(from, to)),
      }
      const done: string[] = []
      const swap = fileStorage(root, { fs: slow }).put('key', text('swapped'), { ifMatch: etag })
      const swapped = swap.then(() => done.push('swap'))
      await sleep(50)
      const meddling = meddle === 'put' ? sound.put('key', text('plain')) : sound.delete('key')
      const meddled = meddling.then(() => done.push(meddle))
      await sleep(50)
      expect(done).toEqual([])
      open()
      await Promise.all([swapped, meddled])
      expect((await sound.get('key'))?.bytes).toEqual(meddle === 'put' ? text('plain') : undefined)
    }
  })

  it('of a process that has ended are broken at once', async () => {
    const root = await makeFolder()
    const storage = fileStorage(root)
    const { etag } = await storage.put('key', text('1'))
    // Above the highest pid that Linux gives.
    await writeFile(`${root}/.key.lock`, JSON.stringify({ token: 'x', ...thisProcess(), pid: 2 ** 22 + 1 }))
    const start = performance.now()
    const waits = thisProcess().host === undefined ? 12_000 : 1_000
    await storage.put('key', text('2'), { ifMatch: etag })
    expect(performance.now() - start).toBeLessThan(waits)
    expect(await filesBelow(root)).toEqual(['key'])
  }, 20_000)

  it('that nobody changes are broken after their time, by one of many waiters', async () => {
    const root = await makeFolder()
    const lockTimes = { staleAfter: 100, giveUpAfter: 5_000 }
    const storage = fileStorage(root, { lockTimes })
    const { etag } = await storage.put('key', text('0'))
    await writeFile(`${root}/.key.lock`, JSON.stringify({ token: 'x', host: 'elsewhere', pid: 1 }))
    const puts = Array.from({ length: 8 }, (_, index) =>
      fileStorage(root, { lockTimes }).put('key', text(`${index + 1}`), { ifMatch: etag }),
    )
    const results = await Promise.allSettled(puts)
    expect(results.filter((result) => result.status === 'fulfilled')).toHaveLength(1)
    for (const result of results)
      if (result.status === 'rejected') expect(result.reason).toBeInstanceOf(StorageConflictError)
    expect(await filesBelow(root)).toEqual(['key'])
  })

  it('that are held for too long end the wait with a retryable error', async () => {
    const root = await makeFolder()
    const storage = fileStorage(root, { lockTimes: { staleAfter: 5_000, giveUpAfter: 50 } })
    await writeFile(`${root}/.key.lock`, JSON.stringify({ token: 'x', host: 'elsewhere', pid: 1 }))
    await expect(storage.put('key', text('1'))).rejects.toMatchObject({
      code: 'storage-failed',
      retryable: true,
    })
    expect(await filesBelow(root)).toEqual(['.key.lock'])
  })
})
