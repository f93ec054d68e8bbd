import { appendFileSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { bundleFromMarkdown, bundleToMarkdown, parseBundle, tiktokenCounter } from '@tenfold/core'
import { beforeAll, describe, expect, it } from 'vitest'
import { testFolder } from '../../../test/support/test-folder.ts'
import { claudeLog, writeClaudeLog } from './support/claude-log.ts'
import { type Ran, run } from './support/run.ts'

const at = testFolder('all')
const tenfold = (...args: string[]): Promise<Ran> => run(args, { cwd: at() })

beforeAll(async () => {
  writeClaudeLog(at('first.jsonl'), { session: 'first', title: 'First of all' })
  writeClaudeLog(at('second.jsonl'), { session: 'second', title: 'The second', rounds: 14, hours: 1 })
  writeClaudeLog(at('third.jsonl'), { session: 'third', title: 'The third', rounds: 10, hours: 2 })
  for (const args of [
    ['first.jsonl'],
    ['second.jsonl', '--kind', 'plan'],
    ['third.jsonl', '--track', 'review', '--task', 'T-1'],
  ]) {
    const ran = await tenfold('compress', '--quiet', ...args)
    expect(ran).toMatchObject({ code: 0, stderr: '' })
  }
})

describe('list', () => {
  const sessions = async (...args: string[]): Promise<string[]> => {
    const ran = await tenfold('list', '--json', ...args)
    expect(ran).toMatchObject({ code: 0, stderr: '' })
    return JSON.parse(ran.stdout).map((entry: { sessionId: string }) => entry.sessionId)
  }

  it('prints a table, newest first', async () => {
    const ran = await tenfold('list')
    expect(ran).toMatchObject({ code: 0, stderr: '' })
    const [head, ...rows] = ran.stdout.trimEnd().split('\n')
    expect(head).toMatch(/^ID +TRACK +KIND +STATE +SOURCE +BUNDLE +RATIO +FORMAT +SESSION +NEXT STEP$/)
    expect(rows.map((row) => /third|second|First of all/.exec(row)?.[0])).toEqual([
      'third',
      'second',
      'First of all',
    ])
    expect(rows[0]).toMatch(/ review +context +finished +[\d,]+ +[\d,]+ +\d\.\d\d % +claude-code /)
  })

  it('filters and limits', async () => {
    expect(await sessions()).toEqual(['third', 'second', 'first'])
    expect(await sessions('--track', 'main')).toEqual(['second', 'first'])
    expect(await sessions('--kind', 'plan')).toEqual(['second'])
    expect(await sessions('--session', 'first')).toEqual(['first'])
    expect(await sessions('--task', 'T-1')).toEqual(['third'])
    expect(await sessions('--limit', '2')).toEqual(['third', 'second'])
    expect(await sessions('--track', 'other')).toEqual([])
    expect((await tenfold('list', '--track', 'other')).stderr).toBe(
      'No bundles on track other in .agents/bundles. Its tracks are main, review.\n',
    )
    expect((await tenfold('list', '--limit', '1')).stdout).toContain('… and older bundles; raise --limit')
    expect(await sessions('--session', 'fir', '--limit', '1')).toEqual(['first'])
    for (const [args, which] of [
      [['--task', 'T-9'], 'of task T-9'],
      [['--session', 'none', '--kind', 'plan'], 'of kind plan, of session none'],
      [['--since', '1h', '--track', 'main'], 'on track main, since 2'],
    ] as const)
      expect((await tenfold('list', ...args)).stderr).toContain(`No bundles ${which}`)
  })

  it('refuses a store that is not there', async () => {
    const ran = await tenfold('list', '--store', 'nowhere')
    expect(ran).toMatchObject({
      code: 1,
      stdout: '',
      stderr: 'error: There is no store in nowhere; check the path.\n',
    })
    const { stdout } = await tenfold('list', '--store', 'nowhere', '--json')
    expect(JSON.parse(stdout)).toMatchObject({ error: { code: 'no-store' } })
  })
})

describe('show', () => {
  it('prints the same bundle as Markdown and as JSON', async () => {
    const markdown = await tenfold('show', 'LATEST')
    const json = await tenfold('show', 'LATEST', '--json')
    expect(markdown).toMatchObject({ code: 0, stderr: '' })
    expect(json).toMatchObject({ code: 0, stderr: '' })
    const bundle = parseBundle(JSON.parse(json.stdout))
    expect(bundleToMarkdown(bundle)).toBe(markdown.stdout)
    expect(bundleToMarkdown(bundleFromMarkdown(markdown.stdout))).toBe(markdown.stdout)
    expect(bundle.source.sessionId).toBe('second')
  })

  it('finds a bundle by track, by id or its beginning, by kind, and by file', async () => {
    const json = async (...args: string[]) =>
      parseBundle(JSON.parse((await tenfold('show', '--json', ...args)).stdout))
    const review = await json('LATEST', '--track', 'review')
    expect(review.source.sessionId).toBe('third')
    expect(await json(review.id)).toEqual(review)
    expect(await json(review.id.slice(0, -4))).toEqual(review)
    expect((await json('plan')).source.sessionId).toBe('second')
    expect((await tenfold('show', 'plan', '--track', 'review')).stderr).toContain('track or kind "plan"')
    const path = at('.agents/bundles/bundles', review.id)
    expect(await json(`${path}.json`)).toEqual(review)
    expect(bundleToMarkdown(await json(`${path}.md`))).toBe(bundleToMarkdown(review))
    expect((await tenfold('show', `${path}.json`)).stdout).toBe(readFileSync(`${path}.md`, 'utf8'))
  })

  it('warns of a bundle that was changed in the store', async () => {
    const { id } = JSON.parse((await tenfold('show', 'LATEST', '--track', 'review', '--json')).stdout)
    expect(await tenfold('show', id)).toMatchObject({ code: 0, stderr: '' })
    const path = at('.agents/bundles/bundles', `${id}.json`)
    const whole = readFileSync(path, 'utf8')
    writeFileSync(path, whole.replace('"track": "review"', '"track":  "review"'))
    const ran = await tenfold('show', id)
    writeFileSync(path, whole)
    expect(ran.stdout).toContain(id)
    expect(ran.stderr).toMatch(
      /^warning: this is not the bundle that was saved: bundles\/\S+ holds \d+ bytes instead of \d+/,
    )
  })

  it('reports what it did not find, or what is wrong with it', async () => {
    writeFileSync(at('bad.json'), '{"schemaVersion":1}')
    writeFileSync(at('torn.json'), '{"schemaVersion":1')
    writeFileSync(at('bad.md'), '# Notes\n')
    for (const [args, message] of [
      [['LATEST', '--track', 'other'], 'no bundle on track other'],
      [['LATEST', '--track', 'other'], 'main, review'],
      [['LATEST', '--store', 'nowhere'], 'Compress a session first: tenfold compress'],
      [['20200101T000000000Z-111111111'], 'error: /'],
      [['20200101T000000000Z-111111111'], 'holds no bundle 20200101T000000000Z-111111111'],
      [
        ['nonsense'],
        'has the id, session, task, track or kind "nonsense". To see what it has: tenfold list.',
      ],
      [['nonsense', '--store', 'nowhere'], 'Compress a session first: tenfold compress'],
      [['missing.json'], 'no such file'],
      [['bad.json'], 'not a valid context bundle'],
      [['torn.json'], 'torn.json is not JSON'],
      [['bad.md'], 'front matter'],
    ] as const) {
      const ran = await tenfold('show', ...args)
      expect(ran).toMatchObject({ code: 1, stdout: '' })
      expect(ran.stderr).toMatch(/^error: /)
      expect(ran.stderr).toContain(message)
      expect(ran.stderr).not.toMatch(/ {4}at |Unexpected/)
    }
  })
})

describe('a command that fails with --json', () => {
  it.each([
    ['show', 'nope'],
    ['resume', '--track', 'nope'],
    ['recall', 'x', '--track', 'nope'],
  ])('prints the code and the message: %s', async (...args) => {
    const ran = await tenfold(...args, '--json')
    expect(ran.code).toBe(1)
    const { error } = JSON.parse(ran.stdout)
    expect(error.code).toBe('no-bundle')
    expect(ran.stderr).toBe(`error: ${error.message}\n`)
    expect((await tenfold(...args)).stdout).toBe('')
  })
})

describe('resume', () => {
  it('prints the brief of the newest bundle within the limit', async () => {
    const counter = tiktokenCounter()
    const ran = await tenfold('resume')
    expect(ran).toMatchObject({ code: 0, stderr: '' })
    expect(ran.stdout).toMatch(/^# Resume: /)
    const short = await tenfold('resume', '--max-tokens', '300', '--json')
    const brief = JSON.parse(short.stdout)
    expect(brief).toEqual({
      bundle: expect.any(String),
      track: 'main',
      haltId: null,
      tokens: counter.count(brief.brief),
      checkpoints: [],
      live: null,
      brief: expect.any(String),
    })
    expect(brief.tokens).toBeLessThanOrEqual(300)
    expect(short.stdout.trimEnd()).not.toContain('\n')
  })

  it('accepts a track or a bundle', async () => {
    const review = JSON.parse((await tenfold('resume', '--track', 'review', '--json')).stdout)
    expect(review.track).toBe('review')
    const same = JSON.parse((await tenfold('resume', '--bundle', review.bundle, '--json')).stdout)
    expect(same).toEqual(review)
  })

  it('fails if there is nothing to resume', async () => {
    const ran = await tenfold('resume', '--track', 'other')
    expect(ran).toMatchObject({ code: 1, stdout: '' })
    expect(ran.stderr).toContain('There is no bundle on track other')
  })
})

describe('inspect', () => {
  it('shows no secret of the session, not even one that a title does not announce', async () => {
    const password = 'kX9vQ27ztmW4rT'
    writeClaudeLog(at('secret.jsonl'), { session: 'secret', title: `Try ${password} again` })
    const said = {
      type: 'user',
      uuid: 'u-1',
      sessionId: 'secret',
      message: { role: 'user', content: `DB_PASSWORD=${password}` },
    }
    appendFileSync(at('secret.jsonl'), `${JSON.stringify(said)}\n`)
    for (const args of [[], ['--json']]) {
      const ran = await tenfold('inspect', ...args, 'secret.jsonl')
      expect(ran.code).toBe(0)
      expect(ran.stdout).toContain('Try [redacted:password] again')
      expect(ran.stdout).not.toContain(password)
    }
  })

  it('prints what its tokens are spent on', async () => {
    const ran = await tenfold('inspect', 'first.jsonl')
    expect(ran).toMatchObject({ code: 0, stderr: '' })
    for (const part of [
      '“First of all”',
      'source tokens (o200k_base)',
      'tool result',
      '1 agent\n',
      'every line is accounted for',
      'Largest events',
      'first.jsonl:',
      'CACHE READ',
      'claude-opus-4-7',
    ])
      expect(ran.stdout).toContain(part)
  })

  it('prints JSON whose parts add up', async () => {
    const ran = await tenfold('inspect', '--json', 'first.jsonl', 'second.jsonl')
    expect(ran).toMatchObject({ code: 0, stderr: '' })
    const inspections = ran.stdout
      .trimEnd()
      .split('\n')
      .map((line) => JSON.parse(line))
    expect(inspections.map(({ sessionId }) => sessionId)).toEqual(['first', 'second'])
    for (const { tokens, events, lines, largest, files, usage } of inspections) {
      const sum = (parts: Record<string, number>[], key: string): number =>
        parts.reduce((total, part) => total + (part[key] ?? 0), 0)
      expect(sum(tokens.byCategory, 'tokens')).toBe(tokens.total)
      expect(sum(tokens.byAgent, 'tokens')).toBe(tokens.total)
      expect(sum(events.byType, 'events')).toBe(events.total)
      expect(lines.addsUp).toBe(true)
      expect(lines.events + lines.other + lines.notes + lines.blank + sum(lines.absorbed, 'lines')).toBe(
        lines.lines,
      )
      expect(lines.lines).toBe(files[0].lines)
      expect(largest).toHaveLength(10)
      expect(largest[0]).toMatchObject({
        type: 'tool_result',
        tool: 'Read',
        agent: 'main',
        line: expect.any(Number),
      })
      expect(usage.byModel).toEqual([{ model: 'claude-opus-4-7', ...usage.total }])
    }
  })

  it('reads stdin and folders, and writes nothing', async () => {
    mkdirSync(at('logs'))
    writeClaudeLog(at('logs/a.jsonl'))
    writeFileSync(at('logs/no-log.json'), '[1]')
    const ran = await tenfold('inspect', '--json', 'logs')
    expect(ran).toMatchObject({ code: 0, stderr: '' })
    const [log, found] = ran.stdout.split('\n', 2).map((line) => JSON.parse(line))
    expect(log).toMatchObject({ log: 'logs/a.jsonl', tokens: { counter: 'o200k_base' } })
    expect(found).toMatchObject({
      found: { files: 2, logs: 1, skipped: [{ path: 'logs/no-log.json', code: 'unknown-format' }] },
    })
    const plain = await tenfold('inspect', 'logs')
    expect(plain.stdout).toMatch(/\n\n2 files: 1 log, 1 skipped\n$/)
    const verbose = await tenfold('inspect', '--verbose', 'logs')
    expect(verbose.stdout).toMatch(/\nlogs\/no-log\.json is of no known format\n2 files: .+\n$/)
    const piped = await run(['inspect', '--json', '-'], { cwd: at('logs'), stdin: claudeLog() })
    expect(JSON.parse(piped.stdout)).toMatchObject({ log: '-', files: [{ name: 'stdin' }] })
  })
})
