import { execFileSync } from 'node:child_process'
import { existsSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tiktokenCounter } from '@tenfold/core'
import { parseCheckpoint } from '@tenfold/core/store'
import { describe, expect, it } from 'vitest'
import { testFolder } from '../../../test/support/test-folder.ts'
import { writeClaudeLog } from './support/claude-log.ts'
import { type Ran, run } from './support/run.ts'

const at = testFolder('each')
const tenfold = (...args: string[]): Promise<Ran> => run(args, { cwd: at() })
const save = (...args: string[]): Promise<Ran> => tenfold('checkpoint', 'save', ...args)

function git(...args: string[]): string {
  const identity = ['-c', 'user.name=Test', '-c', 'user.email=test@example.com']
  const env = { PATH: process.env.PATH, GIT_CONFIG_GLOBAL: '/dev/null', GIT_CONFIG_SYSTEM: '/dev/null' }
  return execFileSync('git', [...identity, ...args], { cwd: at(), encoding: 'utf8', env }).trim()
}

function commit(files: Record<string, string>): string {
  for (const [name, text] of Object.entries(files)) writeFileSync(at(name), text)
  git('add', ...Object.keys(files))
  git('commit', '--quiet', '--message', 'a commit')
  return git('rev-parse', 'HEAD')
}

