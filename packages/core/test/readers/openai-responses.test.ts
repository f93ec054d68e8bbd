import { describe, expect, it } from 'vitest'
import { openaiResponsesReader } from '../../src/readers/openai-responses/openai-responses.ts'
import { ofType } from './events.ts'
import { outline, readJsonLines, readSample, readValue } from './message-logs.ts'

describe('a list of items', async () => {
  const session = await readSample('openai-responses/items.json')

  it('has messages, calls of every kind and their results', () => {
    expect(outline(session)).toEqual([
      'context system You are a careful engineer.',
      'context harness <environment_context>',
      'user typed Round the totals half to even.',
      'reasoning **Finding the place**',
      'assistant I look first.',
      'call exec_command (execute)',
      'result error 1',
      'call apply_patch (edit)',
      'result ok 0',
      'call shell (execute)',
      'result error 128',
      'call mcp__docs__search (other)',
      'result ok',
      'call code_interpreter (execute)',
      'result ok',
      'call web_search (fetch)',
      'compaction ',
      'assistant Totals are rounded half to even now.',
    ])
    expect(session.cwd).toBe('/srv/ledger')
    expect(ofType(session, 'assistant').map(({ phase }) => phase)).toEqual(['commentary', 'final'])
  })

  it('has shell commands as one command, and outputs without their header', () => {
    expect(ofType(session, 'tool_call')[2]?.input).toMatchObject({
      command: 'git add -A\ngit status --short',
    })
    expect(ofType(session, 'tool_result')[0]?.text).toBe('1 failed')
  })

  it('reports what the server keeps', () => {
    expect(session.notes).toMatchObject([{ code: 'item-elsewhere' }])
    expect(JSON.stringify(session.events)).not.toContain('ZW5j')
  })
})

describe('a response', () => {
  it('has usage, instructions, and a note if its history is elsewhere', async () => {
    const session = await readSample('openai-responses/response.json')
    expect(session).toMatchObject({
      id: 'resp_1',
      models: ['gpt-5.1'],
      startedAt: '2026-05-04T08:00:00.000Z',
    })
    expect(session.usage[0]?.usage).toEqual({
      inputTokens: 700,
      outputTokens: 90,
      cacheReadTokens: 256,
      reasoningTokens: 30,
    })
    expect(session.notes).toMatchObject([{ code: 'history-elsewhere' }])
  })
})

describe('responses among items', () => {
  it('have model, time and usage', async () => {
    const session = await readSample('openai-responses/with-responses.json')
    expect(outline(session)).toEqual([
      'user typed Round the totals.',
      'call bash (execute)',
      'result unknown',
      'assistant Rounded.',
    ])
    expect(session.events.map(({ time }) => time)).toEqual([
      ...[undefined, '2026-05-04T08:00:00.000Z', undefined, '2026-05-04T08:00:05.000Z'],
    ])
    expect(session.models).toEqual(['large-1'])
    expect(session.usage).toEqual([
      {
        agent: 'main',
        model: 'large-1',
        usage: { inputTokens: 100, outputTokens: 11, cacheReadTokens: 30, reasoningTokens: 2 },
      },
    ])
  })
})

describe('a request', () => {
  it('has its input, including messages without a type', async () => {
    const session = await readSample('openai-responses/request.json')
    expect(outline(session)).toEqual([
      'context system Be brief.',
      'user typed Round the totals.',
      'call read_file (read)',
      'result ok',
    ])
  })
})

describe('a recorded stream', () => {
  it('has each item once, when it is done', async () => {
    const session = await readSample('openai-responses/stream.jsonl')
    expect(outline(session)).toEqual([
      'reasoning **Finding the place**',
      'call shell (execute)',
      'assistant Looking.',
    ])
    expect(session.usage[0]?.usage).toMatchObject({ inputTokens: 700 })
  })

  it('has the received part of an item if it breaks off', async () => {
    const session = await readJsonLines('openai-responses', [
      {
        type: 'response.output_item.added',
        output_index: 0,
        item: { type: 'message', role: 'assistant', content: [] },
      },
      { type: 'response.output_text.delta', output_index: 0, delta: 'half ' },
      { type: 'response.output_text.delta', output_index: 0, delta: 'a word' },
    ])
    expect(outline(session)).toEqual(['assistant half a word'])
  })

  it('reports why the response failed', async () => {
    const response = { object: 'response', output: [], error: { message: 'overloaded' } }
    const session = await readJsonLines('openai-responses', [{ type: 'response.failed', response }])
    expect(session.notes).toMatchObject([{ code: 'failed-response', message: 'overloaded' }])
  })
})

describe('calls that a user refused', () => {
  it('are denied', async () => {
    const session = await readValue('openai-responses', [
      { type: 'mcp_approval_request', id: 'a1', server_label: 'docs', name: 'drop', arguments: '{}' },
      { type: 'mcp_approval_response', approval_request_id: 'a1', approve: false, reason: 'no' },
      { type: 'shell_call', call_id: 's1', action: { commands: ['sleep 9'] } },
      { type: 'shell_call_output', call_id: 's1', output: [{ stdout: '', outcome: { type: 'timeout' } }] },
    ])
    expect(ofType(session, 'tool_result').map(({ status }) => status)).toEqual(['denied', 'cancelled'])
  })
})

describe('unknown content', () => {
  it('stays as it was', async () => {
    const odd = { type: 'teleport_call', id: 't' }
    const session = await readValue('openai-responses', [
      { type: 'message', role: 'user', content: 'Hi' },
      odd,
      7,
    ])
    expect(ofType(session, 'other').map(({ name, raw }) => [name, raw])).toEqual([
      ['teleport_call', odd],
      ['no-item', 7],
    ])
  })
})

describe('detection', () => {
  it('leaves rollouts of Codex alone', () => {
    const item = { type: 'function_call', call_id: 'c', name: 'shell', arguments: '{}' }
    const score = (...records: unknown[]): number =>
      openaiResponsesReader.detect({ name: 'log', text: '', records })
    expect(score(item, item)).toBeGreaterThan(0.5)
    expect(score({ type: 'session_meta', payload: {} }, { type: 'response_item', payload: item })).toBe(0)
    expect(score({ record_type: 'state' }, item)).toBe(0)
  })
})
