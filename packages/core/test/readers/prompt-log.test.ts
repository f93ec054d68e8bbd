import { describe, expect, it } from 'vitest'
import { promptLogReader } from '../../src/readers/prompt-log.ts'
import { ofType, outline, readJsonLines, readSample, readValue } from './message-logs.ts'

describe('a prompt log', async () => {
  const session = await readSample('prompt-log/prompts.log.jsonl')

  it('has prompt, run and response of each line, in any spelling of its keys', () => {
    expect(outline(session)).toEqual([
      'user typed Round the totals half to even.',
      'call run (execute)',
      'result ok 0',
      'assistant I changed src/total.ts.',
      'user typed Run the tests and report.',
      'call run (execute)',
      'result error 1',
      'context agent Review the change.',
      'call run (execute)',
      'result ok 0',
      'assistant Looks right.',
      'user typed Anything left?',
      'assistant No.',
    ])
    expect(session).toMatchObject({
      cwd: '/srv/ledger',
      models: ['large-1'],
      startedAt: '2026-05-04T08:00:00Z',
      endedAt: '2026-05-04T08:03:20.000Z',
    })
  })

  it('has what was printed once', () => {
    expect(ofType(session, 'tool_result').map(({ text }) => text)).toEqual([
      '',
      'running…\nnpm ERR! missing script: test',
      '',
    ])
    expect(ofType(session, 'tool_call')[1]?.input).toEqual({ command: ['agent', '-p'], duration_ms: 900 })
  })

  it('counts usage if a line reports it', () => {
    expect(session.usage.map(({ usage }) => usage)).toEqual([{ inputTokens: 100, outputTokens: 10 }])
  })
})

describe('lines of a prompt log', () => {
  it('may report an error or an end before its time', async () => {
    const session = await readJsonLines('prompt-log', [
      { prompt: 'a', response: null, error: 'spawn failed' },
      { prompt: 'b', stdout: 'half', timedOut: true },
      { level: 'info' },
    ])
    expect(outline(session)).toEqual([
      'user typed a',
      'call run (execute)',
      'result error',
      'user typed b',
      'call run (execute)',
      'result cancelled',
      'other',
    ])
  })

  it('may be in one list', async () => {
    const session = await readValue('prompt-log', [{ prompt: 'a', response: 'b' }])
    expect(outline(session)).toEqual(['user typed a', 'assistant b'])
  })
})

describe('detection', () => {
  it('requires a prompt and a reply to it', () => {
    const score = (...records: unknown[]): number =>
      promptLogReader.detect({ name: 'log', text: '', records })
    expect(score({ prompt: 'a', exit_code: 0 })).toBeGreaterThan(0.5)
    expect(score({ prompt: 'a', completionTokens: 3 })).toBe(0)
    expect(score({ prompt: 'a' })).toBe(0)
    expect(score({ response: 'a', stdout: 'b' })).toBe(0)
    expect(score({ prompt: 'a', stdout: '' }, { level: 'info' }, { level: 'info' })).toBe(0)
  })
})
