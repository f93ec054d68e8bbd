import { copyFileSync, mkdirSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs'
import { dirname, resolve } from 'node:path'
import { beforeAll, describe, expect, it } from 'vitest'
import { testFolder } from '../../../test/support/test-folder.ts'
import { type Ran, run, runAlone } from './support/run.ts'

const at = testFolder('all')
const tenfold = (...args: string[]): Promise<Ran> => run(args, { cwd: at() })

function write(path: string, content: string | object): void {
  mkdirSync(dirname(at(path)), { recursive: true })
  writeFileSync(at(path), typeof content === 'string' ? content : JSON.stringify(content))
}

const bundle = {
  session_id: 'abc123',
  created_at: '2024-11-27T10:00:00Z',
  workflow_state: { currentTask: 'TASK-003', tasksCompleted: ['TASK-001'] },
  resume_instructions: 'Continue with TASK-003.',
  mood: 'good',
}
const snapshot = {
  track: 'MAIN',
  step: 'fix landed',
  next_cmd: 'pytest -q',
  validation: 'green',
  head: 'fa124d5',
}

beforeAll(() => {
  write('RLM/progress/bundles/abc123.json', bundle)
  write(
    '.agents/bundles/AUTH-7.md',
    '# Plan Bundle: JWT\n\n## Implementation Steps\n1. [x] Add\n2. [ ] Migrate\n',
  )
  const checkpoint = 'runtime/checkpoints/context_checkpoint_20260412T101530Z_fix'
  write(`${checkpoint}.json`, snapshot)
  write(`${checkpoint}.md`, '# Checkpoint\n- step: fix landed\n')
  write('runtime/checkpoints/context_checkpoint_20260412T111530Z_side.json', { ...snapshot, track: 'SIDE' })
  write('runtime/checkpoints/LATEST.json', { current_track: 'MAIN', tracks: { MAIN: snapshot } })
  const dump = {
    halt_id: 'h1',
    halt_reason: 'FAILED',
    halt_timestamp: '2026-05-01T10:00:00Z',
    task_id: 'T-12',
  }
  write('tmp/halt-dump/h1/metadata.json', dump)
  write('tmp/halt-dump/h1/agent/conversation.jsonl', '{"prompt":"do it"}\n')
  write('README.md', '# hello')
  const log = resolve(import.meta.dirname, '../../../examples/logs/claude-code-small.jsonl')
  copyFileSync(log, at('session.jsonl'))
})

interface Report {
  readonly imported: {
    path: string
    what: string
    outcome: string
    id?: string
    track?: string
    notes: string[]
  }[]
  readonly failed: object[]
  readonly passedOver: { path: string; message: string }[]
}

async function importJson(...args: string[]): Promise<Report & { readonly code: number | null }> {
  const { code, stdout } = await tenfold('import', '.', '--json', ...args)
  return { code, ...(JSON.parse(stdout) as Report) }
}

describe('import', () => {
  it('says what it would bring in, then brings it in, then has nothing new', async () => {
    const would = await importJson('--dry-run')
    expect(would.code).toBe(0)
    expect(would.imported.map(({ path, what, outcome }) => [path, what, outcome])).toEqual([
      ['RLM/progress/bundles/abc123.json', 'bundle', 'new'],
      ['runtime/checkpoints/context_checkpoint_20260412T101530Z_fix.json', 'checkpoint', 'new'],
      ['runtime/checkpoints/context_checkpoint_20260412T111530Z_side.json', 'checkpoint', 'new'],
      ...[expect.anything(), expect.anything(), expect.anything()],
    ])
    expect((await tenfold('list', '--json')).stdout.trim()).toBe('[]')

    const before = readFileSync(at('RLM/progress/bundles/abc123.json'), 'utf8')
    const done = await importJson()
    expect(done.imported.map(({ what }) => what).sort()).toEqual([
      'bundle',
      'bundle',
      'checkpoint',
      'checkpoint',
      'dump',
      'log',
    ])
    expect(done.imported[0]).toMatchObject({
      id: expect.stringMatching(/^20241127T100000000Z-/),
      notes: ['kept in the notes: mood: good'],
    })
    expect(done.passedOver).toEqual([
      { path: 'README.md', message: 'is not a bundle, checkpoint, halt dump or log in a known format' },
      {
        path: 'runtime/checkpoints/context_checkpoint_20260412T101530Z_fix.md',
        message: 'is the Markdown of context_checkpoint_20260412T101530Z_fix.json',
      },
      { path: 'runtime/checkpoints/LATEST.json', message: 'names checkpoints that have files of their own' },
    ])
    expect(readFileSync(at('RLM/progress/bundles/abc123.json'), 'utf8')).toBe(before)

    const again = await tenfold('import', '.')
    expect(again).toMatchObject({ code: 0, stderr: '' })
    expect(again.stdout).toMatch(/\nImported nothing new; 6 already imported; 3 files not imported\.\n$/)
    const listed = JSON.parse((await tenfold('list', '--json')).stdout) as { task?: string }[]
    expect(listed.map(({ task }) => task)).toContain('AUTH-7')
    expect(listed).toHaveLength(3)
    expect((await tenfold('verify')).stdout).toMatch(/no faults\.\n$/)
  })

  it('keeps the current track that LATEST names, and shows bundles by task and session', async () => {
    expect((await tenfold('checkpoint', 'resume', '--porcelain')).stdout).toContain(
      'track=MAIN\nstep=fix landed\n',
    )
    expect((await tenfold('show', 'AUTH-7')).stdout).toContain('## Steps\n- [x] Add\n- [ ] Migrate\n')
    expect((await tenfold('resume', '--task', 'TASK-003')).stdout).toContain('Continue with TASK-003.')
    expect((await tenfold('dump', 'list')).stdout).toContain('T-12')
  })

  it('is not needed to show or resume a bundle, and an error names it for a dump', async () => {
    const path = 'RLM/progress/bundles/abc123.json'
    const shown = await tenfold('show', path, '--json', '--store', 'elsewhere')
    expect(JSON.parse(shown.stdout)).toMatchObject({ task: 'TASK-003', source: { sessionId: 'abc123' } })
    const resumed = await tenfold('resume', '--bundle', path, '--store', 'elsewhere', '--no-verify')
    expect(resumed.stdout).toContain('## Resume point\n- Continue with TASK-003.\n')
    write('AUTH-9.md', '# Plan Bundle: JWT\n\n## Implementation Steps\n1. [ ] Migrate\n')
    expect((await tenfold('show', 'AUTH-9.md')).stdout).toMatch(/^task: AUTH-9$/m)
    const dump = await tenfold('dump', 'show', 'tmp/halt-dump/h1')
    expect(dump).toMatchObject({ code: 1 })
    expect(dump.stderr).toContain('If another tool wrote it, import it with tenfold import.')
  })

  it('does not let an old checkpoint lead away from newer work of the store', async () => {
    await tenfold('compress', '--store', 'newer', 'session.jsonl')
    write('old/context_checkpoint_20200101T000000Z_old.json', { ...snapshot, step: 'long ago', track: 'OLD' })
    await tenfold('import', '--store', 'newer', 'old')
    expect((await tenfold('resume', '--store', 'newer', '--no-verify')).stdout).not.toContain('long ago')
    const asked = await tenfold('resume', '--store', 'newer', '--no-verify', '--track', 'OLD')
    expect(asked.stdout).toContain('long ago')
  })

  it('makes bundles without a log, which no advice says to compress again', async () => {
    await tenfold('import', '--store', 'bare', 'RLM')
    for (const command of ['view', 'recall']) {
      const args = command === 'view' ? ['view', 'abc123'] : ['recall', 'LATEST', 'mood', '--no-fallback']
      const ran = await tenfold(...args, '--store', 'bare')
      expect(ran.code, command).toBe(1)
      expect(ran.stderr, command).toMatch(/was given by hand: there is no log behind it\.\n$/)
    }
  })

  it('follows no link out of the folder', async () => {
    write('linked/inside.json', { ...bundle, session_id: 'inside' })
    for (const [target, link] of [
      ['../RLM/progress/bundles/abc123.json', 'file.json'],
      ['../session.jsonl', 'log.jsonl'],
      ['../RLM', 'folder'],
      ['inside.json', 'again.json'],
    ] as const)
      symlinkSync(target, at('linked', link))
    const ran = await tenfold('import', 'linked', '--json', '--dry-run')
    const { imported, passedOver }: Report = JSON.parse(ran.stdout)
    expect(imported.map(({ path }) => path)).toEqual(['linked/again.json', 'linked/inside.json'])
    const message = 'is a link that leads out of the folder'
    for (const path of ['linked/file.json', 'linked/log.jsonl'])
      expect(passedOver).toContainEqual({ path, message })
  })

  it('fails if there is nothing, and for a damaged file', async () => {
    expect(await tenfold('import', 'README.md')).toMatchObject({ code: 1 })
    expect(await tenfold('import', 'nowhere')).toMatchObject({ code: 1 })
    write('bad/own.json', { schemaVersion: 1, trail: [], compression: {} })
    const ran = await tenfold('import', 'bad')
    expect(ran).toMatchObject({ code: 1 })
    expect(ran.stderr).toContain('own.json: not a valid context bundle')
  })
})

describe('save', () => {
  it('completes a bundle of JSON from stdin, or of Markdown', async () => {
    const given = { summary: 'JWT chosen', next_steps: ['plan it'], mood: 'good' }
    const args = ['save', '-', '--task', 'T-1', '--track', 'auth', '--kind', 'research', '--json']
    const ran = await runAlone(args, { cwd: at(), stdin: JSON.stringify(given) })
    expect(ran).toMatchObject({ code: 0, stderr: 'note: no-field: mood: good\n' })
    expect(JSON.parse(ran.stdout)).toMatchObject({ track: 'auth' })
    const shown = (await tenfold('show', 'T-1')).stdout
    expect(shown).toContain('kind: research\ntrack: auth\ntask: T-1\n')
    expect(shown).toContain('## Next steps\n- plan it\n')
    expect(await tenfold('save', '.agents/bundles/AUTH-7.md')).toMatchObject({ code: 0, stderr: '' })
  })

  it('refuses what says nothing, is not readable, or is of another kind', async () => {
    write('empty.json', {})
    write('cut.json', '{"summary": "x')
    write('nonsense.txt', 'hello\nthere\n')
    for (const [args, words] of [
      [['empty.json'], 'a summary or a next step'],
      [['nonsense.txt'], 'or Markdown with a title or a section such as "## Summary"'],
      [['cut.json'], 'its JSON cannot be read'],
      [['nowhere.md'], 'cannot be read'],
      [['.agents/bundles/AUTH-7.md', '--kind', 'research'], 'Its kind is plan'],
    ] as const) {
      const ran = await tenfold('save', ...args)
      expect(ran.code).toBe(1)
      expect(ran.stderr).toContain(words)
    }
  })
})
