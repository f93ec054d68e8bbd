import { execFileSync } from 'node:child_process'
import { chownSync, existsSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { parseBundle } from '@tenfold/core'
import { beforeEach, describe, expect, it } from 'vitest'
import { testFolder } from '../../../test/support/test-folder.ts'
import { writeClaudeLog } from './support/claude-log.ts'
import { type Ran, run } from './support/run.ts'

const at = testFolder('each')
const tenfold = (cwd: string, ...args: string[]): Promise<Ran> => run(args, { cwd })
const store = '.agents/bundles'

beforeEach(() => {
  mkdirSync(at('src/deep'), { recursive: true })
  writeClaudeLog(at('first.jsonl'), { session: 'first-session' })
  writeClaudeLog(at('second.jsonl'), { session: 'second-session', hours: 1 })
})

async function compress(cwd: string, log: string, ...args: string[]): Promise<void> {
  expect(await tenfold(cwd, 'compress', '--quiet', at(log), ...args)).toMatchObject({ code: 0, stderr: '' })
}

describe('the store of a project', () => {
  it('is found from a subfolder by every command, and no second one is started there', async () => {
    await compress(at(), 'first.jsonl')
    await compress(at('src/deep'), 'second.jsonl')
    await tenfold(at('src'), 'checkpoint', 'save', '--track', 'main', '--step', 'go on')
    expect(existsSync(at('src/deep', '.agents'))).toBe(false)
    expect(existsSync(at('src', '.agents'))).toBe(false)
    expect(readdirSync(at(store, 'bundles'))).toHaveLength(4)
    const listed = JSON.parse((await tenfold(at('src'), 'list', '--json')).stdout)
    expect(listed).toHaveLength(2)
    expect((await tenfold(at('src/deep'), 'show', 'LATEST', '--json')).stdout).toContain('second-session')
    expect((await tenfold(at('src/deep'), 'verify')).stdout).toContain('2 bundles on 1 track')
    expect((await tenfold(at('src/deep'), 'resume')).stdout).toContain('go on')
  })

  it('is not one above the root of the repository', async () => {
    await compress(at(), 'first.jsonl')
    mkdirSync(at('src/.git'))
    await compress(at('src/deep'), 'second.jsonl')
    expect(readdirSync(at('src', store, 'bundles'))).toHaveLength(2)
    expect(readdirSync(at(store, 'bundles'))).toHaveLength(2)
  })

  it('is not one above the home folder, nor one of another user', async () => {
    await compress(at(), 'first.jsonl')
    const inHome = await run(['list', '--json'], { cwd: at('src/deep'), env: { HOME: at('src') } })
    expect(inHome.stdout).toBe('[]\n')
    expect((await tenfold(at('src/deep'), 'list', '--json')).stdout).toContain('first-session')
    // Only root may give files away.
    if (process.getuid?.() !== 0) return
    chownSync(at(store), 65534, 65534)
    expect((await tenfold(at('src/deep'), 'list', '--json')).stdout).toBe('[]\n')
  })

  it('of the main work tree is proposed in a linked one', async () => {
    const git = (...args: string[]) =>
      execFileSync('git', ['-c', 'user.name=a', '-c', 'user.email=a@b', ...args], { cwd: at('src') })
    git('init', '--quiet')
    git('commit', '--quiet', '--allow-empty', '--message', 'first')
    git('worktree', 'add', '--quiet', '../other')
    mkdirSync(at('other/deep'))
    expect((await tenfold(at('other'))).stdout).not.toContain('work tree')
    await compress(at('src'), 'first.jsonl')
    const proposed = 'tenfold resume --store ../../src/.agents/bundles'
    expect((await tenfold(at('other/deep'))).stdout).toContain(`${proposed}  the work of the main work tree`)
    const [, , ...args] = proposed.split(' ')
    expect(await tenfold(at('other/deep'), 'resume', ...args)).toMatchObject({ code: 0 })
    expect((await tenfold(at('src'))).stdout).not.toContain('work tree')
    await compress(at('other'), 'second.jsonl')
    expect((await tenfold(at('other'))).stdout).not.toContain('work tree')
  })

  it('is in no commit until it is shared, neither that of a linked work tree nor one that is named', async () => {
    const git = (cwd: string, ...args: string[]): string =>
      execFileSync('git', ['-c', 'user.name=a', '-c', 'user.email=a@b', ...args], { cwd, encoding: 'utf8' })
    git(at('src'), 'init', '--quiet')
    git(at('src'), 'commit', '--quiet', '--allow-empty', '--message', 'first')
    git(at('src'), 'worktree', 'add', '--quiet', '../other')
    await compress(at('src'), 'first.jsonl')
    await compress(at('src'), 'first.jsonl', '--store', 'docs/sessions')
    await tenfold(at('other'), 'checkpoint', 'save', '--step', 'go on')
    const changes = () => [at('src'), at('other')].map((cwd) => git(cwd, 'status', '--porcelain', '-uall'))
    expect(changes()).toEqual(['', ''])
    const shared = await tenfold(at('src/deep'), 'share')
    expect(shared).toMatchObject({ code: 0, stdout: expect.stringContaining('git add ../.agents/bundles') })
    git(at('src'), 'add', '--all')
    const tracked = git(at('src'), 'ls-files').split('\n')
    expect(tracked.filter((path) => /\/bundles\/bundles\//.test(path))).toHaveLength(2)
    expect(tracked.filter((path) => /archive|LATEST|working|sessions/.test(path))).toEqual([])
    await tenfold(at('src'), 'share', '--undo')
    await compress(at('src'), 'second.jsonl')
    expect(git(at('src'), 'status', '--porcelain')).not.toContain('?? ')
    writeFileSync(at('src', store, '.gitignore'), '# mine\n')
    expect(await tenfold(at('src'), 'share')).toMatchObject({ code: 1 })
    expect(readFileSync(at('src', store, '.gitignore'), 'utf8')).toBe('# mine\n')
    rmSync(at('src', store, '.gitignore'))
    execFileSync('mkfifo', [at('src', store, '.gitignore')])
    expect(await tenfold(at('src'), 'share')).toMatchObject({ code: 1 })
    expect(await tenfold(at(), 'share')).toMatchObject({
      code: 1,
      stderr: expect.stringContaining('no store'),
    })
    await compress(at(), 'first.jsonl')
    expect((await tenfold(at(), 'share')).stdout).toContain('git init')
  })

  it('gives way to --store and TENFOLD_STORE', async () => {
    await compress(at(), 'first.jsonl')
    await compress(at('src'), 'second.jsonl', '--store', 'own')
    expect(readdirSync(at('src/own/bundles'))).toHaveLength(2)
    const env = { TENFOLD_STORE: 'own' }
    const listed = JSON.parse((await run(['list', '--json'], { cwd: at('src'), env })).stdout)
    expect(listed).toMatchObject([{ sessionId: 'second-session' }])
  })
})

describe('the name of a bundle', () => {
  it('can be that of its session, or its beginning, its task or its track', async () => {
    await compress(at(), 'first.jsonl', '--task', 'T-1')
    await compress(at(), 'second.jsonl', '--track', 'review')
    const sessionOf = async (name: string): Promise<string> => {
      const ran = await tenfold(at('src'), 'show', name, '--json')
      expect(ran, name).toMatchObject({ code: 0 })
      return JSON.parse(ran.stdout).source.sessionId
    }
    for (const [name, session] of [
      ['first-session', 'first-session'],
      ['second-s', 'second-session'],
      ['T-1', 'first-session'],
      ['review', 'second-session'],
      ['main', 'first-session'],
    ] as const)
      expect(await sessionOf(name), name).toBe(session)
    expect((await tenfold(at(), 'show', 'nothing')).stderr).toMatch(
      /^error: Nothing in \/\S+ has the id, session, task, track or kind "nothing"\./,
    )
  })

  it('must be longer if several sessions begin so', async () => {
    writeClaudeLog(at('third.jsonl'), { session: 'second-other', hours: 2 })
    for (const log of ['second.jsonl', 'third.jsonl']) await compress(at(), log)
    const ran = await tenfold(at(), 'show', 'second-')
    expect(ran.code).toBe(1)
    expect(ran.stderr).toContain('2 sessions have ids that begin with second- (second-other, second-session)')
  })
})

describe('--output', () => {
  it('writes JSON to a file whose name says so, which can be shown again', async () => {
    await compress(at(), 'first.jsonl', '--output', at('bundle.json'))
    const bundle = parseBundle(JSON.parse(readFileSync(at('bundle.json'), 'utf8')))
    expect(bundle.source.sessionId).toBe('first-session')
    const shown = await tenfold(at(), 'show', 'bundle.json')
    expect(shown.stdout).toMatch(/^---\ntenfold: 1\n/)
    expect(shown.stdout).toBe((await tenfold(at(), 'show', bundle.id)).stdout)
  })
})
