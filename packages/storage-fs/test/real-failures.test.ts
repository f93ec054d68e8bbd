import { execFile, spawnSync } from 'node:child_process'
import { chmod, mkdtemp, readdir, rmdir } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { bundleStore, StorageError } from '@tenfold/core'
import { afterEach, describe, expect, it } from 'vitest'
import { bundleNumber } from '../../../tools/soak/samples.ts'
import { fileStorage } from '../src/file-storage.ts'
import { keyFilesBelow, makeFolder } from './support/folder.ts'

const run = promisify(execFile)
const text = (value: string): Uint8Array => new TextEncoder().encode(value)

const isRoot = process.getuid?.() === 0
const canMount = isRoot && process.platform === 'linux' && (await mountWorks())
const mounted: string[] = []

async function mountWorks(): Promise<boolean> {
  const folder = await mkdtemp(join(tmpdir(), 'tenfold-mount-'))
  const works = spawnSync('mount', ['-t', 'tmpfs', 'tmpfs', folder]).status === 0
  if (works) spawnSync('umount', [folder])
  await rmdir(folder)
  return works
}

/** A new file system in memory. `options` are those of tmpfs: `size=64k`. */
async function mount(options: string): Promise<string> {
  const folder = await makeFolder()
  await run('mount', ['-t', 'tmpfs', '-o', options, 'tmpfs', folder])
  mounted.push(folder)
  return folder
}

afterEach(async () => {
  for (const folder of mounted.splice(0)) await run('umount', [folder])
})

const withMount = describe.skipIf(!canMount)
const because = canMount ? '' : ' (skipped: needs root and mount)'

withMount(`a full disk${because}`, () => {
  it('refuses what does not fit, keeps the old value and leaves nothing behind; smaller values still fit', async () => {
    const root = join(await mount('size=64k'), 'store')
    const storage = fileStorage(root)
    await storage.put('a/key', text('old'))
    for (const condition of [{}, { ifAbsent: true }] as const) {
      const key = 'ifAbsent' in condition ? 'a/new' : 'a/key'
      const put = storage.put(key, new Uint8Array(200_000), condition)
      await expect(put).rejects.toThrow(/there is no space left \(ENOSPC\); free some space/)
      await expect(put).rejects.toBeInstanceOf(StorageError)
    }
    expect((await storage.get('a/key'))?.bytes).toEqual(text('old'))
    expect(await keyFilesBelow(root)).toEqual(['a/key'])
    await storage.put('a/key', text('new'))
    expect((await storage.get('a/key'))?.bytes).toEqual(text('new'))
  })

  it('ends a series of saves with an error; LATEST is the last that returned, and saves resume when there is room', async () => {
    const folder = await mount('size=128k')
    const store = bundleStore(fileStorage(join(folder, 'store')))
    let saved = 0
    let failure: unknown
    while (failure === undefined) {
      try {
        const { warning } = await store.save(bundleNumber(saved + 1))
        if (warning !== undefined) expect(warning).toMatch(/no space left/)
        saved += 1
      } catch (error) {
        failure = error
      }
    }
    expect(failure).toBeInstanceOf(StorageError)
    expect(String(failure)).toMatch(/no space left \(ENOSPC\)/)
    expect(saved).toBeGreaterThan(3)
    expect((await store.latest('main'))?.bundle).toEqual(bundleNumber(saved))
    expect((await keyFilesBelow(folder)).filter((path) => path.includes('/.'))).toEqual([])
    await run('mount', ['-o', 'remount,size=1m', folder])
    await store.save(bundleNumber(saved + 1))
    expect((await store.latest('main'))?.bundle).toEqual(bundleNumber(saved + 1))
    expect(await store.history('main')).toHaveLength(saved + 1)
  })

  it('reports at the start that there is no room for one more file', async () => {
    const folder = await mount('nr_inodes=6')
    const storage = fileStorage(folder)
    const failures = await Promise.allSettled(
      Array.from({ length: 8 }, (_, index) => storage.put(`key-${index}`, text('x'))),
    )
    const reasons = failures.flatMap((result) =>
      result.status === 'rejected' ? [String(result.reason)] : [],
    )
    expect(reasons.length).toBeGreaterThan(0)
    for (const reason of reasons) expect(reason).toMatch(/no space left \(ENOSPC\)/)
    expect((await keyFilesBelow(folder)).filter((path) => path.startsWith('.'))).toEqual([])
  })
})

