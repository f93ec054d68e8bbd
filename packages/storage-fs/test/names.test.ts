import { execFileSync, spawnSync } from 'node:child_process'
import { lstat, mkdir, readFile, rm, symlink, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { bundleStore, checkpoint, StorageError } from '@tenfold/core'
import { storageKeyFault } from '@tenfold/core/storage'
import { checkpointStore, verifyCheckpoints, verifyStore } from '@tenfold/core/store'
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { repeats } from '../../../test/support/repeats.ts'
import { seedOf } from '../../../test/support/seed.ts'
import { bundleNumber, checkpointNumber, sampleLog } from '../../../tools/soak/samples.ts'
import { keysOf } from '../../core/test/support/stored.ts'
import { createFileStorage, fileStorage } from '../src/file-storage.ts'
import { storeGitIgnore } from '../src/git-hints.ts'
import { root } from './support/crash-run.ts'
import { systemError } from './support/failing-file-system.ts'
import { filesBelow, makeFolder } from './support/folder.ts'
import { memoryDisk } from './support/memory-disk.ts'

const text = (value: string): Uint8Array => new TextEncoder().encode(value)

describe('keys', () => {
  it('that leave the root, or that Windows reads differently, reach no call of the file system', async () => {
    const refuse = (): never => {
      throw systemError('EIO')
    }
    const never = new Proxy(memoryDisk().fs, { get: () => refuse })
    const storage = createFileStorage(root, never)
    const parts = ['', 'a b', '\0', ...'.. . a con NUL.txt com1 LPT9.json x. .x a:b a\\b -a é'.split(' ')]
    const part = fc.oneof(fc.constantFrom(...parts), fc.string({ maxLength: 6 }))
    const key = fc.array(part, { minLength: 1, maxLength: 4 }).map((found) => found.join('/'))
    await fc.assert(
      fc.asyncProperty(key, async (bad) => {
        fc.pre(storageKeyFault(bad) !== undefined)
        for (const call of [storage.get(bad), storage.put(bad, text('x')), storage.delete(bad)])
          await expect(call).rejects.toThrow(/bad storage key/)
      }),
      { numRuns: repeats({ few: 100, all: 300 }), seed: seedOf(1) },
    )
    for (const bad of parts.filter((name) => name !== 'a')) expect(storageKeyFault(bad), bad).toBeDefined()
  })

  it('of the greatest length leave room for the names of temporary files and locks', async () => {
    const folder = await makeFolder()
    const storage = fileStorage(folder)
    const key = `${'f'.repeat(128)}/${'k'.repeat(128)}`
    const { etag } = await storage.put(key, text('1'), { ifAbsent: true })
    await storage.put(key, text('2'), { ifMatch: etag })
    expect((await storage.get(key))?.bytes).toEqual(text('2'))
  })

  it('with too long a path are refused with advice', async () => {
    const deep = join(await makeFolder(), ...Array.from({ length: 25 }, () => 'x'.repeat(200)))
    const put = fileStorage(deep).put('a', text('1'))
    await expect(put).rejects.toThrow(
      /the path is too long \(ENAMETOOLONG\); set a folder with a shorter path/,
    )
  })
})

describe('a file system that folds case', () => {
  it('gives no key the bytes of another, and refuses a key that it takes for an existing one', async () => {
    const { fs } = memoryDisk({ image: { folders: ['/srv'], files: new Map() }, foldCase: true })
    const storage = createFileStorage(root, fs)
    await storage.put('Track/Key', text('1'))
    for (const other of ['track/Key', 'Track/key', 'TRACK/KEY']) {
      expect(await storage.get(other), other).toBeUndefined()
      await storage.delete(other)
      for (const condition of [{}, { ifAbsent: true }]) {
        const put = storage.put(other, text('2'), condition)
        await expect(put, other).rejects.toThrow(
          /already exists and differs only in case; use that name, or another one/,
        )
        await expect(put, other).rejects.toBeInstanceOf(StorageError)
      }
    }
    expect((await storage.get('Track/Key'))?.bytes).toEqual(text('1'))
    await storage.put('Track/Other', text('3'))
    const keys = await keysOf(storage)
    expect(keys).toEqual(['Track/Key', 'Track/Other'])
  })
})

describe('a planted link', () => {
  it('is not followed by a save at any level of the path of a key', async () => {
    for (const planted of ['tracks', 'tracks/main', 'bundles', 'archive', 'checkpoints/main/log']) {
      const outside = await makeFolder()
      const store = await makeFolder()
      await mkdir(join(store, planted, '..'), { recursive: true })
      await symlink(outside, join(store, planted))
      const bundles = bundleStore(fileStorage(store))
      const { log, source } = sampleLog('a log\n')
      const run =
        planted === 'archive'
          ? bundles.archive(log, source)
          : planted.startsWith('checkpoints')
            ? checkpointStore(bundles.storage).save(checkpointNumber(1))
            : bundles.save(bundleNumber(1))
      await expect(run, planted).rejects.toThrow(
        /a symbolic link or a pipe is in its place \(ELOOP\); remove it/,
      )
      expect(await filesBelow(outside), planted).toEqual([])
    }
  })
})

describe('a LATEST that is a link or a folder', () => {
  for (const kind of ['link', 'dangling link', 'folder'] as const) {
    it(`is not followed, and costs no bundle and no checkpoint: ${kind}`, async () => {
      const outside = await makeFolder()
      const folder = await makeFolder()
      const store = bundleStore(fileStorage(folder))
      const [first, second] = [bundleNumber(1), bundleNumber(2)]
      await store.save(first)
      await checkpoint({ store, track: 'main', step: 'one', cwd: folder })
      const places = ['tracks/main/LATEST.json', 'tracks/main/LATEST.md', 'checkpoints/LATEST.json']
      for (const place of places) {
        const target = join(outside, place.replaceAll('/', '-'))
        if (kind === 'link') await writeFile(target, await readFile(join(folder, place)))
        await rm(join(folder, place))
        if (kind === 'folder') await mkdir(join(folder, place))
        else await symlink(target, join(folder, place))
      }
      const before = await filesBelow(outside)
      // A folder holds no value, and a LATEST that is missing is no fault.
      const links = kind === 'folder' ? 0 : 1
      expect((await verifyStore(store.storage)).findings.map(({ code }) => code)).toEqual(
        Array.from({ length: 2 * links }, () => 'latest-behind'),
      )
      expect((await verifyCheckpoints(store.storage)).findings.map(({ code }) => code)).toEqual(
        Array.from({ length: links }, () => 'checkpoint-latest'),
      )
      const latest = await store.latest('main')
      expect(latest?.bundle.id).toBe(first.id)
      if (kind === 'folder') expect(latest?.repaired).toMatch(/LATEST/)
      expect((await checkpointStore(store.storage).latest('main'))?.checkpoint.step).toBe('one')
      const saved = await store.save(second)
      if (kind === 'folder') expect(saved.warning).toMatch(/LATEST/)
      // A link is replaced by a file.
      else for (const place of places) expect((await lstat(join(folder, place))).isFile(), place).toBe(true)
      expect((await store.latest('main'))?.bundle.id).toBe(second.id)
      expect(await filesBelow(outside)).toEqual(before)
    })
  }
})

describe('the Git files of a new store', () => {
  const hints = ['.gitattributes', '.gitignore']

  it('are written with the first put, durably and completely', async () => {
    const folder = await makeFolder()
    const store = join(folder, 'store')
    expect(await fileStorage(store).get('a')).toBeUndefined()
    expect(await filesBelow(folder)).toEqual([])
    await fileStorage(store).put('a', text('1'))
    expect(await filesBelow(store)).toEqual([...hints, 'a'])
    expect(await readFile(join(store, '.gitignore'), 'utf8')).toMatch(/^\*$/m)
    expect(await readFile(join(store, '.gitattributes'), 'utf8')).toMatch(/^\* -text$/m)
  })

  it('are neither overwritten nor written again nor put into a folder that holds other things', async () => {
    const edited = await makeFolder()
    await writeFile(join(edited, '.gitignore'), '# mine\n')
    await fileStorage(edited).put('a', text('1'))
    expect(await readFile(join(edited, '.gitignore'), 'utf8')).toBe('# mine\n')
    await rm(join(edited, '.gitignore'))
    await fileStorage(edited).put('b', text('1'))
    expect(await filesBelow(edited)).toEqual(['.gitattributes', 'a', 'b'])

    const byHand = await makeFolder()
    await writeFile(join(byHand, 'AUTH-7.md'), '# by hand\n')
    await fileStorage(byHand).put('a', text('1'))
    expect(await filesBelow(byHand)).toEqual([...hints, 'AUTH-7.md', 'a'])

    const project = await makeFolder()
    await writeFile(join(project, 'package.json'), '{}')
    await fileStorage(project).put('a', text('1'))
    expect(await filesBelow(project)).toEqual(['a', 'package.json'])
  })

  it('are written again on a branch that has no store, where Git left what it ignores', async () => {
    const folder = await makeFolder()
    for (const path of ['archive/ab', 'tracks/main', 'checkpoints'])
      await mkdir(join(folder, path), { recursive: true })
    await writeFile(join(folder, 'tracks/main/LATEST.json'), '{}')
    await fileStorage(folder).put('bundles/a', text('1'))
    expect(await filesBelow(folder)).toEqual([...hints, 'bundles/a', 'tracks/main/LATEST.json'])
  })

  it('keep a store out of every commit unless it is shared', async () => {
    const ignored = async (options: { shared?: boolean }, before?: string): Promise<string> => {
      const folder = await makeFolder()
      if (before !== undefined) await writeFile(join(folder, before), '# by hand\n')
      await fileStorage(folder, options).put('a', text('1'))
      return await readFile(join(folder, '.gitignore'), 'utf8')
    }
    expect(await ignored({})).toBe(storeGitIgnore({ isShared: false }))
    expect(await ignored({ shared: true })).toBe(storeGitIgnore({ isShared: true }))
    // What people wrote by hand is in their commits.
    expect(await ignored({}, 'AUTH-7.md')).toBe(storeGitIgnore({ isShared: true }))
  })

  it('never make a put fail', async () => {
    const disk = memoryDisk({ image: { folders: ['/srv'], files: new Map() } })
    const link = async (from: string, to: string): Promise<void> => {
      if (to.includes('.git')) throw systemError('EIO')
      await disk.fs.link(from, to)
    }
    await createFileStorage(root, { ...disk.fs, link }).put('a', text('1'))
    expect([...disk.image().files.keys()]).toEqual([`${root}/a`])
  })

  const hasGit = spawnSync('git', ['--version']).status === 0
  it.skipIf(!hasGit)(
    'let Git track everything except copies, archives, dumps and jobs, and return the same bytes if it changes line ends',
    async () => {
      const repository = await makeFolder()
      const settings = ['core.autocrlf=true', 'core.safecrlf=false', 'user.name=a', 'user.email=a@b']
      const given = settings.flatMap((setting) => ['-c', setting])
      const git = (...args: string[]): string =>
        execFileSync('git', [...given, ...args], { cwd: repository, encoding: 'utf8', stdio: 'pipe' })
      git('init', '-q')
      const folder = join(repository, '.agents', 'bundles')
      const store = bundleStore(fileStorage(folder, { shared: true }))
      await store.save(bundleNumber(1))
      const { log, source } = sampleLog('a log\n')
      await store.archive(log, source)
      await writeFile(join(folder, 'tracks', 'main', '.LATEST.json.lock'), '')
      await writeFile(join(folder, 'bundles', '.x.json.0123456789abcdef.tmp'), '')
      for (const key of [
        ...['dumps/1/agent/conversation.jsonl', 'batches/1/job.json'],
        ...['queue/00', 'pruned/archive/00/1.br'],
      ])
        await store.storage.put(key, text('x'))
      git('add', '-A')
      const tracked = git('ls-files')
        .split('\n')
        .filter((path) => path !== '')
      expect(tracked.map((path) => path.replace('.agents/bundles/', ''))).toEqual([
        ...hints,
        `bundles/${bundleNumber(1).id}.json`,
        `bundles/${bundleNumber(1).id}.md`,
        `tracks/main/${bundleNumber(1).id}.json`,
      ])
      git('commit', '-q', '-m', 'a store')
      await rm(folder, { recursive: true })
      git('checkout', '-q', '--', '.')
      const latest = await bundleStore(fileStorage(folder)).latest('main')
      expect(latest?.bundle).toEqual(bundleNumber(1))
      expect(latest?.repaired).toBeUndefined()
      expect(git('status', '--porcelain')).toBe('')
      expect((await verifyStore(fileStorage(folder))).findings).toEqual([])
    },
  )
})
