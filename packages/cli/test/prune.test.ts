import { cpSync, existsSync, readdirSync, writeFileSync } from 'node:fs'
import { beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { testFolder } from '../../../test/support/test-folder.ts'
import { writeClaudeLog } from './support/claude-log.ts'
import { type Ran, run } from './support/run.ts'

const made = testFolder('all')
const folder = testFolder('each')
const at = (...parts: string[]): string => folder('.agents/bundles', ...parts)
const tenfold = (...args: string[]): Promise<Ran> => run(args, { cwd: folder() })
const idsOf = async (...args: string[]): Promise<string[]> =>
  JSON.parse((await tenfold('list', '--json', ...args)).stdout).map(({ id }: { id: string }) => id)
const bundlesIn = (path: string): string[] =>
  existsSync(at(path)) ? readdirSync(at(path)).filter((name) => name.endsWith('.json')) : []

beforeAll(async () => {
  for (const [hours, session] of ['first', 'second', 'third', 'fourth'].entries()) {
    writeClaudeLog(made(`${session}.jsonl`), { session, rounds: 8, hours })
    expect(await run(['compress', '--quiet', `${session}.jsonl`], { cwd: made() })).toMatchObject({
      code: 0,
      stderr: '',
    })
  }
})
beforeEach(() => cpSync(made(), folder(), { recursive: true }))

describe('prune', () => {
  it('moves the bundles beyond the last ones, lists them first if asked to, and leaves a healthy store', async () => {
    const [fourth, third, second, first] = await idsOf()
    const dry = await tenfold('prune', '--keep-last', '2', '--dry-run')
    expect(dry).toMatchObject({ code: 0, stderr: '' })
    expect(dry.stdout).toMatch(/^ID +TRACK +KIND +SESSION\n/)
    expect(dry.stdout).toContain('Would move 2 bundles and 2 archived logs to pruned/.\n')
    expect(bundlesIn('pruned/bundles')).toEqual([])

    const ran = await tenfold('prune', '--keep-last', '2')
    expect(ran).toMatchObject({ code: 0, stderr: '' })
    expect(ran.stdout).toContain('Moved 2 bundles and 2 archived logs to pruned/.\n')
    expect(await idsOf()).toEqual([fourth, third])
    expect(bundlesIn('pruned/bundles')).toEqual([`${first}.json`, `${second}.json`])
    expect((await tenfold('show', first ?? '', '--json')).stdout).toContain('"sessionId": "first"')
    expect((await tenfold('show', 'LATEST', '--json')).stdout).toContain('"sessionId": "fourth"')
    expect((await tenfold('verify')).stdout).toBe(
      '2 bundles on 1 track, 2 pruned, 2 archived logs, decompressed: no faults.\n',
    )
    expect((await tenfold('prune', '--keep-last', '2')).stdout).toBe('Nothing to prune.\n')
  })

  it('deletes if asked to, including what was moved before', async () => {
    const all = await idsOf()
    await tenfold('prune', '--keep-last', '3')
    const dry = JSON.parse(
      (await tenfold('prune', '--keep-last', '1', '--delete', '--dry-run', '--json')).stdout,
    )
    const ran = await tenfold('prune', '--keep-last', '1', '--delete', '--json')
    const done = JSON.parse(ran.stdout)
    expect(ran.code).toBe(0)
    expect(done.deleted).toEqual(dry.deleted)
    expect(done).toMatchObject({ dryRun: false, moved: [], kept: [], skipped: [] })
    expect(done.deleted.map(({ id }: { id: string }) => id)).toEqual(all.slice(1).reverse())
    expect(done.archives.deleted).toHaveLength(3)
    expect([bundlesIn('bundles').length, bundlesIn('pruned/bundles').length]).toEqual([1, 0])
    expect((await tenfold('verify')).stdout).toMatch(
      /^1 bundle on 1 track, 1 archived log, decompressed: no faults/,
    )
    // What was pruned does not come back by itself, and an old session does not displace a newer one.
    expect((await tenfold('compress', 'first.jsonl')).stdout).toContain('already compressed')
    await tenfold('compress', '--quiet', '--again', 'first.jsonl')
    expect(JSON.parse((await tenfold('list', '--json')).stdout)).toMatchObject([
      { sessionId: 'fourth' },
      { sessionId: 'first' },
    ])
  })

  it('reports what it kept because it is damaged', async () => {
    const [, , second = ''] = await idsOf()
    writeFileSync(at(`tracks/main/${second}.json`), '{}')
    const ran = await tenfold('prune', '--keep-last', '1')
    expect(ran.code).toBe(1)
    expect(ran.stderr).toMatch(/^not changed: tracks\/main\/\d{8}T\S+\.json: .*is damaged/)
    expect(ran.stdout).toContain('Moved 2 bundles')
  })

  it('refuses wrong usage', async () => {
    for (const [args, message] of [
      [[], /expected --keep-last, --older-than or both/],
      [['--older-than', '30'], /hours, days or weeks such as 12h/],
      [
        ['--keep-last', '1', '--kind', 'other'],
        /--kind <kind...>: expected one of research, plan, progress, context, got "other"/,
      ],
    ] as const) {
      const ran = await tenfold('prune', ...args)
      expect(ran.code, args.join(' ')).toBe(2)
      expect(ran.stderr).toMatch(message)
    }
    expect(bundlesIn('bundles')).toHaveLength(4)
  })
})

describe('prune of checkpoints and halt dumps', () => {
  it('deletes those beyond the newest of each track, and LATEST stays right', async () => {
    for (const step of ['one', 'two', 'three'])
      await tenfold('checkpoint', 'save', '--step', step, '--track', 'a')
    await tenfold('checkpoint', 'save', '--step', 'only', '--track', 'b')
    const refused = await tenfold('prune', '--checkpoints', '--keep-last', '1')
    expect(refused).toMatchObject({ code: 2, stdout: '' })
    expect(refused.stderr).toContain('expected --delete: checkpoints are not moved to pruned/, only deleted')
    const asked = ['prune', '--checkpoints', '--older-than', '0d', '--keep-last', '2']
    expect((await tenfold(...asked, '--dry-run')).stdout).toMatch(/\nWould delete 1 checkpoint for good\.\n$/)
    expect((await tenfold(...asked, '--delete')).stdout).toMatch(/\nDeleted 1 checkpoint for good\.\n$/)
    const left = JSON.parse((await tenfold('checkpoint', 'list', '--json')).stdout)
    expect(left.map(({ step }: { step: string }) => step).sort()).toEqual(['only', 'three', 'two'])
    // The newest of a track stays, however old it is.
    await tenfold('prune', '--checkpoints', '--older-than', '0d', '--delete')
    const last = JSON.parse((await tenfold('checkpoint', 'list', '--json')).stdout)
    expect(last.map(({ step }: { step: string }) => step).sort()).toEqual(['only', 'three'])
    expect((await tenfold('verify')).stdout).toMatch(/no faults\.\n$/)
  })
})

describe('list by time', () => {
  it('takes dates and ages', async () => {
    const all = await idsOf()
    expect(await idsOf('--since', '9000d')).toEqual(all)
    expect(await idsOf('--until', '9000d')).toEqual([])
    const today = new Date().toISOString().slice(0, 10)
    expect(await idsOf('--since', '2020-01-01', '--until', today)).toEqual(all)
    expect(await idsOf('--until', '2020-01-01')).toEqual([])
    expect(await idsOf('--since', '9000d', '--limit', '3')).toEqual(all.slice(0, 3))
    for (const wrong of ['yesterday', '2026-02-30', '7', '2026-13-01', '1y'])
      expect((await tenfold('list', '--since', wrong)).code, wrong).toBe(2)
  })
})