withMount(`a read-only file system${because}`, () => {
  it('makes put and delete fail with a clear error, and can be read', async () => {
    const folder = await mount('size=1m')
    await bundleStore(fileStorage(folder)).save(bundleNumber(1))
    await run('mount', ['-o', 'remount,ro', folder])
    const store = bundleStore(fileStorage(folder))
    const save = store.save(bundleNumber(2))
    await expect(save).rejects.toThrow(/the file system is read-only \(EROFS\); mount it writable/)
    await expect(save).rejects.toMatchObject({ code: 'storage-failed', retryable: false })
    await expect(fileStorage(folder).delete('tracks/main/LATEST.json')).rejects.toThrow(/read-only/)
    expect((await store.latest('main'))?.bundle).toEqual(bundleNumber(1))
    expect(await store.history('main')).toHaveLength(1)
  })
})

/** Puts a value from a process of its own, with fewer rights or smaller limits. Returns its output. */
async function putElsewhere(
  folder: string,
  options: {
    readonly uid?: number
    readonly limit?: string
    readonly size?: number
    readonly files?: number
  },
): Promise<string> {
  const script = fileURLToPath(new URL('support/put-child.js', import.meta.url))
  const { uid = '', limit = 'true', size = 3, files = 0 } = options
  const command = `${limit}; exec "$@"`
  const { stdout } = await run('sh', [
    ...['-c', command, 'sh', process.execPath, script],
    ...[folder, String(size), String(files), String(uid)],
  ])
  return stdout.trim()
}

const nobody = 65_534

describe.skipIf(process.platform === 'win32')('a folder without write permission', () => {
  it('is reported, and its contents remain', async () => {
    const folder = await makeFolder()
    await fileStorage(folder).put('a/key', text('old'))
    for (const path of [folder, join(folder, 'a')]) await chmod(path, 0o555)
    // Root ignores permissions, so a process of the user `nobody` tries.
    const printed = await putElsewhere(folder, { ...(isRoot && { uid: nobody }) })
    for (const path of [folder, join(folder, 'a')]) await chmod(path, 0o755)
    expect(printed).toMatch(
      /^storage-failed false cannot write .*\/a\/key: permission was denied \(EACCES\); check the owner/,
    )
    expect((await fileStorage(folder).get('a/key'))?.bytes).toEqual(text('old'))
    expect(await readdir(join(folder, 'a'))).toEqual(['key'])
  })
})

describe.skipIf(process.platform === 'win32')('a limit of a process', () => {
  it('on the size of a file, which cuts a write short, is reported, and the old value remains', async () => {
    const folder = await makeFolder()
    await fileStorage(folder).put('a/key', text('old'))
    const printed = await putElsewhere(folder, { limit: 'ulimit -f 64', size: 1_000_000 })
    expect(printed).toMatch(/^storage-failed false cannot write .*larger than is allowed \(EFBIG\)/)
    expect((await fileStorage(folder).get('a/key'))?.bytes).toEqual(text('old'))
    expect(await keyFilesBelow(folder)).toEqual(['a/key'])
  })

  it('on open files is reported as worth a retry, which works once files are closed', async () => {
    const folder = await makeFolder()
    await fileStorage(folder).put('a/key', text('old'))
    const printed = await putElsewhere(folder, { limit: 'ulimit -n 400', files: 1_000 })
    expect(printed).toMatch(
      /^storage-failed true cannot write .*too many files are open \(EMFILE\); try again/,
    )
    expect(printed).toMatch(/\nsaved after closing$/)
    expect((await fileStorage(folder).get('a/key'))?.bytes).toEqual(new Uint8Array(3))
    expect(await keyFilesBelow(folder)).toEqual(['a/key'])
  })
})
