import nock from 'nock'
import { afterEach, describe, expect, it, vi } from 'vitest'
import { anthropicModel } from '../../src/anthropic/anthropic-model.ts'
import { ask, failureOf } from '../support/ask.ts'

afterEach(() => {
  const missing = nock.pendingMocks()
  nock.cleanAll()
  expect(missing).toEqual([])
})

const host = 'https://api.anthropic.com'
const claude = () => anthropicModel({ model: 'claude-opus-5-5', apiKey: 'sk-test-123456', baseURL: host })

function reply(status: number, body: string | object, headers: Record<string, string> = {}) {
  nock(host, { reqheaders: { authorization: 'Bearer sk-test-123456' } })
    .post('/v1/messages')
    .reply(status, body, { 'request-id': 'req_recorded', ...headers })
}

const sse = { 'content-type': 'text/event-stream' }
const events = (...list: object[]): string =>
  list
    .map((event) => `event: ${(event as { type: string }).type}\ndata: ${JSON.stringify(event)}\n\n`)
    .join('')

const start = (usage: object | null) => ({
  type: 'message_start',
  message: {
    id: 'msg_1',
    type: 'message',
    role: 'assistant',
    model: 'claude-opus-5-5',
    content: [],
    stop_reason: null,
    usage,
  },
})
const open = (index: number, content_block: object) => ({ type: 'content_block_start', index, content_block })
const text = (index: number, text: string) => ({
  type: 'content_block_delta',
  index,
  delta: { type: 'text_delta', text },
})
const end = (stop_reason: string | null, usage: object | null) => ({
  type: 'message_delta',
  delta: { stop_reason, stop_sequence: null, stop_details: null },
  usage,
})
const stop = { type: 'message_stop' }
const empty = { type: 'text', text: '', citations: null }
const counts = {
  input_tokens: 120,
  cache_creation_input_tokens: 2048,
  cache_read_input_tokens: 0,
  output_tokens: 1,
  output_tokens_details: null,
}

describe('a recorded reply', () => {
  it('is read after thinking, with unknown events', async () => {
    reply(
      200,
      events(
        start(counts),
        open(0, { type: 'thinking', thinking: '', signature: '' }),
        { type: 'content_block_delta', index: 0, delta: { type: 'thinking_delta', thinking: '{"no":1}' } },
        { type: 'content_block_stop', index: 0 },
        { type: 'ping' },
        { type: 'from_the_future', index: 7 },
        open(1, empty),
        text(1, '{"goal":"shi'),
        text(1, 'p v2","decisions":[]}'),
        { type: 'content_block_stop', index: 1 },
        end('end_turn', {
          input_tokens: null,
          output_tokens: 42,
          output_tokens_details: { thinking_tokens: 10 },
          cache_creation_input_tokens: null,
          cache_read_input_tokens: null,
        }),
        stop,
      ),
      sse,
    )
    expect(await ask(claude())).toEqual({
      text: '{"goal":"ship v2","decisions":[]}',
      stop: 'end',
      model: 'claude-opus-5-5',
      requestId: 'req_recorded',
      usage: {
        inputTokens: 2168,
        outputTokens: 42,
        cacheReadTokens: 0,
        cacheWriteTokens: 2048,
        reasoningTokens: 10,
      },
    })
  })

  it('is read from a compatible server that counts nothing', async () => {
    reply(200, events(start(null), open(0, empty), text(0, '{}'), end('end_turn', null), stop), sse)
    expect(await ask(claude())).toMatchObject({ text: '{}', stop: 'end', usage: {} })
  })

  it.each(['tool_use', 'pause_turn', 'something_new'])('is incomplete with %s', async (reason) => {
    reply(200, events(start(counts), end(reason, { output_tokens: 9 }), stop), sse)
    const error = await failureOf(ask(claude()))
    expect(error).toMatchObject({ reason: 'unknown', retryable: false, requestId: 'req_recorded' })
    expect(error.usage).toMatchObject({ inputTokens: 2168, outputTokens: 9 })
  })

  it('with a line of invalid JSON is a broken stream, and quoted nowhere', async () => {
    const written = vi.spyOn(process.stderr, 'write').mockReturnValue(true)
    const logged = vi.spyOn(console, 'error').mockReturnValue()
    reply(200, `${events(start(counts))}event: content_block_delta\ndata: {"secret prompt\n\n`, sse)
    const error = await failureOf(ask(claude()))
    expect(error).toMatchObject({ reason: 'cut-off', retryable: true })
    expect(error.message).not.toContain('secret')
    expect(error.usage.inputTokens).toBe(2168)
    const calls = [...written.mock.calls, ...logged.mock.calls]
    vi.restoreAllMocks()
    expect(calls).toEqual([])
  })

  it.each([
    ['of JSON', { id: 'msg_1', type: 'message', content: [] }, 'application/json'],
    ['of a portal', '<html><body>Sign in</body></html>', 'text/html'],
  ])('is not requested again after an answer %s instead of a stream', async (_, body, type) => {
    reply(200, body, { 'content-type': type })
    const error = await failureOf(ask(claude()))
    expect(error).toMatchObject({ reason: 'bad-request', retryable: false, requestId: 'req_recorded' })
  })

  it('names an error page of a gateway without quoting it', async () => {
    reply(502, '<html>\n<head><title>502 Bad Gateway</title>', { 'content-type': 'text/html' })
    const error = await failureOf(ask(claude()))
    expect(error).toMatchObject({ reason: 'server-error', retryable: true })
    expect(error.message).toBe('Anthropic answered 502: a web page instead of an answer')
  })

  it('may be an error without a body', async () => {
    reply(529, '')
    expect(await failureOf(ask(claude()))).toMatchObject({ reason: 'overloaded', retryable: true })
  })

  it('may be an error whose body has unexpected types', async () => {
    reply(400, { error: { type: 7, message: { deep: ['x'] }, details: { error_code: [] } } })
    expect(await failureOf(ask(claude()))).toMatchObject({ reason: 'bad-request', retryable: false })
  })
})
