import { describe, expect, it } from 'vitest'
import { openaiResponsesReader } from '../../src/readers/openai-responses/openai-responses.ts'
import { ofType } from './events.ts'
import { outline, readJsonLines, readSample, readValue } from './message-logs.ts'

describe('a list of items', async () => {
  const session = await readSample('openai-responses/items.json')

  it('reports what the server keeps', () => {
    expect(session.notes).toMatchObject([{ code: 'item-elsewhere' }])
    expect(JSON.stringify(session.events)).not.toContain('ZW5j')
  })
})

describe('a recorded stream', () => {
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
