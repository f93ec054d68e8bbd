import { describe, expect, it } from 'vitest'
import { report } from '../src/report/report.ts'
import { rowCells, totalSentences } from '../src/report/report-figures.ts'
import { parseReport, type ReportRow, reportJsonSchema, reportSchema } from '../src/report/report-schema.ts'
import { reportToJunit } from '../src/report/report-to-junit.ts'
import { reportToMarkdown } from '../src/report/report-to-markdown.ts'

let made = 0

function row(change: Partial<ReportRow> = {}): ReportRow {
  made += 1
  return {
    log: `logs/${made}.jsonl`,
    bundle: `20260101T0000000${10 + made}Z-000000000`,
    sessionId: `session-${made}`,
    format: 'claude-code',
    agent: 'claude-code 2.1.0',
    model: 'claude-opus-5-5',
    kind: 'context',
    project: 'kiln',
    track: 'main',
    summarizer: 'extractive',
    endedAt: '2026-01-01T00:00:00.000Z',
    sourceTokens: 10_000,
    bundleTokens: 900,
    ratio: 0.09,
    band: 'within',
    unverified: 0,
    measuredFrom: 'log',
    retention: { share: 0.95, by: { errors: { kept: 3, of: 4, missed: ['TypeError'] } } },
    precision: { share: 1, by: { files: { kept: 2, of: 2, missed: [] } } },
    faithfulness: { kept: 50, of: 50, missed: [] },
    ...change,
  }
}

const small = row({ sourceTokens: 100, bundleTokens: 300, ratio: 3, band: 'small' })
const whole = row({ sourceTokens: 5000, bundleTokens: 5000, ratio: 1, band: 'verbatim', format: 'codex' })
const paid = row({ cost: { amount: 0.02, currency: 'USD' }, project: 'oven' })

describe('report', () => {
  it('keeps the ratio of real work apart from small sessions and those kept whole, and hides neither', () => {
    const { totals, groups } = report([row(), small, whole, paid])
    expect(totals.work).toEqual({
      bundles: 2,
      sourceTokens: 20_000,
      bundleTokens: 1800,
      ratio: 0.09,
      retention: 0.95,
    })
    expect(totals.small).toEqual({
      bundles: 1,
      sourceTokens: 100,
      bundleTokens: 300,
      ratio: 3,
      retention: 0.95,
      added: 200,
    })
    expect(totals.whole).toMatchObject({ bundles: 1, bundleTokens: 5000 })
    expect(totals.all).toMatchObject({ bundles: 4, sourceTokens: 25_100, bundleTokens: 7100 })
    expect(totals.costs).toEqual([{ amount: 0.02, currency: 'USD' }])
    expect(groups.format.map(({ name, all }) => [name, all.bundles])).toEqual([
      ['claude-code', 3],
      ['codex', 1],
    ])
    expect(groups.project.map(({ name }) => name)).toEqual(['kiln', 'oven'])
  })

  it('says plainly if no session was real work', () => {
    const kept = row({ sourceTokens: 400, bundleTokens: 300, ratio: 0.75, band: 'small' })
    const sentences = totalSentences(report([kept])).slice(1, 3)
    expect(sentences).toEqual([
      '400 → 300 tokens (75.00 %), none of them of real work.',
      '1 small session: 400 → 300 (75.00 %).',
    ])
    expect(totalSentences(report([small]))[2]).toMatch(
      /; bundles larger than their session added 200 tokens\.$/,
    )
  })

  it('counts a bundle without a session in no figure, and says so', () => {
    const given = row({ sourceTokens: 0, bundleTokens: 300, ratio: 0, band: 'small', format: 'given' })
    const made = report([row(), given])
    expect(made.totals).toEqual(report([row()]).totals)
    expect(made.groups.format.map(({ name }) => name)).toEqual(['claude-code'])
    const sentences = totalSentences(made)
    expect(sentences[0]).toBe('1 bundle, 0 failures.')
    expect(sentences).toContain(
      '1 bundle given by hand or imported, without a session to compare with: in no figure.',
    )
    expect(rowCells(given)[2]).toBe('–')
  })

  it('counts the newest bundle of a session, and the cost of all', () => {
    const cost = { amount: 1, currency: 'USD' }
    const [older, newer] = [row({ cost }), row({ cost })]
    const { totals, rows } = report([{ ...newer, sessionId: older.sessionId }, older])
    expect(totals.all.bundles).toBe(1)
    expect(totals.costs).toEqual([{ amount: 2, currency: 'USD' }])
    expect(rows.map(({ superseded }) => superseded)).toEqual([undefined, true])
  })

  it('says which log breaks a limit, and by how much', () => {
    const limits = { maxRatio: 0.08, minRetention: 0.96, minFaithfulness: 1, maxCost: 0.01, maxFailures: 0 }
    const failures = [{ log: 'bad.jsonl', code: 'log-unreadable', message: 'It is no log.' }]
    const { breaches } = report([paid, small], { limits, failures })
    expect(breaches.map(({ message }) => message)).toEqual([
      `${paid.log}: 9.00 % is 1.00 points above --max-ratio 8.00 %`,
      `${paid.log}: 95.00 % is 1.00 points below --min-retention 96.00 %`,
      `${small.log}: 95.00 % is 1.00 points below --min-retention 96.00 %`,
      `0.0200 USD is 0.0100 above --max-cost 0.01; most of it for ${paid.log} (0.0200)`,
      '1 log failed, 1 more than --max-failures 0',
    ])
    expect(report([paid, small], { limits: { maxRatio: 0.09, minRetention: 0.95 } }).breaches).toEqual([])
    expect(report([whole], { limits: { maxRatio: 0.1 } }).breaches).toHaveLength(1)
  })

  it('keeps no limit of retention if nothing was measured', () => {
    const { retention: _, precision: __, faithfulness: ___, ...bare } = row({ measuredFrom: 'bundle' })
    expect(report([bare], { limits: { minRetention: 0.1 } }).breaches).toHaveLength(1)
    expect(report([bare, row()], { limits: { minRetention: 0.1 } }).breaches).toEqual([])
  })

  it('shows what changed since a baseline, and fails beyond the tolerance', () => {
    const [same, worse, gone] = [row(), row(), row()]
    const baseline = report([same, worse, gone])
    const again = { ...worse, ratio: 0.12, retention: { share: 0.94, by: {} } }
    const { comparison, breaches } = report([same, again, row()], { baseline, tolerance: 0.02 })
    expect(comparison?.added).toHaveLength(1)
    expect(comparison?.removed).toEqual([gone.log])
    expect(comparison?.changes.filter(({ log }) => log === worse.log)).toEqual([
      { figure: 'ratio', log: worse.log, before: 0.09, after: 0.12, worse: true },
      { figure: 'retention', log: worse.log, before: 0.95, after: 0.94, worse: false },
    ])
    expect(breaches.map(({ message }) => message)).toEqual([
      `${worse.log}: ratio went from 9.00 % to 12.00 %, beyond --tolerance 0.02`,
    ])
    expect(report([same, worse, gone], { baseline, tolerance: 0 }).breaches).toEqual([])
    const failures = [{ log: 'x', code: 'y', message: 'z' }]
    expect(report([same], { baseline: report([same]), failures }).breaches).toMatchObject([
      { limit: 'baseline failures', by: 1 },
    ])
  })

  it('is what its schema says, which report.schema.json publishes', async () => {
    const made = report([paid, small, whole], { limits: { maxRatio: 0.01 }, baseline: report([row()]) })
    expect(parseReport(JSON.parse(JSON.stringify(made)))).toEqual(made)
    expect(() => parseReport({ ...made, schemaVersion: 2 })).toThrow(/schemaVersion/)
    expect(Object.keys(reportJsonSchema().properties as object)).toEqual(Object.keys(reportSchema.shape))
    // Stale? Run this file with `npx vitest run packages/measure/test/report.test.ts -u` and commit.
    const json = `${JSON.stringify(reportJsonSchema(), null, 2)}\n`
    await expect(json).toMatchFileSnapshot('../report.schema.json')
  })
})

