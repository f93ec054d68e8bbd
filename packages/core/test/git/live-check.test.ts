import { chmodSync, existsSync, symlinkSync, unlinkSync, utimesSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it, onTestFinished, vi } from 'vitest'
import type { GitClaim } from '../../src/git/compare-git.ts'
import { type ClaimedFile, fileState, liveCheck } from '../../src/git/live-check.ts'
import { readGit } from '../../src/git/read-git.ts'
import { type Folder, makeFolder, makeRepository } from './repository.ts'

async function claimOf(folder: Folder): Promise<GitClaim> {
  const git = await readGit(folder.path)
  if (git.state !== 'repository') throw new Error(`no repository: ${git.state}`)
  return git
}

/** Codes of what no longer holds of a claim about the repository alone. */
async function codes(git: GitClaim, folder: Folder): Promise<string[]> {
  const { findings, holds } = await liveCheck({ git }, folder.path)
  expect(holds).toBe(findings.length === 0)
  return findings.map(({ code }) => code)
}

async function messages(git: GitClaim, folder: Folder): Promise<string> {
  return (await liveCheck({ git }, folder.path)).findings.map(({ message }) => message).join('\n')
}

describe('liveCheck of a repository', () => {
  it('confirms a claim while nothing changed', async () => {
    const repository = makeRepository()
    repository.commit({ a: '1' })
    expect(await codes(await claimOf(repository), repository)).toEqual([])
    repository.write({ b: '2', 'new folder/c': '3' })
    expect(await codes(await claimOf(repository), repository)).toEqual([])
    repository.git('checkout', '--quiet', '--detach')
    expect(await codes(await claimOf(repository), repository)).toEqual([])
    expect(await codes({}, repository)).toEqual([])
  })

  it('accepts abbreviated heads in either case', async () => {
    const repository = makeRepository()
    const head = repository.commit({ a: '1' })
    expect(await codes({ head: head.slice(0, 7) }, repository)).toEqual([])
    expect(await codes({ head: head.slice(0, 9).toUpperCase() }, repository)).toEqual([])
  })

  it('detects a head that advanced, and one that went back', async () => {
    const repository = makeRepository()
    repository.commit({ a: '1' })
    const first = await claimOf(repository)
    repository.commit({ a: '2' })
    repository.commit({ a: '3' })
    const third = await claimOf(repository)
    expect(await codes(first, repository)).toEqual(['head-ahead'])
    expect(await messages(first, repository)).toContain('2 commits newer')
    repository.git('branch', 'keep')
    repository.git('reset', '--quiet', '--hard', 'HEAD~2')
    expect(await codes(third, repository)).toEqual(['head-behind'])
    expect(await messages(third, repository)).toMatch(/2 commits back; \w{12} is on keep/)
  })

  it('detects a rebase, and that nothing refers to the old head any more', async () => {
    const repository = makeRepository()
    repository.commit({ a: '1' })
    repository.git('checkout', '--quiet', '-b', 'work')
    repository.commit({ b: '1' })
    const before = await claimOf(repository)
    repository.git('checkout', '--quiet', 'main')
    repository.commit({ c: '1' })
    repository.git('checkout', '--quiet', 'work')
    repository.git('rebase', '--quiet', 'main')
    expect(await codes(before, repository)).toEqual(['head-diverged'])
    expect(await messages(before, repository)).toMatch(
      /1 commit from then is not in it, 2 commits are new .*no branch or tag holds/,
    )
  })

  it('detects another branch, and a deleted one', async () => {
    const repository = makeRepository()
    repository.commit({ a: '1' })
    repository.git('checkout', '--quiet', '-b', 'work')
    const before = await claimOf(repository)
    repository.git('checkout', '--quiet', 'main')
    expect(await codes(before, repository)).toEqual(['branch-changed'])
    repository.git('branch', '--quiet', '-D', 'work')
    expect(await codes(before, repository)).toEqual(['branch-changed', 'branch-gone'])
    repository.git('checkout', '--quiet', '--detach')
    expect(await messages(before, repository)).toContain('the head is detached, it was work')
  })

  it('detects a head from another repository', async () => {
    const other = makeRepository()
    other.commit({ z: '9' }, 'elsewhere')
    const repository = makeRepository()
    expect(await codes({ head: await headOf(other) }, repository)).toEqual(['head-unknown'])
    repository.commit({ a: '1' })
    expect(await codes({ head: await headOf(other) }, repository)).toEqual(['head-unknown'])
  })

  it('never passes git anything that is not a commit id', async () => {
    const repository = makeRepository()
    repository.commit({ a: '1' })
    for (const head of ['--output=stolen', 'HEAD', 'main', '-1234567', 'abcdef1\n', ''])
      expect(await codes({ head }, repository)).toEqual([])
    expect(await codes({ branch: '--all' }, repository)).toEqual(['branch-changed', 'branch-gone'])
    expect((await claimOf(repository)).files).toEqual([])
  })

  it('detects new commits of the upstream', async () => {
    const origin = makeRepository()
    origin.commit({ a: '1' })
    const clone = makeFolder()
    clone.git('clone', '--quiet', origin.path, '.')
    const before = await claimOf(clone)
    origin.commit({ a: '2' })
    expect(await codes(before, clone)).toEqual([])
    clone.git('fetch', '--quiet')
    expect(await codes(before, clone)).toEqual(['upstream-ahead'])
    expect(await messages(before, clone)).toBe(
      'origin/main has 1 commit that is not here (as of the last fetch)',
    )
    expect(await codes(await claimOf(clone), clone)).toEqual([])
  })

  it('detects a tree that became dirty, dirtier, or clean', async () => {
    const repository = makeRepository()
    repository.commit({ a: '1', b: '1' })
    const clean = await claimOf(repository)
    repository.write({ 'line\nbreak': '2' })
    const dirty = await claimOf(repository)
    expect(await codes(clean, repository)).toEqual(['now-dirty'])
    expect(await messages(clean, repository)).toContain('"line\\nbreak"')
    expect(await messages(clean, repository)).not.toContain('\n')
    repository.write({ b: '2' })
    expect(await messages(dirty, repository)).toMatch(/^1 file is .* not then: b$/)
    repository.git('add', '--all')
    repository.git('stash', '--quiet')
    expect(await codes(dirty, repository)).toEqual(['now-clean'])
  })

  it('reports that it cannot compare', async () => {
    const folder = makeFolder()
    expect(await messages({ branch: 'main' }, folder)).toBe(
      'cannot compare: this folder is not in a Git repository',
    )
    expect(await codes({}, folder)).toEqual([])
  })
})

