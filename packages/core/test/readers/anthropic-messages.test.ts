import { fileURLToPath } from 'node:url'
import { describe, expect, it } from 'vitest'
import { anthropicMessagesReader } from '../../src/readers/anthropic-messages/anthropic-messages.ts'
import { readSession } from '../../src/readers/read-session.ts'
import { ofType } from './events.ts'
import { outline, readJsonLines, readSample, readValue } from './message-logs.ts'

describe('a request', async () => {
  const session = await readSample('anthropic-messages/request.json')

  it('is described by its content', () => {
    expect(session).toMatchObject({
      id: '0a1b2c3d-0000-4000-8000-000000000001',
      cwd: '/srv/ledger',
      models: ['claude-opus-4-6'],
    })
    expect(ofType(session, 'user')[2]).toMatchObject({ images: 1 })
    expect(JSON.stringify(session.events)).not.toMatch(/AAAA|ZW5j|c2ln/)
  })
})

describe('tools of the server', async () => {
  it('report errors', async () => {
    const session = await readValue('anthropic-messages', {
      type: 'message',
      role: 'assistant',
      content: [
        { type: 'server_tool_use', id: 's', name: 'web_fetch', input: { url: 'https://example.org' } },
        {
          type: 'web_fetch_tool_result',
          tool_use_id: 's',
          content: { type: 'web_fetch_tool_result_error', error_code: 'url_not_allowed' },
        },
      ],
    })
    expect(outline(session)).toEqual(['call web_fetch (fetch)', 'result error'])
  })
})

describe('a recorded stream', () => {
  it('has what was received if it breaks off or begins late', async () => {
    const delta = (text: string): unknown => ({
      type: 'content_block_delta',
      index: 3,
      delta: { type: 'text_delta', text },
    })
    const session = await readJsonLines('anthropic-messages', [delta('half '), { type: 'ping' }, delta('a')])
    expect(outline(session)).toEqual(['assistant half a'])
  })
})

describe('a raw stream of server-sent events', () => {
  const sent = (...events: readonly object[]): string =>
    events.map((event) => `event: x\ndata: ${JSON.stringify(event)}\n\n`).join('')

  it('is recognized and read', async () => {
    const text = sent(
      { type: 'message_start', message: { id: 'm', model: 'large-1', usage: { input_tokens: 9 } } },
      { type: 'content_block_start', index: 0, content_block: { type: 'text', text: '' } },
      { type: 'content_block_delta', index: 0, delta: { type: 'text_delta', text: 'Hi.' } },
      { type: 'content_block_stop', index: 0 },
      {
        type: 'message_delta',
        usage: { output_tokens: 2 },
        context_management: { applied_edits: [{ type: 'clear_tool_uses', cleared_tool_uses: 3 }] },
      },
      { type: 'message_stop' },
    )
    const session = await readSession(Buffer.from(`: ping\n\n${text}`))
    expect(session.format).toBe('anthropic-messages')
    expect(outline(session)).toEqual(['assistant Hi.'])
    expect(session.usage[0]?.usage).toEqual({ inputTokens: 9, outputTokens: 2 })
    expect(session.notes).toMatchObject([
      { code: 'context-edited', message: expect.stringContaining('cleared_tool_uses 3') },
    ])
  })
})

describe('several requests in one log', () => {
  it('are read by name, otherwise the last one is', async () => {
    const path = fileURLToPath(new URL('../fixtures/anthropic-messages/requests.jsonl', import.meta.url))
    const [last, first] = [await readSession(path), await readSession(`${path}#first`)]
    expect([last.id, first.id]).toEqual(['second', 'first'])
    expect(last.events.length).toBeGreaterThan(first.events.length)
    expect(last.notes).toMatchObject([{ code: 'other-sessions' }])
    await expect(readSession(`${path}#third`)).rejects.toMatchObject({ code: 'session-missing' })
  })
})

describe('results', () => {
  it('find their calls in order if all ids are the same', async () => {
    const use = (command: string): unknown => ({
      type: 'tool_use',
      id: 'REDACTED',
      name: 'bash',
      input: { command },
    })
    const result = (content: string): unknown => ({ type: 'tool_result', tool_use_id: 'REDACTED', content })
    const session = await readValue('anthropic-messages', [
      { role: 'assistant', content: [use('a'), use('b')] },
      { role: 'user', content: [result('of a'), result('of b'), result('of none')] },
    ])
    expect(ofType(session, 'tool_call').map(({ callId }) => callId)).toEqual(['REDACTED', 'REDACTED#2'])
    expect(ofType(session, 'tool_result').map(({ callId, text }) => [callId, text])).toEqual([
      ['REDACTED', 'of a'],
      ['REDACTED#2', 'of b'],
      ['REDACTED#3', 'of none'],
    ])
    expect(session.notes).toMatchObject([{ code: 'result-without-call' }])
  })
})

describe('unknown content', () => {
  it('stays as it was', async () => {
    const odd = { type: 'hologram', data: 1 }
    const session = await readValue('anthropic-messages', [
      { role: 'user', content: [odd, { type: 'text', text: 'Hi.' }] },
      { role: 'robot', content: 'beep' },
      { role: 'assistant', content: 5 },
    ])
    expect(ofType(session, 'other').map(({ name }) => name)).toEqual(['hologram', 'robot', 'assistant'])
    expect(ofType(session, 'other')[0]?.raw).toEqual(odd)
  })
})

describe('detection', () => {
  const score = (document: unknown): number =>
    anthropicMessagesReader.detect({ name: 'log', text: '', records: [], document })

  it("leaves agents' logs with such messages alone", () => {
    const message = { role: 'user', content: [{ type: 'text', text: 'Hi.' }] }
    expect(score([message])).toBeGreaterThan(0.5)
    expect(score([{ ...message, ts: 1 }])).toBe(0)
    expect(score([{ role: 'user', content: [{ type: 'text', text: '<task>\nHi.\n</task>' }] }])).toBe(0)
    expect(score({ version: 1, sessionId: 'x', system_prompt: 'y', messages: [message] })).toBe(0)
    expect(score({ messages: [{ info: { role: 'user' }, parts: [] }] })).toBe(0)
  })
})
