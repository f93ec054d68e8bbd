import { mkdirSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { loadDump, restoreDump } from '../../src/entries/halt.ts'
import { memoryStorage } from '../../src/storage/memory-storage.ts'
import { folderAt, makeFolder, makeRepository } from '../git/repository.ts'
import { changedRepository, dumpTo, jsonOf, textsOf, treeOf } from './support.ts'

/** Settings that change what `git diff` prints; none of them may change a dump. */
const userSettings = [
  ['diff.noprefix', 'true'],
  ['diff.mnemonicPrefix', 'true'],
  ['diff.external', 'false'],
  ['color.ui', 'always'],
  ['diff.context', '0'],
  ['diff.renames', 'copies'],
  ['core.quotePath', 'true'],
  ['core.splitIndex', 'true'],
] as const

/** Index and objects of a repository, as they are on disk. */
function gitFolder(path: string): Record<string, string> {
  return treeOf(join(path, '.git'))
}

async function patchOf(storage: ReturnType<typeof memoryStorage>, haltId: string): Promise<Uint8Array> {
  return (await loadDump(storage, haltId)).parts.get('filesystem/git-diff.patch') ?? new Uint8Array()
}

describe('the files of a dump', () => {
  it('restore staged, unstaged and untracked changes', async () => {
    const repository = changedRepository()
    for (const [name, value] of userSettings) repository.git('config', name, value)
    // Git rewrites the index by these settings.
    const status = repository.git('status')
    const before = { tree: treeOf(repository.path), git: gitFolder(repository.path) }
    const storage = memoryStorage()
    const { haltId, missing, notes } = await dumpTo(storage, { sandboxRoot: repository.path })
    expect(missing.map(({ code }) => code)).not.toContain('failed')
    expect(notes).toEqual([])
    expect(gitFolder(repository.path)).toEqual(before.git)
    expect(treeOf(repository.path)).toEqual(before.tree)
    const { 'noise.log': ignored, ...wanted } = before.tree
    expect(ignored).toBeDefined()

    const folder = join(makeFolder().path, 'new')
    const restored = await restoreDump(await loadDump(storage, haltId), folder, {
      repository: repository.path,
    })
    expect(restored).toMatchObject({ ok: true, findings: [] })
    expect(treeOf(folder)).toEqual(wanted)

    const patch = Buffer.from(await patchOf(storage, haltId)).toString()
    expect(patch).toMatch(/^diff --git a\/both\.txt b\/both\.txt\n[\s\S]*\n-two\n\+TWO\n three\n\+four\n/m)
    expect(repository.git('status')).toBe(status)
  })

  it('contain a change of equal size made at the moment of the commit', async () => {
    const repository = makeRepository()
    const storage = memoryStorage()
    repository.commit({ 'a.txt': 'aaaa\n' })
    repository.write({ 'a.txt': 'bbbb\n' })
    const { haltId } = await dumpTo(storage, { sandboxRoot: repository.path })
    expect(Buffer.from(await patchOf(storage, haltId)).toString()).toContain('+bbbb')
  })

  it('begin from nothing before the first commit', async () => {
    const repository = makeRepository()
    repository.write({ 'staged.txt': 'a\n', 'new.txt': 'b\n' })
    repository.git('add', 'staged.txt')
    const storage = memoryStorage()
    const { haltId, state } = await dumpTo(storage, { sandboxRoot: repository.path })
    expect(state).toBe('complete')
    const folder = join(makeFolder().path, 'new')
    expect(await restoreDump(await loadDump(storage, haltId), folder)).toMatchObject({ ok: true, equal: 2 })
    expect(treeOf(folder)).toEqual(treeOf(repository.path))
  })

  it('cover the whole repository if the sandbox is a folder of it, but not the store', async () => {
    const repository = makeRepository()
    repository.commit({ 'a.txt': 'a\n', 'sub/b.txt': 'b\n' })
    repository.write({ 'a.txt': 'A\n', 'sub/b.txt': 'B\n', 'sub/.store/secret.json': '{}' })
    const storage = memoryStorage()
    const sandboxRoot = join(repository.path, 'sub')
    const { haltId } = await dumpTo(storage, { sandboxRoot }, { ignore: ['.store'], snapshots: ['*.txt'] })
    const { files, root } = await jsonOf(storage, haltId, 'filesystem/file-manifest.json')
    expect(root).toBe(repository.path)
    expect(files.map(({ path, status }: { path: string; status: string }) => [path, status])).toEqual([
      ['a.txt', 'modified'],
      ['sub/b.txt', 'modified'],
    ])
  })

  it('contain a conflict as it is in the work tree', async () => {
    const repository = makeRepository()
    repository.commit({ 'a.txt': 'base\n' })
    repository.git('checkout', '--quiet', '-b', 'other')
    repository.commit({ 'a.txt': 'other\n' })
    repository.git('checkout', '--quiet', 'main')
    repository.commit({ 'a.txt': 'main\n' })
    expect(() => repository.git('merge', 'other')).toThrow()
    const storage = memoryStorage()
    const { haltId } = await dumpTo(storage, { sandboxRoot: repository.path })
    const folder = join(makeFolder().path, 'new')
    expect(
      await restoreDump(await loadDump(storage, haltId), folder, { repository: repository.path }),
    ).toMatchObject({
      ok: true,
    })
    expect(readFileSync(join(folder, 'a.txt'), 'utf8')).toContain('<<<<<<<')
    expect(repository.git('ls-files', '--unmerged')).not.toBe('')
  })
})

describe('what a dump cannot hold is reported', () => {
  it('outside a repository, in a bare one, and for a folder that does not exist', async () => {
    const plain = makeFolder()
    plain.write({ 'a.txt': 'a\n', 'deep/b.txt': 'b\n' })
    const bare = makeRepository('--bare')
    const storage = memoryStorage()
    const reasons = async (sandboxRoot: string): Promise<unknown> => {
      const { missing, state } = await dumpTo(storage, { sandboxRoot })
      return [state, missing.find(({ path }) => path.endsWith('.patch'))]
    }
    expect(await reasons(plain.path)).toMatchObject(
      ['complete', { code: 'none', reason: /no Git repository/ }].map(some),
    )
    expect(await reasons(bare.path)).toMatchObject(['complete', { code: 'none', reason: /bare/ }].map(some))
    expect(await reasons('/srv/not-there')).toMatchObject(
      ['partial', { code: 'failed', reason: /no folder/ }].map(some),
    )
  })

  it('while the files of a plain folder are listed, and those that globs name are stored', async () => {
    const plain = makeFolder()
    plain.write({ 'a.txt': 'a\n', 'deep/b.log': 'b\n', 'deep/er/c.log': 'c\n' })
    const storage = memoryStorage()
    const { haltId } = await dumpTo(
      storage,
      { sandboxRoot: plain.path },
      { snapshots: ['deep/**/*.{log,out}'] },
    )
    const folder = join(makeFolder().path, 'new')
    const restored = await restoreDump(await loadDump(storage, haltId), folder)
    expect(restored.findings).toEqual([
      {
        code: 'not-stored',
        path: 'a.txt',
        message: 'a.txt is not in the dump: no pattern of `snapshots` matches it',
      },
    ])
    expect(Object.keys(treeOf(folder))).toEqual(['deep/b.log', 'deep/er/c.log'])
  })

  it('for files over the limits, nested repositories, changed submodules, and names that are not UTF-8', async () => {
    const inner = makeRepository()
    inner.commit({ 'inner.txt': 'x\n' })
    const repository = makeRepository()
    repository.commit({ 'a.txt': 'a\n' })
    repository.git('submodule', '--quiet', 'add', inner.path, 'module')
    repository.git('commit', '--quiet', '--message', 'with a submodule')
    folderAt(join(repository.path, 'module')).write({ 'inner.txt': 'changed\n' })
    mkdirSync(join(repository.path, 'nested'))
    folderAt(join(repository.path, 'nested')).git('init', '--quiet')
    repository.write({ 'nested/file.txt': 'x\n', 'huge.txt': 'x'.repeat(5000), 'small.txt': 'y\n' })
    symlinkSync('/etc/passwd', join(repository.path, 'link'))
    writeFileSync(Buffer.concat([Buffer.from(`${repository.path}/z-`), Buffer.from([0xff])]), 'x')
    const storage = memoryStorage()
    const { haltId, notes } = await dumpTo(
      storage,
      { sandboxRoot: repository.path },
      { limits: { file: 1000 }, snapshots: ['huge.txt', 'link'] },
    )
    expect(notes.map(({ message }) => message).sort()).toEqual([
      'not stored, file-manifest.json says why: huge.txt, nested/, z-\ufffd',
      'the dump leaves out what changed in the submodule module',
    ])
    const { files } = await jsonOf(storage, haltId, 'filesystem/file-manifest.json')
    expect(files).toMatchObject([
      { path: 'huge.txt', reason: 'it is larger than 1000 bytes' },
      { path: 'link', mode: '120000' },
      { path: 'nested/', reason: 'it is a separate repository' },
      { path: 'small.txt', part: 'filesystem/file-snapshots/small.txt' },
      { path: 'z-\ufffd', reason: 'its name is not UTF-8' },
    ])
    const restored = await restoreDump(await loadDump(storage, haltId), join(makeFolder().path, 'new'), {
      repository: repository.path,
    })
    expect(restored.ok).toBe(true)
    expect(restored.findings.map(({ code, path }) => [code, path])).toEqual([
      ['not-stored', 'huge.txt'],
      ['not-stored', 'nested/'],
      ['not-stored', 'z-\ufffd'],
    ])
  })

  it('not for a file with a filter, which is stored as it is', async () => {
    const repository = makeRepository()
    repository.git('config', 'filter.vault.clean', 'echo pointer')
    repository.commit({ '.gitattributes': '*.big filter=vault\n', 'old.big': 'content\n' })
    repository.write({ 'a.big': 'content\n', 'b.txt': 'b\n', 'old.big': 'changed\n' })
    const storage = memoryStorage()
    for (const gitFilters of [false, true]) {
      const { haltId } = await dumpTo(
        storage,
        { sandboxRoot: repository.path },
        { gitFilters, snapshots: ['*.big'] },
      )
      const folder = join(makeFolder().path, 'new')
      const restored = await restoreDump(await loadDump(storage, haltId), folder, {
        repository: repository.path,
      })
      expect(restored).toMatchObject({ ok: true, findings: [] })
      for (const [name, text] of [
        ['a.big', 'content\n'],
        ['old.big', 'changed\n'],
      ] as const)
        expect(readFileSync(join(folder, name), 'utf8')).toBe(text)
    }
  })

  it('if git fails or the patch is too large; there is a file manifest anyway', async () => {
    const repository = makeRepository()
    repository.commit({ 'a.txt': 'a\n' })
    repository.write({ 'a.txt': `${'x'.repeat(2000)}\n` })
    const storage = memoryStorage()
    const large = await dumpTo(storage, { sandboxRoot: repository.path }, { limits: { patch: 500 } })
    expect(large).toMatchObject({ state: 'partial' })
    expect(large.missing).toContainEqual({
      path: 'filesystem/git-diff.patch',
      code: 'too-large',
      reason: 'git diff-index printed more than 500 bytes',
    })
    rmSync(join(repository.path, '.git/index'))
    mkdirSync(join(repository.path, '.git/index'))
    const broken = await dumpTo(storage, { sandboxRoot: repository.path })
    expect(broken.missing).toContainEqual(
      expect.objectContaining({ path: 'filesystem/git-diff.patch', code: 'failed' }),
    )
    expect([...(await textsOf(storage)).keys()]).toContain(
      `dumps/${broken.haltId}/filesystem/file-manifest.json`,
    )
  })
})

/** Whether a pattern matches a text. */
function some(value: unknown): unknown {
  if (typeof value !== 'object' || value === null) return value
  return Object.fromEntries(
    Object.entries(value).map(([key, of]) => [key, of instanceof RegExp ? expect.stringMatching(of) : of]),
  )
}
