import { describe, expect, it } from 'vitest'
import { promptLogReader } from '../../src/readers/prompt-log.ts'
import { readSession } from '../../src/readers/read-session.ts'
import { ofType } from './events.ts'
import { outline, readJsonLines, readValue } from './message-logs.ts'

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

describe('a prompt log with prompts and responses on lines of their own', async () => {
  const line = (type: string, content: string, metadata: object = {}, minute = 0) => ({
    ...{ task_id: 'T-12', iteration: 1, type, content },
    metadata: { agent_mode: 'auto', working_directory: '/srv/ledger', ...metadata },
    timestamp: `2026-05-04T08:0${minute}:00.000Z`,
  })
  const lines = [
    line('PROMPT', 'Round the totals half to even.', { prompt_length: 30, session_id: 'run-1' }),
    line('RESPONSE', 'I changed src/total.ts.', { exit_code: 0, duration_ms: 900 }, 1),
    line('INTERROGATION_PROMPT', 'Are all totals rounded?', { criterion: 'totals' }, 2),
    line('INTERROGATION_RESPONSE', 'Yes, in src/total.ts.', { analysis_result: 'COMPLETE' }, 3),
    line('HELPER_AGENT_PROMPT', 'Which commands prove it?', {}, 4),
    line('HELPER_AGENT_RESPONSE', '["npm test"]', {}, 5),
    line('FIX_PROMPT', 'The test fails.', { truncated: true, original_length: 200_000 }, 6),
    line('RESPONSE', '', { exit_code: 1 }, 7),
  ]
  const session = await readSession(Buffer.from(lines.map((entry) => `${JSON.stringify(entry)}\n`).join('')))

  it('is read as a conversation with the agent, in which only the task is typed', () => {
    expect(session.format).toBe('prompt-log')
    expect(outline(session)).toEqual([
      'user typed Round the totals half to even.',
      'call run (execute)',
      'result ok 0',
      'assistant I changed src/total.ts.',
      'context agent Are all totals rounded?',
      'assistant Yes, in src/total.ts.',
      'helper-agent: context agent Which commands prove it?',
      'helper-agent: assistant ["npm test"]',
      'context agent The test fails.',
      'call run (execute)',
      'result error 1',
    ])
    expect(ofType(session, 'context').map(({ name }) => name)).toEqual(['interrogation', 'task', 'fix'])
    expect(ofType(session, 'tool_call')[0]?.input).toEqual({ mode: 'auto', duration_ms: 900 })
    expect(session).toMatchObject({
      ...{ id: 'run-1', cwd: '/srv/ledger' },
      ...{ startedAt: '2026-05-04T08:00:00.000Z', endedAt: '2026-05-04T08:07:00.000Z' },
    })
  })

  it('reports text that the orchestrator cut', () => {
    expect(session.notes).toMatchObject([
      { code: 'cut-text', message: 'the orchestrator cut this prompt; it had 200000 characters', line: 7 },
    ])
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
    expect(score({ type: 'PROMPT', content: 'a' })).toBeGreaterThan(0.5)
    expect(score({ type: 'prompt', prompt: 'a' }, { type: 'response', response: 'b' })).toBeGreaterThan(0.5)
    expect(score({ type: 'RESPONSE', content: 'a' })).toBe(0)
    expect(score({ type: 'response', id: 1, result: {} }, { type: 'prompt', id: 1 })).toBe(0)
  })
})
