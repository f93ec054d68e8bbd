import { appendFileSync, rmSync } from 'node:fs'
import { beforeAll, describe, expect, it } from 'vitest'
import { testFolder } from '../../../test/support/test-folder.ts'
import { writeClaudeLog } from './support/claude-log.ts'
import { type Ran, run } from './support/run.ts'

const at = testFolder('all')
const recall = (...args: string[]): Promise<Ran> => run(['recall', ...args], { cwd: at() })

beforeAll(async () => {
  for (const session of ['first', 'second']) writeClaudeLog(at(`${session}.jsonl`), { session, rounds: 6 })
  const message = { role: 'user', content: 'Look\u001b[31m at --dry-run\u202e and\nat 検索の速さ' }
  const line = {
    type: 'user',
    uuid: 'x',
    sessionId: 'second',
    timestamp: '2026-01-02T04:00:00.000Z',
    message,
  }
  appendFileSync(at('second.jsonl'), `${JSON.stringify(line)}\n`)
  const ran = await run(['compress', '--quiet', 'first.jsonl', 'second.jsonl'], { cwd: at() })
  expect(ran).toMatchObject({ code: 0, stderr: '' })
})

describe('recall', () => {
  it('prints its matches quoted and clean, with their places', async () => {
    const ran = await recall('npm', 'test', '--', 'part-3')
    expect(ran).toMatchObject({ code: 0, stderr: '' })
    expect(ran.stdout).toMatch(/^\d+ of \d+ matching events for "npm test part-3" in 2 logs\./)
    const hostile = await recall('検索の速さ')
    expect(hostile.stdout).toContain(' · user · turn 7 · 2026-01-02T04:00:00.000Z · second.jsonl:')
    expect(hostile.stdout).toContain('\n> Look at --dry-run\\u{202e} and\n> at 検索の速さ\n')
    expect(hostile.stdout).not.toContain('\u001b')
  })

  it('accepts event ids, facets, a bundle, and a query that begins with a dash', async () => {
    const json = async (...args: string[]) => {
      const ran = await recall('--json', ...args)
      expect(ran).toMatchObject({ code: 0, stderr: '' })
      return JSON.parse(ran.stdout)
    }
    const { hits, logs } = await json('e3', '--context', '1')
    expect(hits).toMatchObject([
      { event: 'e3', match: 'event', before: [{ event: 'e2' }], after: [{ event: 'e4' }] },
    ])
    expect(logs).toMatchObject([{ sessionId: 'second', from: 'log' }])
    const facets = await json('--event', 'e1-e30', '--tool', 'bash', '--turns', '2-3', '--kind', 'tool_call')
    expect(facets.hits.map(({ turn, kind }: { turn: number; kind: string }) => [turn, kind])).toEqual([
      [2, 'tool_call'],
      [3, 'tool_call'],
    ])
    expect((await json('--', '--dry-run')).hits[0]).toMatchObject({ kind: 'user', match: 'exact' })
    const all = await json('--all', 'Exit code 1', '--limit', '3')
    const older = all.logs.at(-1).bundle
    const named = await json(older, 'part 2', '--limit', '1')
    expect(named.logs).toMatchObject([{ sessionId: 'first', bundle: older }])
    expect(named.hits).toHaveLength(1)
  })

  it('exits like grep if nothing matches, and explains any other failure', async () => {
    const none = await recall('qwertz')
    expect(none).toMatchObject({ code: 1, stderr: '' })
    expect(none.stdout).toContain('No event matches for "qwertz"')
    expect(none.stdout).toContain('To search the sessions of all tracks, add --all.')
    expect((await recall('--all', 'qwertz')).stdout).not.toContain('--all')
    for (const [args, code, message] of [
      [[], 2, 'expected words to search for'],
      [['LATEST'], 2, 'expected words to search for'],
      [['x', '--kind', 'novel'], 2, 'tool_result'],
      [['x', '--turns', '5-2'], 2, 'expected turns such as 3'],
      [['x', '--bundle', 'LATEST', '--task', 'T-1'], 2, 'a bundle cannot be used with --task'],
      [['x', '--all', '--bundle', 'LATEST'], 2, 'cannot be used with'],
      [['x', '--event', 'first'], 2, 'expected event ids such as e17'],
      [['e20-e10'], 2, 'expected a range such as e10-e20'],
      [['20200101T000000000Z-111111111', 'x'], 1, 'holds no bundle'],
    ] as const) {
      const ran = await recall(...args)
      expect(ran).toMatchObject({ code, stdout: '' })
      expect(ran.stderr).toContain(message)
      expect(ran.stderr).not.toMatch(/ {4}at |Unexpected/)
    }
  })

  it('searches the bundle if its log is missing, or fails if asked to', async () => {
    rmSync(at('.agents/bundles/archive'), { recursive: true })
    const ran = await recall('part', '--limit', '2')
    expect(ran).toMatchObject({ code: 0, stderr: '' })
    expect(ran.stdout).toContain('Note: The log of bundle')
    const strict = await recall('LATEST', 'part', '--no-fallback')
    expect(strict).toMatchObject({ code: 1, stdout: '' })
    expect(strict.stderr).toContain('Compress the log again')
  })
})