describe('the forms of a report', () => {
  const hostile = row({
    log: 'a|b`c` <script>alert(1)</script> @admin [x](http://evil.example) \u0007.jsonl',
    title: '<img src=x onerror=alert(1)> | `tick` @team',
    format: 'codex"<x>',
    retention: { share: 0.2, by: {} },
  })
  const made = report([hostile, row()], {
    limits: { minRetention: 0.5 },
    failures: [{ log: '</testcase>&', code: 'log-"x', message: 'broken ]]> <b>\u0000' }],
    baseline: report([row()]),
  })

  it('are Markdown in which no text of a log is more than text', () => {
    const markdown = reportToMarkdown(made)
    expect(markdown).toContain('## Since the baseline\n\nTolerance 1.00 %, 1 change, 2 new logs, 1 log gone.')
    expect(markdown).toContain('# Tenfold report')
    expect(markdown).toContain('20.00 % is 30.00 points below --min-retention 50.00 %')
    const bare = markdown.replaceAll(/`[^`\n]*`/g, '')
    expect(bare).not.toMatch(/@|http:|<(?!\/?(?:details|summary)>)/)
    const tables = markdown.split('\n').filter((line) => line.startsWith('| `'))
    expect(tables.length).toBeGreaterThan(3)
    for (const line of tables) expect(line.split('|').length).toBeGreaterThan(7)
  })

  it('are JUnit XML with a case for each log', () => {
    const xml = reportToJunit(made)
    expect(xml).toContain('<testsuites tests="4" failures="2" errors="1">')
    expect(xml.match(/<failure /g)).toHaveLength(2)
    expect(xml).toContain('name="&#60;/testcase&#62;&#38;"')
    expect(xml).not.toMatch(/<script|<img|\]\]>|[\u0000\u0007]/)
    expect(reportToJunit(report([row()]))).toContain('failures="0" errors="0"')
  })
})
