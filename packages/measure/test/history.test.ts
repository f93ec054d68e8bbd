import type { ContextBundle } from '@tenfold/core'
import { sampleBundle } from '@tenfold/core/testing'
import { describe, expect, it } from 'vitest'
import { historyOf } from '../src/history/history.ts'
import { historyToMarkdown } from '../src/history/history-blocks.ts'
import { historyToHtml } from '../src/html/history-to-html.ts'

const source = sampleBundle().source

function session(id: string, endedAt: string, change: Partial<ContextBundle> = {}): ContextBundle {
  return sampleBundle({
    createdAt: endedAt,
    source: {
      ...source,
      sessionId: id,
      title: `Session ${id}`,
      endedAt,
      cwd: '/home/dev/kiln',
      models: ['m'],
    },
    usage: { total: { inputTokens: 1000, outputTokens: 500 }, byAgent: [], byModel: [] },
    nextSteps: [],
    ...change,
  })
}

const decision = { choice: 'Use a map', topic: 'lookup', by: 'user' as const, alternatives: [], evidence: [] }
const step = { action: 'Run the suite', command: 'npm test', evidence: [] }
const sunday = session('a', '2026-03-01T23:00:00.000Z', {
  decisions: [decision],
  state: 'finished',
  nextSteps: [step],
})
const monday = session('b', '2026-03-02T01:00:00.000Z', {
  state: 'waiting',
  nextSteps: [step],
  openQuestions: [{ text: 'Which port?', evidence: [] }],
  errors: [
    { message: 'Error: open', evidence: [] },
    { message: 'Error: solved', resolution: 'it passed', evidence: [] },
  ],
})
const prices = {
  date: '2026-01-01',
  currency: 'EUR',
  models: [
    { match: 'm', provider: 'x', input: 2, output: 10, above: { inputTokens: 100, input: 99, output: 99 } },
  ],
}

describe('historyOf', () => {
  it('sums up by week, from Monday in UTC, and by project', () => {
    const { weeks, projects, total } = historyOf([sunday, monday], { prices })
    expect(weeks.map(({ name, sessions }) => [name, sessions])).toEqual([
      ['2026-03-02', 1],
      ['2026-02-23', 1],
    ])
    expect(projects.map(({ name, sessions }) => [name, sessions])).toEqual([['kiln', 2]])
    expect(total).toMatchObject({ sessions: 2, billedTokens: 3000, sourceTokens: 20_000, unpricedTokens: 0 })
    // The base price: nobody knows how long each request was.
    expect(total.costs).toEqual([{ amount: 0.014, currency: 'EUR' }])
  })

  it('lists what was decided and what stays open', () => {
    const { total } = historyOf([sunday, monday])
    expect(total.decisions).toEqual([
      {
        text: 'lookup: Use a map',
        by: 'user',
        session: 'Session a',
        project: 'kiln',
        at: '2026-03-01T23:00:00.000Z',
      },
    ])
    expect(total.open.map(({ kind, text }) => [kind, text])).toEqual([
      ['question', 'Which port?'],
      ['next step', 'Run the suite (npm test)'],
      ['error', 'Error: open'],
    ])
    expect(total).toMatchObject({ costs: [], unpricedTokens: 3000 })
  })

  it('counts a session once, by its last bundle, and not one that another continues', () => {
    const cost = { amount: 0.5, currency: 'USD', pricesOf: '2026-01-01' }
    const compression = { ...monday.compression, cost }
    const older = session('b', '2026-03-01T10:00:00.000Z', {
      compression,
      openQuestions: [{ text: 'Old?', evidence: [] }],
    })
    const next = session('c', '2026-03-03T10:00:00.000Z', { previous: sunday.id })
    const { total } = historyOf([older, monday, sunday, next])
    expect(total.sessions).toBe(2)
    expect(total.open.map(({ text }) => text)).not.toContain('Old?')
    expect(total.decisions).toEqual([])
    expect(total.summaryCosts).toEqual([{ amount: 0.5, currency: 'USD' }])
  })

  it('is text in Markdown and HTML, whatever a log says', () => {
    const text = '<img src=x onerror=alert(1)> `x` | @team [a](http://evil.example)'
    const hostile = session('h', '2026-03-02T01:00:00.000Z', {
      openQuestions: [{ text, evidence: [] }],
      source: { ...source, title: text, cwd: `/home/${text}`, endedAt: '2026-03-02T01:00:00.000Z' },
    })
    const history = historyOf([hostile])
    expect(historyToMarkdown(history).replaceAll(/`[^`\n]*`/g, '')).not.toMatch(/<|@|http:/)
    const html = historyToHtml(history)
    expect(html).toContain('&#60;img src=x')
    expect(html).not.toMatch(/<img|<script/)
    expect(html).toContain("script-src 'none'")
  })
})
