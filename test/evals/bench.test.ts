import { execFile } from 'node:child_process'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { describe, expect, it } from 'vitest'
import { hasRedis } from '../support/redis-server.ts'

const bench = join(import.meta.dirname, '../../tools/dist/bench/bench.js')
const queueRow = 'queue: CPU added to each log'
const run = (...args: string[]) => promisify(execFile)(process.execPath, [bench, ...args])

describe('bench', () => {
  it('measures every metric on a corpus of the example logs', {
    timeout: 600_000,
  }, async () => {
    const { stdout } = await run('--json', '--repeat', '1', '--megabytes', '0.1', '--logs', '1')
    const { measures } = JSON.parse(stdout)
    const named = measures.map(({ what }: { what: string }) => what.replace(/[\d.]+ MB/, 'N MB'))
    expect(named).toEqual([
      'read and normalise',
      'count tokens',
      'compress offline',
      ...Array(3).fill('peak memory, log of N MB'),
      'compress a batch, 2 workers',
      'cores kept busy, 2 workers',
      ...[
        'readSession of a path',
        'readSession of bytes',
        'compressLog',
        'compressLogs',
        'recall',
        'measureBundle',
        'renderPage',
        'renderBrief',
      ].flatMap((work) => [
        `event loop held by ${work}, N MB`,
        `time from an abort to the end of ${work}, N MB`,
      ]),
      ...(hasRedis() ? [queueRow] : []),
      'start: tenfold --version',
      'start: tenfold --help',
      'start: tenfold list',
      'start: tenfold checkpoint save --step started',
      'start: tenfold resume',
      ...['SessionStart', 'SessionEnd'].map((event) => `start: tenfold hook claude-code (${event})`),
      ...['', '/bundle', '/storage', '/summarizer'].map((path) => `start: import '@tenfold/core${path}'`),
      ...['extractive', 'model', 'batch'].map((name) => `start: import '@tenfold/summarizers/${name}'`),
    ])
    for (const { what, value, base, ratio } of measures) {
      // A difference of two times may be below zero on a busy machine, and a small log may be done when it is aborted.
      const least =
        what === queueRow ? Number.NEGATIVE_INFINITY : what.startsWith('time from an abort') ? 0 : 1e-9
      expect(Number.isFinite(ratio) && ratio >= least, what).toBe(true)
      expect(ratio).toBeCloseTo(value / base, 6)
    }
  })

  it('prints what there is and how to install the others if peers and Redis are missing', async () => {
    const empty = mkdtempSync(join(tmpdir(), 'tenfold-no-peers-'))
    const env = { PATH: empty, HOME: empty, TMPDIR: empty }
    const args = ['--peers', '--megabytes', '0.1', '--logs', '1']
    const ran = await promisify(execFile)(process.execPath, [bench, ...args], { env })
    for (const peer of ['ccusage', 'gpt-tokenizer', 'textrank'])
      expect(ran.stderr).toMatch(
        new RegExp(`^${peer} [\\d.]+ is not installed\\. To compare with it: npm install .*${peer}@`, 'm'),
      )
    expect(ran.stderr).toContain('apt-get install redis-server')
    rmSync(empty, { recursive: true, force: true })
  })

  it('prints its usage', async () => {
    await expect(run('a', 'b')).rejects.toThrow(/Usage: npm run bench/)
  })
})
