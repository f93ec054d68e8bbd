import { appendFileSync, chmodSync, existsSync, mkdirSync, readdirSync, utimesSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { checkCheckpoint } from '../../src/checkpoint/check-checkpoint.ts'
import { checkpoint } from '../../src/checkpoint/checkpoint.ts'
import { liveCheck } from '../../src/git/live-check.ts'
import { readGit } from '../../src/git/read-git.ts'
import { dumpHalt } from '../../src/halt/dump-halt.ts'
import { restoreDump } from '../../src/halt/restore/restore-dump.ts'
import { loadDump } from '../../src/halt/stored-dumps.ts'
import { memoryStorage } from '../../src/storage/memory-storage.ts'
import type { Storage } from '../../src/storage/storage.ts'
import { bundleStore } from '../../src/store/bundle-store.ts'
import { type Folder, makeFolder, makeRepository } from './repository.ts'

/** Names of filters that a careless way to switch them off would miss. */
const filterNames = ['plain', 'a=b.clean=x', 'quote"d', 'Üml', 'UPPER', 'of.dots', 'included']

/** A repository whose settings name a program wherever git accepts one; each writes its name to `ran`. */
function hostileRepository(): { repository: Folder; ran: () => string[] } {
  const place = makeFolder()
  mkdirSync(join(place.path, 'ran'))
  const repository = makeRepository()
  const samples = (text: string) => Object.fromEntries(filterNames.map((_, at) => [`file.f${at}`, text]))
  const attributes = filterNames.map((name, at) => `*.f${at} filter=${name} diff=d\n`).join('')
  repository.commit({ '.gitattributes': attributes, 'a.txt': 'one\n', ...samples('one\n') })
  addSubmodule(repository)
  const script = (name: string): string => {
    const path = join(place.path, `${name}.sh`)
    place.write({ [`${name}.sh`]: `#!/bin/sh\ntouch "${place.path}/ran/${name}"\ncat\n` })
    chmodSync(path, 0o755)
    return path
  }
  const settings = (folder: string, text: string): void => appendFileSync(join(folder, 'config'), text)
  const quoted = (name: string): string => name.replace(/["\\]/g, '\\$&')
  const gitFolder = join(repository.path, '.git')
  const filters = filterNames
    .filter((name) => name !== 'included')
    .map((name, index) => {
      const [clean, smudge, run] = ['clean', 'smudge', 'process'].map((kind) => script(`${kind}-${index}`))
      const program = index % 2 === 0 ? `clean = ${clean}\n smudge = ${smudge}` : `process = ${run}`
      return `[filter "${quoted(name)}"]\n ${program}\n required = true\n`
    })
  settings(gitFolder, filters.join(''))
  place.write({ extra: `[FILTER "included"]\n CLEAN = ${script('included')}\n` })
  settings(gitFolder, `[include]\n path = ${join(place.path, 'extra')}\n`)
  repository.write({ '.git/info/attributes': '*.txt filter=plain diff=d\n' })
  const programs: Record<string, string> = {
    'core.fsmonitor': 'fsmonitor',
    'core.pager': 'pager',
    'pager.status': 'pager-status',
    'pager.diff': 'pager-diff',
    'core.editor': 'editor',
    'sequence.editor': 'sequence-editor',
    'core.sshCommand': 'ssh',
    'core.gitProxy': 'proxy',
    'core.askPass': 'askpass',
    'core.alternateRefsCommand': 'alternate-refs',
    'credential.helper': 'credential',
    'diff.external': 'external-diff',
    'diff.d.command': 'diff-command',
    'diff.d.textconv': 'textconv',
    'merge.d.driver': 'merge-driver',
    'gpg.program': 'gpg',
    'gpg.ssh.program': 'gpg-ssh',
    'interactive.diffFilter': 'diff-filter',
    'uploadpack.packObjectsHook': 'pack-objects',
    'alias.status': 'alias',
    'trailer.x.command': 'trailer',
  }
  for (const [key, name] of Object.entries(programs)) repository.git('config', key, script(name))
  for (const [key, value] of [
    ['log.showSignature', 'true'],
    ['protocol.ext.allow', 'always'],
    ['protocol.allow', 'always'],
    ['extensions.partialClone', 'origin'],
    ['core.repositoryFormatVersion', '1'],
    ['remote.origin.promisor', 'true'],
    ['remote.origin.url', `ext::${script('transport')} %S`],
    ['submodule.recurse', 'true'],
    ['diff.submodule', 'diff'],
    ['status.submoduleSummary', 'true'],
    ['diff.trustExitCode', 'true'],
    ['core.hooksPath', join(place.path, 'hooks')],
  ] as const)
    repository.git('config', key, value)
  for (const hook of ['post-index-change', 'reference-transaction', 'post-checkout', 'pre-auto-gc'])
    place.write({ [`hooks/${hook}`]: `#!/bin/sh\ntouch "${place.path}/ran/hook-${hook}"\n` })
  for (const name of readdirSync(join(place.path, 'hooks'))) chmodSync(join(place.path, 'hooks', name), 0o755)
  settings(join(gitFolder, 'modules/module-of'), `[filter "inner"]\n clean = ${script('submodule')}\n`)
  // Changed, but of the same size: git has to look into every file.
  repository.write({ 'sub/.gitattributes': '* filter=inner\n', 'sub/a.txt': 'two\n' })
  // Of the same size as in its index, but changed at another time: `git status` in the submodule has to read it.
  utimesSync(join(repository.path, 'sub/b.txt'), 1, 1)
  repository.write({ 'a.txt': 'two\n', 'new.txt': 'new\n', ...samples('two\n') })
  return { repository, ran: () => readdirSync(join(place.path, 'ran')).sort() }
}

function addSubmodule(repository: Folder): void {
  const other = makeRepository()
  other.commit({ 'a.txt': 'one\n', 'b.txt': 'two\n' })
  repository.git('submodule', '--quiet', 'add', '--name', 'module-of', other.path, 'sub')
  repository.git('commit', '--quiet', '--no-verify', '--message', 'submodule')
}

async function dumpOf(repository: Folder, storage: Storage) {
  const dumped = await dumpHalt({ reason: 'test', sandboxRoot: repository.path }, { storage })
  if (dumped.state === 'disabled') throw new Error('expected dumps to be switched on')
  return dumped
}

describe('a repository whose settings name programs', () => {
  it('runs them under plain git, so that this test can fail', () => {
    const { repository, ran } = hostileRepository()
    const attempt = (...args: string[]): void => {
      try {
        repository.git(...args)
      } catch {
        // A program that fails has still run.
      }
    }
    for (const [at] of filterNames.entries()) attempt('hash-object', '--path', `file.f${at}`, `file.f${at}`)
    attempt('status', '--', 'a.txt', 'sub')
    // If the index is no older than the files, in seconds, `status` reads all of them again and a filter ends it before the hook.
    attempt('read-tree', '--empty')
    const filters = ['clean-0', 'process-1', 'clean-2', 'process-3', 'clean-4', 'process-5', 'included']
    expect(ran()).toEqual(
      expect.arrayContaining([...filters, 'fsmonitor', 'hook-post-index-change', 'submodule']),
    )
  })

  it('runs none of them when its state is read or checked', async () => {
    const { repository, ran } = hostileRepository()
    const found = await readGit(repository.path)
    expect(found).toMatchObject({ state: 'repository', dirty: true })
    const head = found.state === 'repository' ? found.head : undefined
    const files = [{ path: 'a.txt', head, at: '2020-01-01T00:00:00.000Z' }]
    const live = await liveCheck({ git: { head: 'f'.repeat(40), branch: 'gone' }, files }, repository.path)
    expect(live.findings.map(({ code }) => code)).toEqual(
      expect.arrayContaining(['branch-changed', 'head-unknown', 'file-changed']),
    )
    expect(ran()).toEqual([])
  })

  it('runs none of them when a checkpoint is saved and checked', async () => {
    const { repository, ran } = hostileRepository()
    const store = bundleStore(memoryStorage())
    const saved = await checkpoint({
      store,
      track: 'main',
      step: 'look',
      cwd: repository.path,
      files: ['a.txt'],
    })
    await checkCheckpoint(saved.checkpoint, repository.path)
    expect(saved.checkpoint.git).toMatchObject({ dirty: true })
    expect(ran()).toEqual([])
  })

  it('runs none of them when it is dumped, and when the dump is restored next to it', async () => {
    const { repository, ran } = hostileRepository()
    const storage = memoryStorage()
    const dumped = await dumpOf(repository, storage)
    expect(dumped.missing.filter(({ path }) => path.startsWith('filesystem/git'))).toEqual([])
    expect(dumped.notes.map(({ message }) => message)).toContainEqual(
      expect.stringMatching(/changed in the submodule sub$/),
    )
    const folder = join(makeFolder().path, 'restored')
    await restoreDump(await loadDump(storage, dumped.haltId), folder, { repository: repository.path })
    expect(existsSync(join(folder, 'a.txt'))).toBe(true)
    expect(ran()).toEqual([])
  })

  it('runs none of them when a dump is restored into it', async () => {
    const { repository, ran } = hostileRepository()
    const storage = memoryStorage()
    const { haltId } = await dumpOf(repository, storage)
    await expect(restoreDump(await loadDump(storage, haltId), repository.path)).rejects.toThrow(
      /not a clean checkout/,
    )
    expect(ran()).toEqual([])
  })

  it('is not read outside its folder, whatever core.worktree contains', async () => {
    const { path, git } = makeRepository()
    const outside = makeFolder()
    outside.write({ 'private.txt': 'private\n' })
    git('config', 'core.worktree', outside.path)
    expect(await readGit(outside.path)).toMatchObject({ state: 'no-repository' })
    expect(await readGit(path)).not.toHaveProperty('root')
    git('config', 'core.worktree', join(path, '..'))
    expect(await readGit(path)).toMatchObject({ state: 'failed' })
  })
})
