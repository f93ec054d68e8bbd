import { createHash } from 'node:crypto'
import { cpSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { parseReport } from '@tenfold/measure'
import { beforeAll, describe, expect, it } from 'vitest'
import { testFolder } from '../../../test/support/test-folder.ts'
import { writeClaudeLog } from './support/claude-log.ts'
import { type Ran, run } from './support/run.ts'

const at = testFolder('all')
const tenfold = (...args: string[]): Promise<Ran> => run(args, { cwd: at() })
const read = (name: string): string => readFileSync(at(name), 'utf8')

beforeAll(async () => {
  mkdirSync(at('logs'))
  for (const session of ['first', 'second'])
    writeClaudeLog(at('logs', `${session}.jsonl`), {
      session,
      words: 400,
      rounds: session === 'first' ? 1 : 60,
    })
  expect(await tenfold('compress', '--quiet', '--track', 'main', 'logs')).toMatchObject({
    code: 0,
    stderr: '',
  })
})

describe('report', () => {
  it('measures the bundles of a store against their archives, and writes every format', async () => {
    const outputs = ['report.json', 'report.md', 'report.html', 'report.xml', 'report.txt']
    const summary = at('summary.md')
    const ran = await run(['report', ...outputs.flatMap((name) => ['-o', name]), '--pages', 'sessions'], {
      cwd: at(),
      env: { GITHUB_STEP_SUMMARY: summary },
    })
    expect(ran).toMatchObject({ code: 0, stderr: '' })
    expect(ran.stdout).toBe(read('report.txt'))
    expect(ran.stdout).toMatch(/^2 bundles, 0 failures\./)
    const { rows, totals } = parseReport(JSON.parse(read('report.json')))
    expect(rows.map(({ measuredFrom, sessionId }) => [sessionId, measuredFrom])).toEqual([
      ['first', 'archive'],
      ['second', 'archive'],
    ])
    expect(totals).toMatchObject({ work: { bundles: 1 }, small: { bundles: 1 }, measured: 2 })
    expect(totals.work.ratio).toBeLessThanOrEqual(0.1)
    expect(totals.faithfulness).toBe(1)
    expect(read('summary.md')).toBe(read('report.md'))
    expect(read('report.xml')).toContain('failures="0" errors="0"')
    const pages = readdirSync(at('sessions'))
    expect(pages).toEqual(rows.map(({ bundle }) => `${bundle}.html`))
    for (const page of pages) expect(read('report.html')).toContain(`href="sessions/${page}"`)
  })

  it('takes no figure from a bundle that was changed, and counts those of one whose log is there', async () => {
    const store = at('altered')
    cpSync(at('.agents/bundles'), store, { recursive: true })
    const [second = ''] = readdirSync(join(store, 'tracks/main'))
      .filter((name) => /\d\.json$/.test(name))
      .filter((name) => /"sessionId":\s*"second"/.test(readFileSync(join(store, 'bundles', name), 'utf8')))
    const path = join(store, 'bundles', second)
    const bundle = JSON.parse(readFileSync(path, 'utf8'))
    const limit = bundle.compression.ratio / 2
    Object.assign(bundle.compression, { bundleTokens: 1, sourceTokens: 1e9, ratio: 0.0001 })
    const text = JSON.stringify(bundle)
    writeFileSync(path, text)
    const changed = await tenfold('report', store, '--max-ratio', String(limit))
    expect(changed).toMatchObject({
      code: 1,
      stdout: expect.stringContaining('was changed after it was saved'),
    })
    // Someone may have changed the digest too.
    const entry = join(store, 'tracks/main', second)
    const sha256 = createHash('sha256').update(text).digest('hex')
    const saved = JSON.parse(readFileSync(entry, 'utf8'))
    writeFileSync(entry, JSON.stringify({ ...saved, sha256, size: text.length }))
    expect((await tenfold('report', store, '--max-ratio', String(limit))).code).toBe(1)
    expect((await tenfold('report', store, '--max-ratio', String(limit * 2.1))).code).toBe(0)
  })

  it('gives the same figures for the logs themselves, and saves nothing', async () => {
    const ran = await tenfold('report', 'logs', '--store', 'none', '--format', 'json')
    expect(ran).toMatchObject({ code: 0, stderr: '' })
    const fresh = parseReport(JSON.parse(ran.stdout))
    const stored = parseReport(JSON.parse(read('report.json')))
    expect(fresh.rows.map(({ log, measuredFrom }) => [log, measuredFrom])).toEqual([
      ['logs/first.jsonl', 'log'],
      ['logs/second.jsonl', 'log'],
    ])
    // Ids and times of bundles take a few tokens more or less.
    expect(Math.abs(fresh.totals.all.bundleTokens - stored.totals.all.bundleTokens)).toBeLessThan(20)
    expect([fresh.retention, fresh.precision]).toEqual([stored.retention, stored.precision])
    expect((await tenfold('report', 'logs', '--store', 'none', '--json')).stdout).toBe(ran.stdout)
    expect(readdirSync(at())).not.toContain('none')
  })

  it('fails by a limit and names the log with its title', async () => {
    const limits = ['--max-ratio', '0.05', '--min-retention', '0', '--max-cost', '0']
    const ran = await tenfold('report', ...limits)
    expect(ran.code).toBe(1)
    expect(ran.stderr).toMatch(
      /^error: Fix part 1 of the shop \(second\): \d\.\d\d % is \d\.\d\d points above --max-ratio 5\.00 %\n$/,
    )
    expect((await tenfold('report', '--max-ratio', '0.1')).code).toBe(0)
  })

  it('compares with a baseline, and fails beyond the tolerance', async () => {
    const same = await tenfold('report', '--baseline', 'report.json', '--tolerance', '0')
    expect(same).toMatchObject({ code: 0, stderr: '' })
    expect(same.stdout).toContain('Tolerance 0.00 %, 0 changes, 0 new logs, 0 logs gone.')
    const better = parseReport(JSON.parse(read('report.json')))
    for (const row of better.rows) row.ratio /= 2
    writeFileSync(at('better.json'), JSON.stringify(better))
    const worse = await tenfold('report', '--baseline', 'better.json')
    expect(worse.code).toBe(1)
    expect(worse.stderr).toMatch(/second: ratio went from \d\.\d\d % to \d\.\d\d %, beyond --tolerance 0\.01/)
    writeFileSync(at('wrong.json'), '{"schemaVersion": 1}')
    const wrong = await tenfold('report', '--baseline', 'wrong.json')
    expect(wrong.code).toBe(2)
    expect(wrong.stderr).toMatch(/^error: --baseline wrong\.json: not a valid report: totals/)
  })

  it('counts logs that fail, and goes on with the others', async () => {
    writeFileSync(at('noise.jsonl'), 'no log at all\n')
    const ran = await tenfold('report', 'noise.jsonl', 'logs/first.jsonl', '--format', 'json')
    expect(ran.code).toBe(1)
    expect(ran.stderr).toContain('noise.jsonl')
    const { rows, failures } = parseReport(JSON.parse(ran.stdout))
    expect([rows.length, failures.length]).toEqual([1, 1])
    expect(failures[0]).toMatchObject({ log: 'noise.jsonl', code: expect.stringMatching(/^(log|unknown)-/) })
    expect((await tenfold('report', 'noise.jsonl', 'logs', '--max-failures', '1')).code).toBe(0)
  })

  it('says of an empty store what to run, and gives its zeros to programs', async () => {
    const ran = await tenfold('report', '--store', 'none')
    expect(ran).toMatchObject({ code: 0, stderr: '' })
    expect(ran.stdout).toBe(
      'There is no bundle to report on yet. To compress the newest session of this folder: tenfold compress\n',
    )
    const { stdout } = await tenfold('report', '--store', 'none', '--format', 'json')
    expect(parseReport(JSON.parse(stdout)).totals).toMatchObject({ all: { bundles: 0 }, measured: 0 })
  })

  it('warns that no limit was checked if there is no bundle', async () => {
    const ran = await tenfold('report', '--store', 'none', '--max-ratio', '0.1')
    expect(ran).toMatchObject({
      code: 0,
      stderr: 'warning: there is no bundle to measure, so no limit was checked\n',
    })
  })

  it('shows the weeks and projects of a store', async () => {
    const ran = await tenfold('report', '--since', '2020-01-01', '-o', 'weeks.html', '-o', 'weeks.json')
    expect(ran).toMatchObject({ code: 0, stderr: '' })
    expect(ran.stdout).toMatch(/^2 sessions since 2020-01-01\n\nWeeks\nWEEK OF +SESSIONS/)
    expect(JSON.parse(read('weeks.json'))).toMatchObject({ schemaVersion: 1, total: { sessions: 2 } })
    expect(read('weeks.html')).toContain('<h1>2 sessions since 2020-01-01</h1>')
    const wrong = await tenfold('report', '--since', '7d', '--max-ratio', '0.1')
    expect(wrong).toMatchObject({ code: 2, stderr: expect.stringContaining('expected neither limits') })
  })

  it('reports on bundle files, and says which it could not measure', async () => {
    const [id = ''] = readdirSync(at('.agents/bundles/bundles')).filter((name) => name.endsWith('.md'))
    const file = join('.agents/bundles/bundles', id)
    const measured = parseReport(JSON.parse((await tenfold('report', file, '--format', 'json')).stdout))
    expect(measured.rows[0]).toMatchObject({ log: file, measuredFrom: 'archive' })
    rmSync(at('.agents/bundles/archive'), { recursive: true })
    const ran = await tenfold('report', '--format', 'json', '--min-retention', '0.1')
    const { rows, totals } = parseReport(JSON.parse(ran.stdout))
    expect(totals.measured).toBe(0)
    expect(rows[0]).toMatchObject({
      measuredFrom: 'bundle',
      unmeasured: expect.stringContaining('was pruned or deleted'),
    })
    expect(ran.code).toBe(1)
    expect(ran.stderr).toContain('no bundle could be measured')
  })
})
