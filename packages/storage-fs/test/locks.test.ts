import { mkdir, readFile, symlink, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { StorageConflictError } from '@tenfold/core'
import { thisOwner } from '@tenfold/core/internal/locks'
import { describe, expect, it } from 'vitest'
import { createFileStorage, fileStorage } from '../src/file-storage.ts'
import { defaultLockTimes } from '../src/lock/with-lock.ts'
import { failingFileSystem } from './support/failing-file-system.ts'
import { filesBelow, keyFilesBelow, makeFolder } from './support/folder.ts'

const text = (value: string): Uint8Array => new TextEncoder().encode(value)

describe('locks', () => {
  it('hold a plain put and a delete back while a swap is between its look and its rename', async () => {
    for (const meddle of ['put', 'delete'] as const) {
      const root = await makeFolder()
      const sound = fileStorage(root)
      const { etag } = await sound.put('key', text('old'))
      let open = (): void => undefined
      const gate = new Promise<void>((resolve) => {
        open = resolve
      })
      const fs = failingFileSystem({})
      let looked = (): void => undefined
      const atRename = new Promise<void>((resolve) => {
        looked = resolve
      })
      const slow = {
        ...fs,
        rename: async (from: string, to: string) => {
          looked()
          await gate
          await fs.rename(from, to)
        },
      }
      const done: string[] = []
      const swap = createFileStorage(root, slow).put('key', text('swapped'), { ifMatch: etag })
      const swapped = swap.then(() => done.push('swap'))
      await atRename
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
    // A system that does not name its host waits for the usual time.
    const waits = thisOwner().host === undefined ? {} : { staleAfter: 100_000, giveUpAfter: 200_000 }
    const storage = fileStorage(root, { lockTimes: { ...defaultLockTimes, ...waits } })
    const { etag } = await storage.put('key', text('1'))
    // Above the highest pid that Linux gives.
    await writeFile(`${root}/.key.lock`, JSON.stringify({ token: 'x', ...thisOwner(), pid: 2 ** 22 + 1 }))
    const start = performance.now()
    await storage.put('key', text('2'), { ifMatch: etag })
    expect(performance.now() - start).toBeLessThan(60_000)
    expect(await keyFilesBelow(root)).toEqual(['key'])
  })

  it('that do not change are broken after their time, by one of many waiters', async () => {
    const root = await makeFolder()
    // Longer than a put holds its lock on a busy machine: a waiter would break that one too.
    const lockTimes = { staleAfter: 3_000, giveUpAfter: 100_000 }
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
    expect(await keyFilesBelow(root)).toEqual(['key'])
  })

  it('that are held for too long end the wait with a retryable error', async () => {
    const root = await makeFolder()
    const storage = fileStorage(root, { lockTimes: { staleAfter: 500_000, giveUpAfter: 50 } })
    await writeFile(`${root}/.key.lock`, JSON.stringify({ token: 'x', host: 'elsewhere', pid: 1 }))
    await expect(storage.put('key', text('1'))).rejects.toMatchObject({
      code: 'storage-failed',
      retryable: true,
    })
    expect(await keyFilesBelow(root)).toEqual(['.key.lock'])
  })

  it('that were planted as a link or a folder lead nowhere and block nothing for ever', async () => {
    const lockTimes = { staleAfter: 50, giveUpAfter: 100_000 }
    const outside = await makeFolder()
    const root = await makeFolder()
    await writeFile(join(outside, 'victim'), 'untouched')
    await symlink(join(outside, 'victim'), join(root, '.linked.lock'))
    await symlink(join(outside, 'new'), join(root, '.dangling.lock'))
    await mkdir(join(root, '.folder.lock'))
    const storage = fileStorage(root, { lockTimes })
    for (const key of ['linked', 'dangling']) {
      await storage.put(key, text('1'))
      expect((await storage.get(key))?.bytes).toEqual(text('1'))
    }
    expect(await readFile(join(outside, 'victim'), 'utf8')).toBe('untouched')
    expect(await filesBelow(outside)).toEqual(['victim'])
    const put = storage.put('folder', text('1'))
    await expect(put).rejects.toThrow(/\.folder\.lock is a folder in the place of a lock; remove it\.$/)
    await expect(put).rejects.toMatchObject({ code: 'storage-failed' })
  })
})
