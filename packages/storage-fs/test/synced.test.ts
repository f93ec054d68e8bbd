import { describe, expect, it } from 'vitest'
import { createFileStorage, fileStorage } from '../src/file-storage.ts'
import { failingFileSystem } from './support/failing-file-system.ts'
import { makeFolder } from './support/folder.ts'

const text = (value: string): Uint8Array => new TextEncoder().encode(value)
const isFolderCall = (path: string): boolean => path.endsWith('/a')

describe('the order of syncs', () => {
  it('is each new folder into its parent, the file before its name, the folder after it', async () => {
    const root = await makeFolder()
    const calls: string[] = []
    const fs = failingFileSystem({
      before(call, path) {
        if (['file.sync', 'rename', 'link', 'mkdir'].includes(call) && !path.includes('.git'))
          calls.push(`${call} ${path.slice(root.length)}`)
      },
    })
    await createFileStorage(root, fs).put('a/b/key', text('1'), { ifAbsent: true })
    expect(calls.map((call) => call.replace(/[0-9a-f]{16}/, 'HEX'))).toEqual([
      'mkdir ',
      // The folder above the root, then the root that got its files for Git.
      'file.sync ',
      'file.sync ',
      'file.sync ',
      'mkdir /a',
      'file.sync ',
      'mkdir /a/b',
      'file.sync /a',
      'file.sync /a/b/.key.HEX.tmp',
      'link /a/b/key',
      'file.sync /a/b',
    ])
  })

  it('is the same for a staged file, whose name and folder are known last', async () => {
    const root = await makeFolder()
    await fileStorage(root).put('a/1', text('1'))
    const calls: string[] = []
    const fs = failingFileSystem({
      before(call, path) {
        if (['file.sync', 'rename', 'link', 'mkdir'].includes(call))
          calls.push(`${call} ${path.slice(root.length)}`.replace(/[0-9a-f]{16}/, 'HEX'))
      },
    })
    const staged = await createFileStorage(root, fs).stage?.('a/')
    await staged?.write(text('1'))
    calls.length = 0
    await staged?.put('a/b/key', { ifAbsent: true })
    expect(calls).toEqual([
      'file.sync /a/.staged.HEX.tmp',
      'mkdir /a/b',
      'file.sync /a',
      'link /a/b/key',
      'file.sync /a/b',
    ])
  })

  it('includes a folder that another process made', async () => {
    const root = await makeFolder()
    await fileStorage(root).put('a/1', text('1'))
    const synced: string[] = []
    const fs = failingFileSystem({
      before(call, path) {
        if (call === 'file.sync' && isFolderCall(path)) synced.push('a')
        if (call === 'file.sync' && path === root) synced.push('root')
      },
    })
    const storage = createFileStorage(root, fs)
    await storage.put('a/2', text('2'))
    await storage.put('a/3', text('3'))
    expect(synced).toEqual(['root', 'a', 'a'])
  })
})
