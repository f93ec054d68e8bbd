import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  realpathSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { type FileManifest, type HaltDump, loadDump, restoreDump } from '../../src/entries/halt.ts'
import { memoryStorage } from '../../src/storage/memory-storage.ts'
import { type Folder, folderAt, makeFolder, makeRepository } from '../git/repository.ts'
import { dumpTo, jsonOf, treeOf, withPart } from './support.ts'

let repository: Folder
let dump: HaltDump
let head: string
const storage = memoryStorage()
const path = realpathSync(mkdtempSync(join(tmpdir(), 'tenfold-restore-test-')))

beforeAll(async () => {
  repository = folderAt(path)
  repository.git('init', '--quiet', '--initial-branch=main')
  head = repository.commit({ 'a.txt': 'a\n', 'b.txt': 'b\n' })
  repository.write({ 'a.txt': 'A\n', 'new.txt': 'new\n', 'ignored.log': 'log\n' })
  dump = await dumpOf(path, ['*.log'])
})
afterAll(() => rmSync(path, { recursive: true, force: true }))

async function dumpOf(sandboxRoot: string, snapshots: string[] = []): Promise<HaltDump> {
  return await loadDump(storage, (await dumpTo(storage, { sandboxRoot }, { snapshots })).haltId)
}

const into = (folder: string, from?: string, restored = dump) =>
  restoreDump(restored, folder, from === undefined ? {} : { repository: from })

describe('restoreDump', () => {
  it('fills a clean checkout that the caller made', async () => {
    const folder = join(makeFolder().path, 'tree')
    repository.git('worktree', 'add', '--quiet', '--detach', folder, head)
    expect(await into(folder)).toMatchObject({ ok: true, head, equal: 3, findings: [] })
    expect(treeOf(folder)).toEqual(treeOf(repository.path))
  })

  it('finds a head that is no longer on a branch', async () => {
    const lost = makeRepository()
    const first = lost.commit({ 'a.txt': 'a\n' })
    const before = await dumpOf(lost.path)
    lost.git('commit', '--quiet', '--amend', '--message', 'amended')
    const folder = join(makeFolder().path, 'new')
    const restored = await into(folder, lost.path, before)
    expect(restored).toMatchObject({ ok: true, head: first })
  })

  it('refuses a folder that is not empty, and leaves it alone', async () => {
    const folder = makeFolder()
    folder.write({ 'mine.txt': 'mine' })
    for (const from of [undefined, repository.path])
      await expect(into(folder.path, from)).rejects.toMatchObject({ code: 'restore-refused' })
    expect(treeOf(folder.path)).toEqual({ 'mine.txt': expect.any(String) })
  })

  it('refuses a checkout that is not clean, not at the head, not the top, or missing', async () => {
    const clone = (name: string): Folder => {
      repository.git('clone', '--quiet', '.', join(parent.path, name))
      return folderAt(join(parent.path, name))
    }
    const parent = makeFolder()
    const reasons: string[] = []
    const refusal = async (folder: string): Promise<void> => {
      reasons.push(
        await into(folder).then(
          () => 'restored',
          (error: Error) => error.message,
        ),
      )
    }
    const dirty = clone('dirty')
    dirty.write({ '.gitignore': '*.log\n', 'x.log': '' })
    dirty.git('add', '.gitignore')
    await refusal(dirty.path)
    const ignored = clone('ignored')
    writeFileSync(join(ignored.path, '.git/info/exclude'), '*.log\n')
    ignored.write({ 'x.log': 'mine' })
    await refusal(ignored.path)
    const ahead = clone('ahead')
    ahead.commit({ 'c.txt': 'c' })
    await refusal(ahead.path)
    const sub = join(clone('sub').path, 'folder')
    mkdirSync(sub)
    await refusal(sub)
    await refusal(join(parent.path, 'nowhere'))
    expect(reasons).toEqual([
      expect.stringMatching(/not a clean checkout/),
      expect.stringMatching(/not a clean checkout/),
      expect.stringMatching(/the dump was made at/),
      expect.stringMatching(/not the top folder/),
      expect.stringMatching(/does not exist\. Make a checkout of/),
    ])
  })

  it('refuses a repository without the head, and a folder that is not a repository', async () => {
    const other = makeRepository()
    other.commit({ 'x.txt': 'x' })
    const folder = (name: string) => join(makeFolder().path, name)
    await expect(into(folder('a'), other.path)).rejects.toThrow(/does not have the commit/)
    await expect(into(folder('b'), '/srv/no-repository')).rejects.toThrow(/cannot be cloned/)
    await expect(into(folder('c'), '--upload-pack=touch proof')).rejects.toThrow(/cannot be cloned/)
    await expect(into(folder('d'), 'ext::sh -c touch% proof')).rejects.toThrow(/cannot be cloned/)
    expect(existsSync('proof')).toBe(false)
  })

  it('refuses a dump without parts before it writes', async () => {
    const folder = join(makeFolder().path, 'new')
    const damaged = { ...dump, state: 'damaged' as const, parts: new Map() }
    await expect(into(folder, repository.path, damaged)).rejects.toThrow('is damaged')
    const none = { ...dump, parts: new Map() }
    await expect(into(folder, repository.path, none)).rejects.toThrow(/has no files to restore/)
    expect(existsSync(folder)).toBe(false)
  })

  it('reports every file that differs from the dump', async () => {
    const changed = withPart(dump, 'filesystem/file-snapshots/a.txt', 'other')
    const parts = new Map([...changed.parts].filter(([path]) => !path.endsWith('new.txt')))
    const restored = await into(join(makeFolder().path, 'new'), repository.path, { ...dump, parts })
    expect(restored.ok).toBe(false)
    expect(restored.findings.map(({ code, path }) => `${code} ${path}`)).toEqual([
      'differs a.txt',
      'not-stored new.txt',
    ])
  })
})

