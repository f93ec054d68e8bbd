import { execFileSync } from 'node:child_process'
import { existsSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { testFolder } from '../../../test/support/test-folder.ts'
import { writeClaudeLog } from './support/claude-log.ts'
import { type Ran, run } from './support/run.ts'

const at = testFolder('all')
const tenfold = (...args: string[]): Promise<Ran> => run(args, { cwd: at('sandbox') })
const dump = (...args: string[]): Promise<Ran> => tenfold('dump', ...args)
// The tests may run inside a Git hook, which sets GIT_DIR, and the user may have settings of their own.
const identity = { GIT_CONFIG_GLOBAL: '/dev/null', GIT_CONFIG_SYSTEM: '/dev/null', LC_ALL: 'C' }

function git(...args: string[]): string {
  const all = ['-c', 'user.name=Test', '-c', 'user.email=test@example.com', ...args]
  return execFileSync('git', all, {
    cwd: at('sandbox'),
    encoding: 'utf8',
    env: { PATH: process.env.PATH, ...identity },
  })
}

async function create(
  ...args: string[]
): Promise<{ state: string; haltId: string; missing: { path: string }[] }> {
  const ran = await dump('create', '--reason', 'out of budget', '--json', ...args)
  expect(ran.stderr).toBe('')
  return JSON.parse(ran.stdout)
}

beforeAll(() => {
  mkdirSync(at('sandbox'))
  git('init', '--quiet', '--initial-branch=main')
  writeFileSync(at('sandbox/a.txt'), 'a\n')
  git('add', '.')
  git('commit', '--quiet', '--message', 'first')
  writeFileSync(at('sandbox/a.txt'), 'b\n')
  writeFileSync(at('sandbox/new.env'), `TOKEN=ghp_${'a1B2c3D4e5F6'.repeat(3)}\n`)
  writeClaudeLog(at('log.jsonl'), { rounds: 3, words: 20 })
  writeFileSync(at('prompt.txt'), 'Fix part 3.')
})
beforeEach(() => rmSync(at('sandbox/.agents'), { recursive: true, force: true }))

describe('dump create', () => {
  it('dumps log, state, last run and files, and reports what it did', async () => {
    const given =
      '--log ../log.jsonl --task T-12 --iteration 3 --project shop --state-key run:1 --prompt-file ../prompt.txt'
    const ran = await dump(
      ...['create', '--reason', 'out of budget', ...given.split(' '), '--exit-code', '124'],
      ...['--state-command', 'echo "{\\"key\\":\\"$TENFOLD_STATE_KEY\\"}"'],
      ...['--snapshot', '*.txt', '--next-cmd', 'npm test'],
    )
    expect(ran).toMatchObject({ code: 0, stderr: '' })
    expect(ran.stdout).toMatch(/^Dumped \S+: complete, 11 parts, [\d.]+ kB written, 1 secret redacted\.\n$/)
    const [file = ''] = readdirSync(at('sandbox/.agents/bundles/dumps'))
    const id = file.replace('.json', '')
    execFileSync('tar', ['-xzf', at('sandbox/.agents/bundles/dumps', `${id}.tar.gz`), '-C', at()])
    const part = (path: string): string => readFileSync(at(id, path), 'utf8')
    expect(JSON.parse(part('supervisor/state-snapshot.json'))).toEqual({
      stateKey: 'run:1',
      state: { key: 'run:1' },
    })
    expect(JSON.parse(part('agent/execution-context.json'))).toMatchObject({
      prompt: 'Fix part 3.',
      exitCode: 124,
    })
    expect(part('filesystem/git-diff.patch')).not.toContain('new.env')
    expect((await dump('show', id, '--file', 'new.env')).stdout).toContain('TOKEN=[redacted:github-token]')
    expect(part('filesystem/git-diff.patch')).not.toContain('.agents')
    expect(git('status', '--porcelain')).toBe(' M a.txt\n?? new.env\n')

    const shown = await dump('show', 'LATEST')
    expect(shown.stdout).toMatch(
      new RegExp(
        [
          `^Halt dump ${id}, complete, \\S+`,
          'Reason: out of budget',
          'About: task T-12, iteration 3, project shop',
          'Sandbox: .*',
          'Git: main at \\w{12}, 2 files not committed',
          'State key: run:1',
          'Next: npm test \\(not run\\)',
          'Redacted: 1 github-token',
          'Files with secrets: new.env',
          'Parts:',
          '  metadata.json .*',
          '  agent/conversation.jsonl .*',
          '(?:.*\n)+  filesystem/file-snapshots/a.txt +2 B',
        ].join('\n'),
      ),
    )
    expect((await dump('show', 'T-12', '--file', 'a.txt')).stdout).toBe('b\n')
    expect(
      JSON.parse((await dump('show', 'LATEST', '--file', 'agent/execution-context.json')).stdout),
    ).toEqual(JSON.parse(part('agent/execution-context.json')))
    expect(await dump('show', 'LATEST', '--file', 'old.env')).toMatchObject({
      ...{ code: 1, stdout: '' },
      stderr: expect.stringContaining('has no complete old.env'),
    })
    const listed = await dump('list', '--task', 'T-12')
    expect(listed.stdout).toMatch(
      /^ID +STATE +TASK +ITERATION +SIZE +REASON\n\S+ +complete +T-12 +3 .* out of budget\n$/,
    )
    const { code, stdout } = await tenfold('resume', '--task', 'T-12', '--max-tokens', '1000')
    expect(code).toBe(0)
    expect(stdout).toMatch(/^# Resume: halted run of task T-12/)
    expect(stdout).toContain('- npm test')
    expect(stdout).toContain('> Fix part 3.')
    expect(JSON.parse((await tenfold('resume', '--dump', id.slice(0, 20), '--json')).stdout)).toMatchObject({
      ...{ bundle: null, haltId: id, live: { holds: true } },
    })
  })

  it('exits with 1 if something could not be dumped, and dumps the rest', async () => {
    const files = ['--log', '../nowhere.jsonl', '--stderr-file', '../none.txt']
    const state = ['--state-command', 'echo broken >&2; exit 3']
    const ran = await dump('create', '--reason', 'x', ...state, ...files)
    expect(ran).toMatchObject({ code: 1, stderr: '' })
    expect(ran.stdout).toMatch(/^Dumped \S+: partial, /)
    expect(ran.stdout).toMatch(/^missing: supervisor\/state-snapshot\.json: Command failed/m)
    expect(ran.stdout).toMatch(/^missing: agent\/conversation\.jsonl: /m)
    expect(ran.stdout).toMatch(/^note: the stderr cannot be read: ENOENT/m)
    expect((await dump('verify', 'LATEST')).stdout).toMatch(
      /^warning: .*\n.*\n.*, partial: \d+ parts .* no faults, 2 warnings\.\n$/,
    )
  })

  it.each([{ TENFOLD_DUMP: 'off' }, { TENFOLD_DUMP_CREATE_OFF: 'true' }])(
    'writes nothing with %j',
    async (env) => {
      const ran = await run(['dump', 'create', '--reason', 'x'], { cwd: at('sandbox'), env })
      expect(ran).toMatchObject({ code: 0, stderr: '' })
      expect(ran.stdout).toBe(
        'Halt dumps are switched off (TENFOLD_DUMP, or off in a config file); nothing was written.\n',
      )
      expect(existsSync(at('sandbox/.agents'))).toBe(false)
    },
  )

  it.each([
    [[], "required option '--reason <text>'"],
    [['--reason', 'x', '--exit-code', '300'], 'from 0 to 255'],
    [['--reason', 'x', '--state-file', 'a', '--state-command', 'b'], 'cannot be used with'],
  ])('rejects %j as wrong usage, and writes nothing', async (args, message) => {
    const ran = await dump('create', ...args)
    expect(ran).toMatchObject({ code: 2, stdout: '' })
    expect(ran.stderr).toContain(message)
    expect(existsSync(at('sandbox/.agents'))).toBe(false)
  })
})

describe('dump export', () => {
  it('writes a file that is complete without the store, and that show, verify, resume and restore read', async () => {
    await create('--task', 'T-1', '--snapshot', '*.txt')
    const { haltId } = await create('--task', 'T-1', '--snapshot', '*.txt')
    expect(await dump('export', 'T-1', '-o', '../T-1.tar.gz')).toMatchObject({
      ...{ code: 0, stderr: '' },
      stdout: `Exported ${haltId} to ../T-1.tar.gz\n`,
    })
    rmSync(at('sandbox/.agents'), { recursive: true })
    const path = '../T-1.tar.gz'
    expect((await dump('verify', path)).stdout).toMatch(/^\S+, complete: 8 parts .* no faults\.\n$/)
    expect((await dump('show', path, '--file', 'a.txt')).stdout).toBe('b\n')
    expect((await tenfold('resume', '--dump', '../T-1.tar.gz')).stdout).toMatch(
      /^# Resume: halted run of task T-1/,
    )
    const restored = await dump('restore', '../T-1.tar.gz', '../alone', '--repository', '.')
    expect(restored).toMatchObject({ code: 0, stderr: '' })
    expect(readFileSync(at('alone/a.txt'), 'utf8')).toBe('b\n')
    expect(await dump('export', '../T-1.tar.gz', '-o', '../none/x.tar.gz')).toMatchObject({
      ...{ code: 1, stdout: '' },
      stderr: expect.stringContaining('The output cannot be written to'),
    })
  })
})

describe('dump verify, restore and delete', () => {
  it('report faults, bring the files back, and remove one dump', async () => {
    const first = await create('--task', 'T-1', '--log', '../log.jsonl')
    const second = await create('--task', 'T-1', '--log', '../log.jsonl')
    expect((await dump('delete', first.haltId)).stdout).toBe(`Deleted ${first.haltId}.\n`)
    const verified = await dump('verify', second.haltId)
    expect(verified).toMatchObject({ code: 0, stderr: '' })
    expect(verified.stdout).toMatch(/^\S+, complete: 10 parts of [\d.]+ kB are intact: no faults\.\n$/)

    const restored = await dump('restore', 'LATEST', '../restored', '--repository', '.')
    expect(restored).toMatchObject({ code: 0, stderr: '' })
    expect(restored.stdout).toMatch(
      /^redacted: new\.env held secrets: .*\nRestored \S+ into .+restored at \w{12}: 1 file identical, 1 finding\.\n$/,
    )
    expect(readFileSync(at('restored/a.txt'), 'utf8')).toBe('b\n')
    const again = await dump('restore', 'LATEST', '../restored', '--repository', '.')
    expect(again).toMatchObject({ code: 1, stdout: '' })
    expect(again.stderr).toMatch(/^error: \S+restored is not empty/)

    const store = at('sandbox/.agents/bundles/dumps')
    writeFileSync(join(store, `${second.haltId}.tar.gz`), 'x')
    rmSync(join(store, `${second.haltId}.json`))
    const damaged = await dump('verify', second.haltId)
    expect(damaged.code).toBe(1)
    expect(damaged.stdout).toMatch(/^fault: dumps\/\S+\.tar\.gz is damaged: it is /m)
    const json = JSON.parse((await dump('verify', second.haltId, '--json')).stdout)
    expect(json).toMatchObject({ ok: false, findings: [{ level: 'fault' }] })
  })

  it('name what they cannot find', async () => {
    expect(await dump('list')).toMatchObject({
      code: 0,
      stdout: '',
      stderr: 'No halt dumps in .agents/bundles.\n',
    })
    expect((await dump('list', '--task', 'T-9')).stderr).toBe(
      'No halt dumps of task T-9 in .agents/bundles.\n',
    )
    expect(await tenfold('dump', 'show', '')).toMatchObject({
      ...{ code: 2, stdout: '' },
      stderr: expect.stringContaining('expected a value for <dump>, got an empty text'),
    })
    for (const command of ['dump show', 'dump verify', 'resume --dump', 'dump delete']) {
      const ran = await tenfold(...command.split(' '), '../../etc')
      expect(ran).toMatchObject({ code: 1, stdout: '' })
      expect(ran.stderr).toContain('There is no halt dump "../../etc" in')
      expect(ran.stderr).toContain(
        'expected LATEST, an id or its beginning, a task, or the path of an export; to list the dumps: tenfold dump list.',
      )
    }
  })

  it('are covered by the check of the whole store', async () => {
    const { haltId } = await create()
    const whole = await tenfold('verify')
    expect(whole).toMatchObject({ code: 0, stderr: '' })
    expect(whole.stdout).toBe('0 bundles on 0 tracks, 1 halt dump, 0 archived logs: no faults.\n')
    const key = `dumps/${haltId}.tar.gz`
    writeFileSync(at('sandbox/.agents/bundles', key), '{}')
    const ran = await tenfold('verify')
    expect(ran.code).toBe(1)
    expect(ran.stdout).toMatch(new RegExp(`^fault: ${key} is damaged.*\\n.*: 1 fault\\.\\n$`))
    expect(JSON.parse((await tenfold('verify', '--json')).stdout)).toMatchObject({
      ok: false,
      checked: { dumps: 1 },
      findings: [{ level: 'fault', code: 'archive-damaged', key, repaired: false }],
    })
  })

  it('print no terminal escapes from the dump', async () => {
    await create('--task', 'T\u001b[2J', '--details', '\u001b]0;title\u0007', '--mode', 'a\u202eb')
    for (const command of ['dump show LATEST', 'dump list', 'resume --dump LATEST']) {
      const { stdout } = await tenfold(...command.split(' '))
      expect(stdout).not.toMatch(/[\u0000-\u0009\u000b-\u001f\u007f-\u009f\u202e]/)
    }
  })
})
