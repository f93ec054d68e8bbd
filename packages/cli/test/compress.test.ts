import { existsSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { testFolder } from '../../../test/support/test-folder.ts'
import { claudeLog, writeClaudeLog } from './support/claude-log.ts'
import { linesOf, type Ran, run, runAlone } from './support/run.ts'

const at = testFolder('each')
const tenfold = (...args: string[]): Promise<Ran> => run(args, { cwd: at() })
const bundlesIn = (store: string): string[] =>
  existsSync(at(store, 'bundles'))
    ? readdirSync(at(store, 'bundles')).filter((name) => name.endsWith('.json'))
    : []

describe('compress', () => {
  it('compresses a log into the default store and reports the result', async () => {
    writeClaudeLog(at('shop.jsonl'), { title: 'Fix the shop', rounds: 12 })
    const ran = await tenfold('compress', 'shop.jsonl')
    expect(ran).toMatchObject({ code: 0, stderr: '' })
    expect(ran.stdout).toMatch(/^shop\.jsonl\n {2}claude-code · “Fix the shop”\n/)
    expect(ran.stdout).toMatch(/ {2}[\d,]+ → [\d,]+ tokens \(\d+\.\d\d %, within 5–10 %\)\n/)
    expect(ran.stdout).toMatch(
      / {2}finished · \d+ files? · \d+ decisions? · \d+ next steps? · \d+ open errors? · \d+ events/,
    )
    const [id] = bundlesIn('.agents/bundles')
    expect(ran.stdout).toContain(
      `→ ${join('.agents/bundles/bundles', id?.replace('.json', '.md') ?? '')} (track main)`,
    )
    expect(JSON.parse(readFileSync(at('.agents/bundles/tracks/main/LATEST.json'), 'utf8'))).toMatchObject({
      id: id?.replace('.json', ''),
    })
    expect(existsSync(at('.agents/bundles/archive'))).toBe(true)
  })

  it('prints one JSON object per log', async () => {
    writeClaudeLog(at('a.jsonl'), { session: 'session-a', rounds: 30 })
    writeFileSync(at('b.jsonl'), `${claudeLog({ session: 'session-b' })}{"type":"user","mess`)
    const ran = await tenfold('compress', '--json', '--store', 'store', 'a.jsonl', 'b.jsonl')
    expect(ran).toMatchObject({ code: 0, stderr: '' })
    const [a, b] = linesOf(ran)
    expect(a).toEqual({
      log: 'a.jsonl',
      format: 'claude-code',
      sessionId: 'session-a',
      bundle: {
        id: expect.stringMatching(/^\d{8}T\d{9}Z-/),
        key: expect.stringMatching(/^bundles\/.+\.json$/),
      },
      state: 'finished',
      tokens: {
        counter: 'o200k_base',
        source: expect.any(Number),
        bundle: expect.any(Number),
        ratio: expect.any(Number),
      },
      band: 'within',
      events: expect.any(Number),
      redacted: 0,
      summary: {
        summarizer: 'extractive',
        promptVersion: '1',
        readTokens: expect.any(Number),
        unverified: 0,
        calls: [],
      },
      notes: expect.any(Array),
      durationMs: expect.any(Number),
    })
    expect(b).toMatchObject({ log: 'b.jsonl', sessionId: 'session-b' })
    expect(b?.notes).toContainEqual(
      expect.objectContaining({ code: 'truncated-tail', message: expect.any(String) }),
    )
    expect(bundlesIn('store')).toHaveLength(2)
  })

  it('keeps the requested ratio and labels', async () => {
    writeClaudeLog(at('a.jsonl'), { rounds: 12 })
    const labels = ['--kind', 'progress', '--track', 'review', '--task', 'T-1']
    const options = ['--max-ratio', '0.04', ...labels]
    const ran = await tenfold('compress', '--json', '--store', 'store', ...options, 'a.jsonl')
    const [line] = linesOf(ran) as [{ bundle: { key: string }; tokens: { ratio: number } }]
    expect(line.tokens.ratio).toBeLessThanOrEqual(0.04)
    const bundle = JSON.parse(readFileSync(at('store', line.bundle.key), 'utf8'))
    expect(bundle).toMatchObject({
      kind: 'progress',
      track: 'review',
      task: 'T-1',
      source: { archived: true },
    })
    expect(existsSync(at('store/tracks/review/LATEST.json'))).toBe(true)
  })

  it('shrinks a small log to a few hundred tokens, and keeps no archive if asked not to', async () => {
    writeClaudeLog(at('small.jsonl'), { rounds: 1, words: 20 })
    const ran = await tenfold('compress', '--json', '--no-archive', 'small.jsonl')
    expect(linesOf(ran)[0]).toMatchObject({ band: 'small' })
    expect(existsSync(at('.agents/bundles/archive'))).toBe(false)
    const human = await tenfold('compress', '--store', 's', 'small.jsonl')
    expect(human.stdout).toMatch(/%, a small log\)/)
  })

  it('reads stdin', async () => {
    const ran = await runAlone(['compress', '--json', '-'], { cwd: at(), stdin: claudeLog({ rounds: 12 }) })
    expect(ran).toMatchObject({ code: 0, stderr: '' })
    expect(linesOf(ran)[0]).toMatchObject({
      log: '-',
      format: 'claude-code',
      sessionId: 'session-1',
      band: 'within',
    })
    const empty = await run(['compress', '--json', '-'], { cwd: at() })
    expect(empty.code).toBe(1)
    expect(linesOf(empty)[0]).toMatchObject({
      log: '-',
      error: { code: 'log-empty', message: expect.stringContaining('stdin') },
    })
  })

  it('continues after a log that fails', async () => {
    writeClaudeLog(at('good.jsonl'), { rounds: 12 })
    writeClaudeLog(at('last.jsonl'), { session: 'session-2' })
    writeFileSync(at('other.jsonl'), '{"colour":"blue"}\n')
    const logs = ['missing.jsonl', 'good.jsonl', 'other.jsonl', 'last.jsonl']
    const ran = await tenfold('compress', '--json', ...logs)
    expect(ran.code).toBe(1)
    const lines = linesOf(ran)
    expect(lines.map((line) => line.log)).toEqual(logs)
    expect(lines[0]).toEqual({
      log: 'missing.jsonl',
      error: { code: 'log-missing', message: expect.any(String) },
    })
    expect(lines[2]).toEqual({
      log: 'other.jsonl',
      error: { code: 'unknown-format', message: expect.any(String) },
    })
    expect(lines[1]).toMatchObject({ band: 'within' })
    expect(ran.stderr).toMatch(
      /^error: There is no log at missing\.jsonl; check the path\.\nerror: other\.jsonl is of no known format: .+\n$/,
    )
    expect(ran.stderr).not.toContain('    at ')
    expect(bundlesIn('.agents/bundles')).toHaveLength(2)
    const human = await tenfold('compress', '--store', 's', 'missing.jsonl', 'good.jsonl')
    expect(human.stdout).toMatch(/\n1 done, 1 failed · [\d,]+ → [\d,]+ tokens \(\d+\.\d\d %\) · /)
  })

  it('writes nothing in a dry run', async () => {
    writeClaudeLog(at('a.jsonl'), { rounds: 12 })
    const ran = await tenfold('compress', '--dry-run', 'a.jsonl')
    expect(ran.code).toBe(0)
    expect(ran.stdout).toContain('dry run: nothing was written')
    const json = await tenfold('compress', '--dry-run', '--json', 'a.jsonl')
    expect(linesOf(json)[0]).toMatchObject({ dryRun: true, bundle: { key: null }, band: 'within' })
    expect(readdirSync(at())).toEqual(['a.jsonl'])
  })

  it('writes the Markdown to a file or to stdout', async () => {
    writeClaudeLog(at('a.jsonl'))
    expect((await tenfold('compress', '--output', 'new/handover.md', 'a.jsonl')).code).toBe(0)
    const [name = ''] = bundlesIn('.agents/bundles')
    const stored = readFileSync(at('.agents/bundles/bundles', name.replace('.json', '.md')), 'utf8')
    expect(readFileSync(at('new/handover.md'), 'utf8')).toBe(stored)
    const piped = await tenfold('compress', '--dry-run', '--output', '-', 'a.jsonl')
    expect(piped.stdout).toMatch(/^---\ntenfold: 1\n/)
    expect(piped.stderr).toContain('a.jsonl\n')
    const failed = await tenfold('compress', '--output', 'a.jsonl/a.md', 'a.jsonl')
    expect(failed.code).toBe(1)
    expect(failed.stderr).toMatch(
      /^error: a\.jsonl: The bundle cannot be written to .+ was still saved in the store\.\n$/,
    )
  })

  it('prints only errors with --quiet', async () => {
    writeClaudeLog(at('a.jsonl'))
    expect(await tenfold('compress', '--quiet', 'a.jsonl')).toMatchObject({ code: 0, stdout: '', stderr: '' })
    const failed = await tenfold('compress', '--quiet', 'a.jsonl', 'b.jsonl')
    expect(failed).toMatchObject({ code: 1, stdout: '', stderr: expect.stringContaining('b.jsonl') })
  })

  it('prints no escape from a log or from its path', async () => {
    const name = 'a\u001b[31mred.jsonl'
    writeClaudeLog(at(name), { title: 'T\u001b]0;owned\u0007\u202eeltit' })
    for (const args of [
      ['compress', name],
      ['compress', '--json', name],
      ['inspect', name],
      ['inspect', '--json', name],
      ['list'],
      ['show', 'LATEST'],
      ['compress', `${name}x`],
      ['compress', '--nope\u001b[2J', name],
    ]) {
      const ran = await run(args, { cwd: at() })
      expect(`${ran.stdout}${ran.stderr}`).not.toMatch(/[\u001b\u0007\u202e]/)
    }
  })
})