describe('a hostile dump', () => {
  const outside = (): Folder => {
    const folder = makeFolder()
    folder.write({ 'target.txt': 'untouched' })
    return folder
  }

  it('writes no snapshot outside of its folder, nor into .git', async () => {
    const sandbox = outside()
    const made = await dumpOf(sandbox.path, ['*'])
    const manifest = 'filesystem/file-manifest.json'
    const files: FileManifest = await jsonOf(storage, made.haltId, manifest)
    const paths = [
      '../out.txt',
      '/tmp/tenfold-out',
      '.git/config',
      'x/../../out.txt',
      '.GIT/hooks/x',
      'a\0b',
      './a',
      'x/.git. /y',
    ]
    for (const bad of paths) {
      const changed = files.files.map((entry) => ({ ...entry, path: bad }))
      const hostile = withPart(made, manifest, JSON.stringify({ ...files, files: changed }))
      const parent = makeFolder()
      const restored = await into(join(parent.path, 'new'), undefined, hostile)
      expect(restored.ok).toBe(false)
      expect(restored.findings.map(({ code }) => code)).toContain('refused')
      expect(treeOf(parent.path)).toEqual({})
    }
    expect(existsSync('/tmp/tenfold-out')).toBe(false)
  })

  it('writes and deletes nothing through a link', async () => {
    const { path: target } = outside()
    const linked = makeRepository()
    symlinkSync(target, join(linked.path, 'way'))
    const made = await dumpOf(linked.path)
    const manifest = 'filesystem/file-manifest.json'
    const files: FileManifest = await jsonOf(storage, made.haltId, manifest)
    linked.commit({})
    for (const status of ['added', 'deleted'] as const) {
      const through = files.files.map((entry) => ({ ...entry, status, path: 'way/target.txt' }))
      const all = JSON.stringify({ ...files, files: [...files.files, ...through] })
      const restored = await into(join(makeFolder().path, 'new'), undefined, withPart(made, manifest, all))
      expect(restored.findings.map(({ code, path }) => [code, path])).toEqual(
        status === 'added' ? [['refused', 'way/target.txt']] : [],
      )
      const head = linked.git('rev-parse', 'HEAD').trim()
      const tracked = JSON.stringify({ ...files, head, files: through })
      const again = withPart(made, manifest, tracked)
      expect(await into(join(makeFolder().path, 'new'), linked.path, again)).toMatchObject({
        findings: [{ code: 'refused', path: 'way/target.txt' }],
      })
    }
    expect(readFileSync(join(target, 'target.txt'), 'utf8')).toBe('untouched')
  })
})
