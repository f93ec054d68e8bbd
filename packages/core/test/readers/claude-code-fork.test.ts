import { describe, expect, it } from 'vitest'
import { joinToolUses } from '../../src/tools/tool-uses.ts'
import { log, read } from './claude-code-log.ts'
import { accounted, ofType } from './events.ts'

const usage = { input_tokens: 10, output_tokens: 2 }
const copied = { requestSessionId: 'parent-1' }

function forked() {
  const a = log()
  return [
    { type: 'mode', mode: 'default', sessionId: 'session-1' },
    a.user('Round the totals.'),
    a.call('c1', 'Bash', { command: 'npm test' }, copied),
    a.result('c1', 'ok', {}, { toolUseResult: { stdout: 'ok' } }),
    a.assistant({ type: 'text', text: 'Done.' }, copied, { usage }),
    a.call('c2', 'Read', { file_path: '/srv/app/a.ts' }, copied),
    a.result('c2', 'text', {}, { toolUseResult: { file: {} } }),
    a.user('Now round the taxes.'),
    a.assistant({ type: 'text', text: 'I will.' }, {}, { usage: { input_tokens: 5, output_tokens: 1 } }),
    a.call('c3', 'Bash', { command: 'npm run tax' }),
  ]
}

describe('a forked session', () => {
  it('marks what it copied from its parent, prompts and results as well, and counts only its own usage', async () => {
    const session = await read(forked())
    const texts = session.events.map((event) => [event.type, event.copied === true, event.source.line])
    expect(texts).toEqual([
      ['user', true, 2],
      ['tool_call', true, 3],
      ['tool_result', true, 4],
      ['assistant', true, 5],
      ['tool_call', true, 6],
      ['tool_result', true, 7],
      ['user', false, 8],
      ['assistant', false, 9],
      ['tool_call', false, 10],
    ])
    expect(session.usage.map((entry) => entry.usage)).toEqual([{ inputTokens: 5, outputTokens: 1 }])
    expect(session.notes).toMatchObject([
      { code: 'copied-history', message: '6 events repeat the history of the parent session' },
    ])
    expect(joinToolUses(session.events).map(({ call }) => call.callId)).toEqual(['c3'])
    expect(accounted(session.source.account)).toBe(session.source.account.lines)
    expect(session.source.account.events).toBe(9)
  })

  it('leaves a session alone that resumes itself', async () => {
    const a = log()
    const own = { requestSessionId: 'session-1' }
    const session = await read([a.user('go'), a.assistant({ type: 'text', text: 'Done.' }, own, { usage })])
    expect(session.events.some((event) => event.copied === true)).toBe(false)
    expect(session.notes).toEqual([])
  })
})

describe('records of 2.1.330', () => {
  it("are no events if they are the harness's copies of requests", async () => {
    const a = log()
    const own = (type: string, more: object) => ({ type, sessionId: 'session-1', ...more })
    const session = await read([
      own('tools-used', { tools: ['Bash'] }),
      own('atis-latch', { atis: '' }),
      a.user('go'),
      own('api-request-shape', { shapeHash: 'h', shape: { system: ['You are'], tools: [] } }),
      own('api-request-blob', { hash: 'b', message: { role: 'user', content: 'go' } }),
      own('api-request', { id: 'r1', keep: 0, tail: ['b'], shapeHash: 'h' }),
      a.assistant({ type: 'text', text: 'Done.' }),
      own('cost-state', { totalCostUSD: 0.1, modelUsage: {} }),
    ])
    expect(session.events.map(({ type }) => type)).toEqual(['user', 'assistant'])
    expect(session.notes).toEqual([])
    expect(session.source.account.absorbed).toEqual([
      ['session metadata', 2],
      ['copy of a request', 3],
      ['sum of the usage', 1],
    ])
  })

  it('name the meaning of an exit code of 1 that is no failure', async () => {
    const a = log()
    const meaning = { stdout: '', stderr: '', returnCodeInterpretation: 'No matches found' }
    const session = await read([
      a.user('go'),
      a.call('c1', 'Bash', { command: 'grep -n nope a.ts' }),
      a.result('c1', '', {}, { toolUseResult: meaning }),
    ])
    expect(ofType(session, 'tool_result')).toMatchObject([{ status: 'ok', exitCode: 1 }])
  })
})
