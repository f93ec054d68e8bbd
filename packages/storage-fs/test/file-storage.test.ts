import { lstat, mkdir, readdir, readFile, rename, rm, symlink, utimes, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { StorageError } from '@tenfold/core'
import { storageCases } from '@tenfold/core/testing'
import { describe, expect, it } from 'vitest'
import { everyPoint } from '../../../test/support/repeats.ts'
import { keysOf } from '../../core/test/support/stored.ts'
import { createFileStorage, fileStorage } from '../src/file-storage.ts'
import { sweepTemporaries } from '../src/sweep-temporaries.ts'
import { failingFileSystem, systemError } from './support/failing-file-system.ts'
import { keyFilesBelow, makeFolder } from './support/folder.ts'

const text = (value: string): Uint8Array => new TextEncoder().encode(value)

describe('fileStorage keeps the laws of Storage', () => {
  for (const { name, run } of storageCases) {
    it(name, () => run(async () => fileStorage(join(await makeFolder(), 'store'))), 30_000)
  }
})

// Between two calls that block nothing else of a process runs: `npm run soak` has the races too, and the thousand keys.
const blocked = storageCases.filter(({ name }) => everyPoint || !/1,000|parallel|writers|while/.test(name))

describe('fileStorage keeps the laws of Storage if it blocks', () => {
  for (const { name, run } of blocked) {
    it(
      name,
      () => run(async () => fileStorage(join(await makeFolder(), 'store'), { blocking: true })),
      30_000,
    )
  }
})

describe('fileStorage keeps the laws without hard links', () => {
  const fs = failingFileSystem({
    before(call) {
      if (call === 'link') throw systemError('EPERM')
    },
  })
  for (const { name, run } of storageCases.filter((subject) => /ifAbsent|missing|swap/.test(subject.name))) {
    it(name, () => run(async () => createFileStorage(await makeFolder(), fs)), 30_000)
  }
})

describe('files of a storage', () => {
  it('are in the folder that the storage names, by its full path', () => {
    expect(fileStorage('some/./store').folder).toBe(join(process.cwd(), 'some/store'))
  })

  it('are readable by their owner only, and each is under its key with nothing next to it', async () => {
    const root = await makeFolder()
    const storage = fileStorage(root)
    await storage.put('a/b/c.json', text('1'))
    await storage.put('a/b/c.json', text('2'), { ifMatch: (await storage.get('a/b/c.json'))?.etag ?? '' })
    await storage.put('a/d.json', text('3'), { ifAbsent: true })
    expect(await keyFilesBelow(root)).toEqual(['a/b/c.json', 'a/d.json'])
    expect(await readFile(join(root, 'a/b/c.json'), 'utf8')).toBe('2')
    expect((await lstat(join(root, 'a/b/c.json'))).mode & 0o777).toBe(0o600)
  })

  it('can be refused before one is written', async () => {
    const root = await makeFolder()
    const storage = fileStorage(join(root, 'new/store'))
    await storage.assertWritable?.('a/b')
    expect(await readdir(root)).toEqual([])
    await writeFile(join(root, 'new'), 'a file')
    await expect(storage.assertWritable?.('a/b')).rejects.toThrow(/a file is where a folder is needed/)
    const readOnly = failingFileSystem({
      before(call) {
        if (call === 'access') throw systemError('EROFS')
      },
    })
    const refused = createFileStorage(root, readOnly).assertWritable?.('a/b')
    await expect(refused).rejects.toMatchObject({ code: 'storage-failed', key: 'a/b' })
  })

  it('are found by another storage over the same folder', async () => {
    const root = await makeFolder()
    const { etag } = await fileStorage(root).put('key', text('value'))
    expect(await fileStorage(root).get('key')).toEqual({ bytes: text('value'), etag })
  })

  it('come back after the folder was removed under a running storage', async () => {
    const root = await makeFolder()
    const storage = fileStorage(join(root, 'store'))
    await storage.put('a/b', text('1'))
    await rm(join(root, 'store'), { recursive: true })
    expect(await storage.get('a/b')).toBeUndefined()
    await storage.put('a/b', text('2'))
    expect(await keyFilesBelow(root)).toEqual(['store/a/b'])
  })

  it('are not listed if they are not keys: temporary files, locks, dot files, odd names', async () => {
    const root = await makeFolder()
    const storage = fileStorage(root)
    await storage.put('log/1.json', text('1'))
    for (const name of [
      '.1.json.0123456789abcdef.tmp',
      '.1.json.lock',
      '.DS_Store',
      'a b',
      'caf\u00e9',
      'dot.',
    ])
      await writeFile(join(root, 'log', name), 'x')
    const keys = await keysOf(storage)
    expect(keys).toEqual(['log/1.json'])
  })
})

describe('symbolic links below the root', () => {
  it('are not followed by any call', async () => {
    const outside = await makeFolder()
    const root = await makeFolder()
    await writeFile(join(outside, 'secret'), 'outside')
    await mkdir(join(root, 'bundles'))
    await symlink(join(outside, 'secret'), join(root, 'bundles', 'file'))
    await symlink(outside, join(root, 'folder'))
    await symlink(join(outside, 'new'), join(root, 'bundles', 'dangling'))
    const storage = fileStorage(root)

    await expect(storage.get('bundles/file')).rejects.toThrow(/symbolic link/)
    await expect(storage.get('folder/secret')).rejects.toThrow(/symbolic link/)
    await expect(storage.put('folder/secret', text('x'))).rejects.toThrow(/symbolic link/)
    await expect(storage.put('folder/sub/secret', text('x'))).rejects.toThrow(/symbolic link/)
    await expect(storage.put('folder/new', text('x'), { ifAbsent: true })).rejects.toThrow(/symbolic link/)
    await expect(storage.delete('folder/secret')).rejects.toThrow(/symbolic link/)
    await expect(storage.put('bundles/dangling', text('x'), { ifAbsent: true })).rejects.toThrow(
      /exists already/,
    )
    for (const prefix of ['', 'folder/', 'folder/s', 'bundles/']) {
      for await (const { key } of storage.list(prefix)) expect.unreachable(`listed ${key}`)
    }
    // A put replaces the link itself.
    await storage.put('bundles/file', text('inside'))
    expect(await readFile(join(root, 'bundles/file'), 'utf8')).toBe('inside')
    expect(await readFile(join(outside, 'secret'), 'utf8')).toBe('outside')
    expect(await readdir(outside)).toEqual(['secret'])
  })

  it('are refused if one replaces a folder in use', async () => {
    const outside = await makeFolder()
    const root = await makeFolder()
    const storage = fileStorage(root)
    await storage.put('a/1', text('1'))
    await rename(join(root, 'a'), join(outside, 'a'))
    await symlink(join(outside, 'a'), join(root, 'a'))
    await expect(storage.put('a/2', text('2'))).rejects.toThrow(/symbolic link/)
    await expect(storage.get('a/1')).rejects.toThrow(StorageError)
    expect(await readdir(join(outside, 'a'))).toEqual(['1'])
  })

  it('are followed above the root, where they are up to its owner', async () => {
    const folder = await makeFolder()
    await mkdir(join(folder, 'real'))
    await symlink(join(folder, 'real'), join(folder, 'link'))
    await fileStorage(join(folder, 'link')).put('a/b', text('1'))
    expect(await keyFilesBelow(join(folder, 'real'))).toEqual(['a/b'])
  })
})

describe('sweepTemporaries', () => {
  it('removes old temporary files and claims, and nothing else', async () => {
    const root = await makeFolder()
    await mkdir(join(root, 'a'))
    const old = ['a/.x.json.0123456789abcdef.tmp', 'a/.x.json.lock.0123456789abcdef']
    const others = ['a/.x.json.lock', 'a/x.json', 'a/x.tmp', 'a/.note.tmp']
    for (const name of [...old, ...others]) {
      await writeFile(join(root, name), 'x')
      await utimes(join(root, name), new Date(0), new Date(0))
    }
    await writeFile(join(root, 'a/.y.json.0123456789abcdef.tmp'), 'young')
    expect((await sweepTemporaries(root)).sort()).toEqual(old.map((name) => join(root, name)))
    expect(await keyFilesBelow(root)).toEqual([...others, 'a/.y.json.0123456789abcdef.tmp'].sort())
  })

  it('runs before the first put', async () => {
    const root = await makeFolder()
    const path = join(root, '.x.0123456789abcdef.tmp')
    await writeFile(path, 'x')
    await utimes(path, new Date(0), new Date(0))
    await fileStorage(root).put('y', text('1'))
    expect(await keyFilesBelow(root)).toEqual(['y'])
  })
})