async function headOf(folder: Folder): Promise<string> {
  return (await claimOf(folder)).head ?? ''
}

describe('liveCheck of files', () => {
  const check = async (
    folder: Folder,
    files: { path: string; digest?: string; head?: string; at?: string }[],
  ) => (await liveCheck({ files }, folder.path)).findings.map(({ code, path }) => `${code} ${path}`)

  it('compares digests if there are any', async () => {
    const folder = makeFolder()
    folder.write({ same: '1', other: '1', gone: '1' })
    symlinkSync('same', join(folder.path, 'link'))
    const files = await Promise.all(
      ['same', 'other', 'gone', 'link'].map(async (path) => {
        const { digest } = await fileState(join(folder.path, path))
        return { path, ...(digest !== undefined && { digest }), at: '2000-01-01T00:00:00.000Z' }
      }),
    )
    expect(files.map(({ digest }) => digest?.length)).toEqual([16, 16, 16, 16])
    expect(await check(folder, files)).toEqual([])
    folder.write({ other: '2', same: '1' })
    unlinkSync(join(folder.path, 'gone'))
    unlinkSync(join(folder.path, 'link'))
    symlinkSync('other', join(folder.path, 'link'))
    expect(await check(folder, files)).toEqual(['file-gone gone', 'file-changed other', 'file-changed link'])
  })

  it('compares the time of the last change without a repository', async () => {
    const folder = makeFolder()
    folder.write({ old: '1', fresh: '1' })
    utimesSync(join(folder.path, 'old'), new Date('2020-01-01'), new Date('2020-01-01'))
    const at = '2021-01-01T00:00:00.000Z'
    expect(
      await check(folder, [{ path: 'old', at }, { path: 'fresh', at }, { path: 'none' }, { path: 'fresh' }]),
    ).toEqual(['file-gone none'])
    expect(
      await check(folder, [
        { path: 'old', at },
        { path: 'fresh', at },
      ]),
    ).toEqual(['file-changed fresh'])
  })

  it('compares the recorded head and the time in a repository', async () => {
    const repository = makeRepository()
    const head = repository.commit({
      same: '1',
      committed: '1',
      edited: '1',
      'sub/x y': '1',
      'de\nleted': '1',
    })
    const at = '2020-01-01T00:00:00.000Z'
    const claims = ['same', 'committed', 'edited', 'sub/x y', 'de\nleted', 'untracked'].map((path) => ({
      path,
      head,
      at,
    }))
    repository.commit({ committed: '2' })
    repository.write({ edited: '2', untracked: '1' })
    unlinkSync(join(repository.path, 'de\nleted'))
    expect(await check(repository, claims)).toEqual([
      'file-gone de\nleted',
      'file-changed committed',
      'file-changed edited',
      'file-changed untracked',
    ])
    // What differs from the head but was written before the claim is work of that time.
    const later = claims.map((claim) => ({ ...claim, at: '2999-01-01T00:00:00.000Z' }))
    expect(await check(repository, later)).toEqual(['file-gone de\nleted'])
  })

  it('asks git only about a file that is newer than its claim and has no digest', async () => {
    const repository = makeRepository()
    const head = repository.commit({ known: '1', old: '1', fresh: '1' })
    const git = await readGit(repository.path)
    const { digest } = await fileState(join(repository.path, 'known'))
    const before = '2020-01-01T00:00:00.000Z'
    const decided = [
      { path: 'known', head, at: before, ...(digest !== undefined && { digest }) },
      { path: 'old', head, at: '2999-01-01T00:00:00.000Z' },
      { path: 'gone', head, at: before },
    ]
    const folder = makeFolder()
    folder.write({ git: `#!/bin/sh\necho "$@" >> "${folder.path}/asked"\nexit 1\n` })
    chmodSync(join(folder.path, 'git'), 0o755)
    vi.stubEnv('PATH', `${folder.path}:${process.env.PATH}`)
    onTestFinished(() => void vi.unstubAllEnvs())
    const check = async (files: ClaimedFile[]) =>
      (await liveCheck({ files }, repository.path, { git })).findings.map(
        ({ code, path }) => `${code} ${path}`,
      )
    expect(await check(decided)).toEqual(['file-gone gone'])
    expect(existsSync(join(folder.path, 'asked'))).toBe(false)
    await check([...decided, { path: 'fresh', head, at: before }])
    expect(existsSync(join(folder.path, 'asked'))).toBe(true)
  })

  it('resolves paths from the root, and skips unknown names', async () => {
    const repository = makeRepository()
    repository.commit({ 'src/a': '1' })
    const { findings } = await liveCheck(
      {
        files: [
          { path: 'src/a' },
          { path: 'bad\ufffd' },
          { path: 'nul\0' },
          { path: 'here', place: repository.path },
        ],
      },
      join(repository.path, 'src'),
    )
    expect(findings.map(({ path }) => path)).toEqual(['nul\0'])
  })
})