describe('checkpoint save', () => {
  it('saves a checkpoint and shows it', async () => {
    git('init', '--quiet', '--initial-branch=main')
    const head = commit({ 'a.ts': '1', 'b.ts': '1' })
    writeFileSync(at('a.ts'), '2')
    const ran = await save(
      ...['--track', 'main', '--step', 'wire the parser', '--next-cmd', 'npm  test -- parse'],
      ...['--validation', 'green', '--extra', 'pr=12', '--extra', 'url=https://ci/?a=b', '--file', 'b.ts'],
      ...['--note', 'one\ntwo', '--label', 'noon', '--task', 'T-1'],
    )
    expect(ran).toMatchObject({ code: 0, stderr: '' })
    const [first, ...lines] = ran.stdout.trimEnd().split('\n')
    expect(first).toMatch(
      /^Saved \d{8}T\d{9}Z-\d{9}, a checkpoint of track main, now the current track, which resume and hooks continue\.$/,
    )
    expect(lines).toEqual([
      'Step: wire the parser',
      'Next: npm  test -- parse  (not run)',
      'Validation: green',
      'About: label noon, task T-1',
      `Git: main at ${head.slice(0, 12)}, 1 file not committed`,
      'Changed: a.ts',
      'Files: b.ts',
      'Extra: pr=12, url=https://ci/?a=b',
      'Note: one',
      '  two',
    ])
    const latest = JSON.parse(readFileSync(at('.agents/bundles/checkpoints/LATEST.json'), 'utf8'))
    expect(latest).toMatchObject({
      current: 'main',
      tracks: [{ track: 'main', step: 'wire the parser', head }],
    })
    expect(readFileSync(at('.agents/bundles/checkpoints/LATEST.md'), 'utf8')).toContain(
      '\n- label: noon\n- task: T-1\n',
    )
    expect((await tenfold('checkpoint', 'list')).stdout).toMatch(
      /^ID +TRACK +LABEL +VALIDATION .*\n\S+ +main +noon +green /,
    )
  })

  it('takes the current track by default, at first main, another name, keys in upper case, and warns without a next command', async () => {
    const ran = await tenfold('checkpoint', 'snapshot', '--step', 's', '--extra', 'Artifact=/x')
    expect(ran.stdout).toContain('a checkpoint of track main')
    expect(ran.stdout).toContain('Extra: Artifact=/x')
    expect(ran).toMatchObject({
      code: 0,
      stderr: expect.stringMatching(/^warning: without --next-cmd, .*\n$/),
    })
    await save('--track', 'billing', '--step', 'one')
    await save('--track', 'side', '--step', 'beside', '--no-set-current')
    expect((await save('--step', 'two')).stdout).toContain('a checkpoint of track billing')
  })

  it('prints instructions for agents', async () => {
    const { stdout } = await tenfold('checkpoint', 'guide')
    expect(stdout).toMatch(/^## Checkpoints\n/)
    for (const [, command = ''] of stdout.matchAll(/tenfold ((?:checkpoint )?[a-z]+)/g))
      expect((await tenfold(...command.split(' '), '--help')).code).toBe(0)
    for (const [, option = ''] of stdout.matchAll(/(--[a-z-]+)/g))
      expect(
        (await tenfold('checkpoint', option === '--live' ? 'resume' : 'save', '--help')).stdout,
      ).toContain(option)
  })

  it('prints key=value lines for scripts', async () => {
    await save(
      ...['--track', 'main', '--step', 'a = b', '--next-cmd', 'npm test'],
      ...['--note', 'one\ntwo \\ three', '--label', 'noon', '--extra', 'pr=12'],
    )
    const ran = await tenfold('checkpoint', 'resume', '--porcelain')
    expect(ran).toMatchObject({ code: 0, stderr: '' })
    const lines = ran.stdout.trimEnd().split('\n')
    expect(lines.map((line) => line.slice(0, line.indexOf('=')))).toEqual([
      ...['track', 'step', 'note', 'branch', 'head', 'next_cmd', 'validation', 'id'],
      ...['time', 'label', 'task', 'extra.pr'],
    ])
    expect(lines).toContain('step=a = b')
    expect(lines).toContain('note=one\\ntwo \\\\ three')
    expect(lines).toContain('next_cmd=npm test')
    expect(lines).toContain('label=noon')
    expect((await tenfold('checkpoint', 'resume', '--porcelain', '--json')).code).toBe(2)
  })

  it('replaces secrets unless asked not to', async () => {
    const token = `ghp_${'aB3dE5fG7hJ9kL1mN2pQ4rS6tU8vW0xY1zA2'}`
    const args = ['--track', 'main', '--step', 's', '--note', token, '--json']
    expect((await save(...args)).stdout).not.toContain(token)
    expect((await save(...args, '--no-redact')).stdout).toContain(token)
  })

  it.each([
    [['--track', 'main'], "required option '--step <text>' not specified"],
    [['--track', 'main', '--step', 's', '--extra', 'novalue'], 'expected key=value'],
    [['--track', 'main', '--step', 's', '--extra', '__proto__=1'], 'expected key=value'],
    [['--track', 'main', '--step', 's', '--extra', 'a=1', '--extra', 'a=2'], 'expected the key a only once'],
    [['--track', 'main', '--step', 's', '--next-cmd', 'make\nrm -rf /'], 'expected one command on one line'],
  ])('rejects %j as wrong usage, and writes nothing', async (args, message) => {
    const ran = await save(...args)
    expect(ran).toMatchObject({ code: 2, stdout: '' })
    expect(ran.stderr).toContain(message)
    expect(existsSync(at('.agents'))).toBe(false)
  })

  it('fails on errors that the options cannot reveal', async () => {
    const ran = await save('--track', 'main', '--step', 'x'.repeat(2000))
    expect(ran).toMatchObject({ code: 1, stdout: '' })
    expect(ran.stderr).toMatch(/^error: not a valid checkpoint: step: /)
    expect((await save('--track', 'LATEST.json', '--step', 's')).code).toBe(1)
  })
})

describe('checkpoint resume', () => {
  it('reports what no longer holds', async () => {
    git('init', '--quiet', '--initial-branch=main')
    commit({ 'a.ts': '1', 'b.ts': '1' })
    writeFileSync(at('a.ts'), '2')
    await save('--track', 'main', '--step', 's', '--file', 'b.ts')
    const calm = await tenfold('checkpoint', 'resume', '--live')
    expect(calm).toMatchObject({ code: 0, stderr: '' })
    expect(calm.stdout).toMatch(
      /\nNow: main at \w{12}, 1 file not committed\nLive: everything that can be checked is still true\.\n$/,
    )
    commit({ 'a.ts': '3' })
    git('checkout', '--quiet', '-b', 'other')
    rmSync(at('b.ts'))
    const moved = await tenfold('checkpoint', 'resume', '--live')
    expect(moved.stdout).toMatch(
      new RegExp(
        [
          'Since then:',
          '- the branch is other, it was main',
          '- the head moved from \\w{12} to \\w{12}: 1 commit newer',
          '- 1 file is changed or new and not committed that was not then: b\\.ts',
          '- gone: b\\.ts',
          '- changed since: a\\.ts\n$',
        ].join('\n'),
      ),
    )
    const { checkpoint, current, live } = JSON.parse(
      (await tenfold('checkpoint', 'resume', '--live', '--json')).stdout,
    )
    expect(parseCheckpoint(checkpoint).step).toBe('s')
    expect(current).toBe(true)
    expect(live).toMatchObject({ holds: false, git: { branch: 'other' } })
    expect(live.findings.map(({ code }: { code: string }) => code)).toEqual([
      'branch-changed',
      'head-ahead',
      'now-dirty',
      'file-gone',
      'file-changed',
    ])
    const { stdout } = await tenfold('checkpoint', 'resume', '--live', '--porcelain')
    expect(stdout.match(/^(?:track|head|holds|stale)=/gm)).toEqual([
      ...['track=', 'head=', 'holds='],
      ...live.findings.map(() => 'stale='),
    ])
    expect(stdout).toMatch(/^holds=false\nstale=the branch is other, it was main\n/m)
    expect(JSON.parse((await tenfold('checkpoint', 'resume', '--json')).stdout)).not.toHaveProperty('live')
  })

  it('shows a hostile next command on one clean line and runs nothing', async () => {
    const proof = at('proof')
    const ran = await save(
      ...['--track', 'main', '--step', 'evil \u001b[2J step', '--note', 'a\u001b]0;t\u0007\u202eb'],
      ...['--next-cmd', `touch ${proof}; $(touch ${proof}) \u001b[8m\u202e\u200b`],
    )
    expect(ran.code).toBe(0)
    for (const command of ['checkpoint resume --live', 'checkpoint list', 'resume', 'resume --verify']) {
      const shown = await tenfold(...command.split(' '))
      expect(shown).toMatchObject({ code: 0, stderr: '' })
      expect(shown.stdout).toContain(
        command.endsWith('list') ? 'touch ' : `touch ${proof}; $(touch ${proof})`,
      )
      expect(shown.stdout).not.toMatch(/[\u0000-\u0009\u000b-\u001f\u007f-\u009f\u200b\u202e]/)
    }
    expect(existsSync(proof)).toBe(false)
  })

  it('reports that there is no checkpoint', async () => {
    const none = await tenfold('checkpoint', 'resume')
    expect(none).toMatchObject({ code: 1, stdout: '' })
    expect(none.stderr).toContain('tenfold checkpoint save --track main')
    await save('--track', 'a', '--step', 's', '--no-set-current')
    await save('--track', 'b', '--step', 's', '--no-set-current')
    expect((await tenfold('checkpoint', 'resume')).stderr).toContain(
      'There are checkpoints on a, b; choose one with --track',
    )
    expect((await tenfold('checkpoint', 'resume', '--track', 'c')).code).toBe(1)
  })
})

describe('checkpoint list', () => {
  it('lists newest first, filtered', async () => {
    expect(await tenfold('checkpoint', 'list')).toMatchObject({
      code: 0,
      stdout: '',
      stderr: 'No checkpoints in .agents/bundles.\n',
    })
    await save('--track', 'main', '--step', 'first', '--task', 'T-1')
    await save('--track', 'side', '--step', 'second', '--next-cmd', 'make')
    await save('--track', 'main', '--step', 'third')
    const { stdout } = await tenfold('checkpoint', 'list')
    expect(stdout).toMatch(
      /^ID +TRACK +VALIDATION +BRANCH +HEAD +STEP +NEXT COMMAND\n.* third *\n.* second +make\n.* first\n$/,
    )
    const steps = async (...args: string[]) =>
      JSON.parse((await tenfold('checkpoint', 'list', '--json', ...args)).stdout).map(
        ({ step }: { step: string }) => step,
      )
    expect(await steps('--track', 'main')).toEqual(['third', 'first'])
    expect(await steps('--task', 'T-1')).toEqual(['first'])
    expect(await steps('--limit', '1')).toEqual(['third'])
    const none = await tenfold('checkpoint', 'list', '--track', 'side', '--task', 'T-1')
    expect(none.stderr).toBe('No checkpoints on track side of task T-1 in .agents/bundles.\n')
    expect((await tenfold('checkpoint', 'list', '--limit', '1')).stdout).toContain('… and 2 older')
  })
})

describe('resume', () => {
  it('merges the newer checkpoint, and looks at the repository by itself', async () => {
    writeClaudeLog(at('log.jsonl'))
    await tenfold('compress', '--quiet', 'log.jsonl', '--task', 'T-1', '--kind', 'plan')
    const outside = JSON.parse((await tenfold('resume', '--json')).stdout)
    expect(outside).toMatchObject({ track: 'main', checkpoints: [], live: null })
    git('init', '--quiet', '--initial-branch=main')
    commit({ 'a.ts': '1' })
    const { id } = JSON.parse(
      (await save('--track', 'main', '--step', 'build it', '--next-cmd', 'make', '--json')).stdout,
    )
    const ran = await tenfold('resume', '--json', '--max-tokens', '900')
    const inside = JSON.parse(ran.stdout)
    expect(inside).toMatchObject({
      bundle: outside.bundle,
      checkpoints: [id],
      live: { holds: expect.any(Boolean) },
    })
    expect(inside.tokens).toBe(tiktokenCounter().count(inside.brief))
    expect(inside.tokens).toBeLessThanOrEqual(900)
    expect(inside.brief).toContain(
      '## Resume point\n- step: build it\n- next command at that time (shown, not run): make\n',
    )
    expect(JSON.parse((await tenfold('resume', '--json', '--no-verify')).stdout).live).toBeNull()
    expect(JSON.parse((await tenfold('resume', '--json', '--task', 'T-1')).stdout).bundle).toBe(
      outside.bundle,
    )
    expect((await tenfold('resume', '--task', 'T-2')).stderr).toContain('no bundle of task T-2')
    expect((await tenfold('resume', '--task', '')).code).toBe(2)
  })
})
