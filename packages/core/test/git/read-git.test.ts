import { execFileSync } from 'node:child_process'
import {
  chmodSync,
  existsSync,
  mkdirSync,
  readFileSync,
  rmSync,
  statSync,
  symlinkSync,
  utimesSync,
  writeFileSync,
} from 'node:fs'
import { join } from 'node:path'
import { afterEach, describe, expect, it, vi } from 'vitest'
import { parseStatus } from '../../src/git/parse-status.ts'
import { readGit } from '../../src/git/read-git.ts'
import { runGit } from '../../src/git/run-git.ts'
import { folderAt, makeFolder, makeRepository } from './repository.ts'

afterEach(() => vi.unstubAllEnvs())

const gitProgram = (): string => execFileSync('sh', ['-c', 'command -v git'], { encoding: 'utf8' }).trim()

describe('readGit', () => {
  it('reads branch, head and a clean tree, from any folder of it', async () => {
    const repository = makeRepository()
    const head = repository.commit({ 'src/a.ts': '1' })
    const expected = {
      state: 'repository',
      root: repository.path,
      branch: 'main',
      head,
      dirty: false,
      files: [],
      changed: 0,
    }
    expect(await readGit(repository.path)).toEqual(expected)
    expect(await readGit(join(repository.path, 'src'))).toEqual(expected)
  })

  it('starts git for filters and state, and for paths only if .git is not a plain folder', async () => {
    const repository = makeRepository()
    repository.commit({ 'a.ts': '1' })
    const folder = makeFolder()
    const tree = join(folder.path, 'tree')
    repository.git('worktree', 'add', '--quiet', tree)
    folder.write({ git: `#!/bin/sh\necho "$@" >> "${folder.path}/asked"\nexec ${gitProgram()} "$@"\n` })
    chmodSync(join(folder.path, 'git'), 0o755)
    vi.stubEnv('PATH', `${folder.path}:${process.env.PATH}`)
    const commandsAt = async (path: string) => {
      folder.write({ asked: '' })
      expect(await readGit(path)).toMatchObject({ state: 'repository', root: path })
      const asked = readFileSync(join(folder.path, 'asked'), 'utf8').trimEnd().split('\n')
      return asked.map((line) => / (rev-parse|status|config) /.exec(line)?.[1])
    }
    // Before the status its filters are looked up, so that they can be switched off.
    expect(await commandsAt(repository.path)).toEqual(['config', 'status'])
    expect(await commandsAt(tree)).toEqual(['rev-parse', 'config', 'status'])
    repository.git('config', 'core.worktree', repository.path)
    expect(await commandsAt(repository.path)).toEqual(['rev-parse', 'config', 'status'])
  })

  it('reads a folder with a line feed in its name', async () => {
    const outer = makeFolder()
    const path = join(outer.path, 'a\nb')
    mkdirSync(path)
    const repository = folderAt(path)
    repository.git('init', '--quiet', '-b', 'main')
    expect(await readGit(path)).toMatchObject({ state: 'repository', root: path, branch: 'main' })
  })

  it('lists uncommitted files with any names', async () => {
    const repository = makeRepository()
    repository.commit({ 'mod.ts': '1', 'gone.ts': '2', '? old name.ts': 'text that stays\n'.repeat(9) })
    repository.git('rm', '--quiet', 'gone.ts')
    repository.git('mv', '? old name.ts', 'new  name.ts')
    repository.write({
      'mod.ts': '3',
      'line\nbreak.ts': '4',
      'Übung – 日本.ts': '5',
      '-n': '6',
      'added.ts': '7',
    })
    repository.git('add', 'added.ts')
    const found = await readGit(repository.path)
    expect(found).toMatchObject({ dirty: true, changed: 7 })
    expect(
      found.state === 'repository' && new Map(found.files.map((file) => [file.path, file.status])),
    ).toEqual(
      new Map([
        ['mod.ts', 'modified'],
        ['gone.ts', 'deleted'],
        ['new  name.ts', 'renamed'],
        ['added.ts', 'created'],
        ['line\nbreak.ts', 'untracked'],
        ['Übung – 日本.ts', 'untracked'],
        ['-n', 'untracked'],
      ]),
    )
  })

  it('reports a conflict', async () => {
    const repository = makeRepository()
    repository.commit({ 'a.ts': '1' })
    repository.git('checkout', '--quiet', '-b', 'other')
    repository.commit({ 'a.ts': '2' })
    repository.git('checkout', '--quiet', 'main')
    repository.commit({ 'a.ts': '3' })
    expect(() => repository.git('merge', 'other')).toThrow()
    expect(await readGit(repository.path)).toMatchObject({ files: [{ path: 'a.ts', status: 'conflict' }] })
  })

  it('limits the list, but not the count', async () => {
    const repository = makeRepository()
    repository.write(Object.fromEntries(Array.from({ length: 120 }, (_, at) => [`f${at}.ts`, ''])))
    const found = await readGit(repository.path)
    expect(found).toMatchObject({ changed: 120, dirty: true })
    expect(found.state === 'repository' && found.files.length).toBe(50)
  })

  it('reads a repository without a commit', async () => {
    const found = await readGit(makeRepository().path)
    expect(found).toMatchObject({ state: 'repository', branch: 'main', dirty: false })
    expect(found).not.toHaveProperty('head')
  })

  it('reads a detached head', async () => {
    const repository = makeRepository()
    const head = repository.commit({ a: '1' })
    repository.git('checkout', '--quiet', '--detach')
    const found = await readGit(repository.path)
    expect(found).toMatchObject({ head, detached: true })
    expect(found).not.toHaveProperty('branch')
  })

  it('recognizes a worktree, and reads its own branch', async () => {
    const repository = makeRepository()
    repository.commit({ a: '1' })
    const tree = join(makeFolder().path, 'tree')
    repository.git('worktree', 'add', '--quiet', '-b', 'side', tree)
    expect(await readGit(tree)).toMatchObject({ branch: 'side', worktree: true, root: tree })
    expect(await readGit(repository.path)).not.toHaveProperty('worktree')
  })

  it('reads a bare repository, and the folder .git of another', async () => {
    const repository = makeRepository()
    const head = repository.commit({ a: '1' })
    const bare = makeFolder()
    bare.git('clone', '--quiet', '--bare', repository.path, '.')
    expect(await readGit(bare.path)).toEqual({
      state: 'repository',
      bare: true,
      branch: 'main',
      head,
      files: [],
      changed: 0,
    })
    const inside = await readGit(join(repository.path, '.git'))
    expect(inside).toEqual({ state: 'repository', branch: 'main', head, files: [], changed: 0 })
  })

  it('counts the commits ahead and behind', async () => {
    const origin = makeRepository()
    origin.commit({ a: '1' })
    const clone = makeFolder()
    clone.git('clone', '--quiet', origin.path, '.')
    origin.commit({ a: '2' })
    origin.commit({ a: '3' })
    clone.commit({ b: '1' })
    clone.git('fetch', '--quiet')
    expect(await readGit(clone.path)).toMatchObject({ upstream: 'origin/main', ahead: 1, behind: 2 })
  })

  it('leaves submodules out', async () => {
    const inner = makeRepository()
    inner.commit({ a: '1' })
    const repository = makeRepository()
    repository.git('submodule', '--quiet', 'add', inner.path, 'sub')
    repository.commit({})
    folderAt(join(repository.path, 'sub')).commit({ a: '2' })
    writeFileSync(join(repository.path, 'sub/untracked'), '')
    expect(await readGit(repository.path)).toMatchObject({ dirty: false, files: [] })
  })

  it('leaves out the folders to ignore, also behind a link', async () => {
    const repository = makeRepository()
    repository.commit({ 'kept/tracked': '1' })
    repository.write({ 'store/a': '1', 'kept/tracked': '2', 'kept [x]/b': '3' })
    const link = join(makeFolder().path, 'link')
    symlinkSync(repository.path, link)
    for (const cwd of [repository.path, link])
      expect(await readGit(cwd, { ignore: ['store', 'kept [x]', 'missing', '..', '.'] })).toMatchObject({
        files: [{ path: 'kept/tracked' }],
        changed: 1,
      })
    expect(await readGit(repository.path, { ignore: ['store', 'kept', 'kept [x]'] })).toMatchObject({
      dirty: false,
    })
  })

  it('gives the reason why there is nothing to read', async () => {
    const folder = makeFolder()
    expect(await readGit(folder.path)).toEqual({ state: 'no-repository' })
    expect(await readGit(join(folder.path, 'missing'))).toMatchObject({ state: 'failed' })
    writeFileSync(join(folder.path, 'file'), '')
    expect(await readGit(join(folder.path, 'file'))).toMatchObject({ state: 'failed' })
    const broken = makeRepository()
    writeFileSync(join(broken.path, '.git/config'), '[broken')
    expect(await readGit(broken.path)).toMatchObject({
      state: 'failed',
      message: expect.stringContaining('config'),
    })
    const repository = makeRepository()
    vi.stubEnv('PATH', folder.path)
    expect(await readGit(repository.path)).toEqual({ state: 'no-git' })
    // No git is needed to see that.
    expect(await readGit(folder.path)).toEqual({ state: 'no-repository' })
  })

  it('does not wait for a git that hangs, and stops with the signal', async () => {
    const folder = makeFolder()
    writeFileSync(join(folder.path, 'git'), '#!/bin/sh\nexec sleep 20\n')
    chmodSync(join(folder.path, 'git'), 0o755)
    vi.stubEnv('PATH', `${folder.path}:${process.env.PATH}`)
    mkdirSync(join(folder.path, '.git'))
    expect(await readGit(folder.path, { timeout: 100 })).toMatchObject({ state: 'failed' })
    const signal = AbortSignal.timeout(100)
    await expect(readGit(folder.path, { signal })).rejects.toThrow(/aborted/)
  })

  it('reads nothing if git would wait for a pipe, and names the file', async () => {
    const names = ['.gitignore', '.gitattributes', '.git/HEAD', '.git/index', '.git/packed-refs']
    for (const name of [...names, '.git/config', '.git/info/exclude', '.git/info/attributes']) {
      const repository = makeRepository()
      repository.commit({ 'a.txt': '1' })
      rmSync(join(repository.path, name), { force: true })
      execFileSync('mkfifo', [join(repository.path, name)])
      const message = expect.stringContaining(`${name} is a pipe or a device`)
      expect(await readGit(repository.path)).toEqual({ state: 'failed', message })
    }
  })

  it('waits for a pipe in a folder below only once', async () => {
    const repository = makeRepository()
    repository.commit({ 'sub/a.txt': '1' })
    execFileSync('mkfifo', [join(repository.path, 'sub/.gitignore')])
    const found = await readGit(repository.path, { timeout: 1000 })
    expect(found).toMatchObject({ state: 'repository', root: repository.path })
    expect(found).not.toHaveProperty('dirty')
  })

  it.runIf(process.platform === 'linux')(
    'ends a git that waits for a pipe that a setting names',
    async () => {
      const piped = ['include.path', 'core.excludesFile', 'core.attributesFile'].map((setting) => {
        const repository = makeRepository()
        repository.commit({ 'a.txt': '1' })
        execFileSync('mkfifo', [join(repository.path, '.git/pipe')])
        repository.git('config', setting, join(repository.path, '.git/pipe'))
        return readGit(repository.path, { timeout: 60_000 })
      })
      const message = expect.stringContaining('waits for a pipe')
      for (const reading of await Promise.all(piped)) expect(reading).toEqual({ state: 'failed', message })
    },
  )

  it.runIf(process.platform === 'linux')('waits longer than for a pipe if git sleeps otherwise', async () => {
    const repository = makeRepository()
    const head = repository.commit({ 'a.txt': '1' })
    const slow = makeFolder().path
    writeFileSync(join(slow, 'git'), `#!/bin/sh\nsleep 4\nexec ${gitProgram()} "$@"\n`, { mode: 0o755 })
    vi.stubEnv('PATH', `${slow}:${process.env.PATH}`)
    expect(await runGit(repository.path, ['rev-parse', 'HEAD'])).toMatchObject({
      end: 'ok',
      stdout: `${head}\n`,
    })
  })

  it('ignores the variables of a git hook', async () => {
    const other = makeRepository()
    other.commit({ a: '1' }, 'of the other')
    const repository = makeRepository()
    const head = repository.commit({ b: '1' })
    vi.stubEnv('GIT_DIR', join(other.path, '.git'))
    vi.stubEnv('GIT_WORK_TREE', other.path)
    vi.stubEnv('GIT_INDEX_FILE', join(other.path, '.git/index'))
    vi.stubEnv('GIT_TRACE', '1')
    expect(await readGit(repository.path)).toMatchObject({ root: repository.path, head, dirty: false })
  })

  it('runs no hook and no monitor, and writes nothing', async () => {
    const repository = makeRepository()
    repository.commit({ 'a.ts': '1' })
    const ran = join(repository.path, '.git/ran')
    const script = join(repository.path, '.git/script')
    writeFileSync(script, `#!/bin/sh\necho x >> '${ran}'\n`)
    chmodSync(script, 0o755)
    mkdirSync(join(repository.path, '.git/hooks'), { recursive: true })
    repository.git('config', 'core.fsmonitor', script)
    repository.git('config', 'core.pager', script)
    symlinkSync(script, join(repository.path, '.git/hooks/post-index-change'))
    utimesSync(join(repository.path, 'a.ts'), new Date(0), new Date(0))
    const index = join(repository.path, '.git/index')
    const before = { bytes: readFileSync(index), time: statSync(index).mtimeMs }
    expect(await readGit(repository.path)).toMatchObject({ dirty: false })
    expect(existsSync(ran)).toBe(false)
    expect({ bytes: readFileSync(index), time: statSync(index).mtimeMs }).toEqual(before)
  })
})

describe('parseStatus', () => {
  it('leaves out a torn last record and unknown content', () => {
    const record = '1 .M N... 100644 100644 100644 aaaa bbbb src/a b.ts'
    expect(parseStatus(`# branch.oid (initial)\0# branch.head main\0${record}\0! x\0zz\0? half`, 9)).toEqual({
      branch: 'main',
      files: [{ path: 'src/a b.ts', status: 'modified' }],
      changed: 1,
    })
    expect(parseStatus('', 9)).toEqual({ files: [], changed: 0 })
  })
})
