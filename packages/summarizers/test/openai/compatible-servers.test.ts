import { Readable } from 'node:stream'
import nock from 'nock'
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest'
import { openaiModel } from '../../src/openai/openai-model.ts'
import { failureOf } from '../support/ask.ts'
import { answer, type Body, cost, host, options, refuse, usage, whole } from './compatible.ts'
import { ask, request, schema } from './sample.ts'

beforeAll(() => nock.disableNetConnect())
afterEach(() => {
  expect(nock.pendingMocks()).toEqual([])
  nock.cleanAll()
})
afterAll(() => nock.restore())

function sse(...events: (object | string)[]): string {
  return events
    .map((event) => `data: ${typeof event === 'string' ? event : JSON.stringify(event)}\n\n`)
    .join('')
}

function chunk(delta: object, finish_reason: unknown = null, more: object = {}): object {
  return {
    id: 'c1',
    model: 'qwen3',
    object: 'chat.completion.chunk',
    choices: [{ index: 0, delta, finish_reason }],
    ...more,
  }
}

/** A body that breaks off some time after its first read. */
function thenReset(text: string): Readable {
  let sent = false
  return new Readable({
    read() {
      if (sent) setTimeout(() => this.destroy(new Error('reset')), 200)
      else this.push(text)
      sent = true
    },
  })
}

describe('a server that speaks more or less like OpenAI', () => {
  it.each([
    ['application/json', JSON.stringify(whole)],
    ['', JSON.stringify(whole)],
    ['text/plain', JSON.stringify(whole)],
    [
      'application/json',
      JSON.stringify({ ...whole, choices: [{ ...whole.choices[0], finish_reason: null }] }),
    ],
  ])('may send one JSON body instead of a stream, as %j', async (type, body) => {
    answer(200, body, type === '' ? {} : { 'content-type': type })
    expect(await ask(options)).toMatchObject({ text: '{"a":1}', stop: 'end', usage: cost })
  })

  it('may send an unrequested stream, or one without a content type', async () => {
    const body = sse(chunk({ content: '{"a"' }), chunk({ content: ':1}' }, 'stop', { usage }), '[DONE]')
    answer(200, body)
    expect(await ask({ ...options, stream: false })).toMatchObject({
      text: '{"a":1}',
      stop: 'end',
      usage: cost,
    })
    answer(200, body)
    expect(await ask(options)).toMatchObject({ text: '{"a":1}', usage: cost })
  })

  it('ends its answer with [DONE] if the finish_reason stays null', async () => {
    answer(200, sse(chunk({ content: '{"a":1}' }), '[DONE]'))
    expect(await ask(options)).toMatchObject({ text: '{"a":1}', stop: 'end' })
    answer(200, sse(chunk({ content: '{"a":1}' })))
    expect(await failureOf(ask(options))).toMatchObject({ reason: 'cut-off', retryable: true })
  })

  it('has its complete answer kept, no matter what comes after it', async () => {
    const body = thenReset(sse(chunk({ content: '{"a":1}' }), chunk({}, 'stop', { usage })))
    answer(200, body, { 'content-type': 'text/event-stream' })
    expect(await ask(options)).toMatchObject({ text: '{"a":1}', stop: 'end', usage: cost })

    const hanging = new Readable({ read() {} })
    hanging.push(sse(chunk({ content: '{"a":1}' }), chunk({}, 'stop', { usage })))
    answer(200, hanging, { 'content-type': 'text/event-stream' })
    expect(await ask({ ...options, idleTimeoutMs: 2000 })).toMatchObject({ text: '{"a":1}', usage: cost })
    hanging.destroy()
  })

  it('has its usage taken from the last chunk if each chunk has one', async () => {
    const counted = (prompt_tokens: number, completion_tokens: number) => ({
      usage: { prompt_tokens, completion_tokens },
    })
    answer(
      200,
      sse(
        chunk({ content: '{' }, null, counted(9, 1)),
        chunk({ content: '}' }, 'stop', counted(9, 3)),
        '[DONE]',
      ),
    )
    expect((await ask(options)).usage).toEqual(cost)
  })

  it('has the known part of its cost kept if the answer broke off', async () => {
    const body = thenReset(sse(chunk({ content: '{"a"' }, null, { usage })))
    answer(200, body, { 'content-type': 'text/event-stream', 'x-request-id': 'req_1' })
    expect(await failureOf(ask(options))).toMatchObject({
      retryable: true,
      usage: cost,
      requestId: 'req_1',
      model: 'qwen3',
    })
  })

  it('may send errors with status 200, which are reported', async () => {
    answer(200, { error: { code: 502, message: 'Provider returned error' } })
    expect(await failureOf(ask(options))).toMatchObject({ reason: 'server-error', retryable: true })
    answer(200, { error: 'Unexpected endpoint or method. (POST /chat/completions)' })
    expect(await failureOf(ask(options))).toMatchObject({
      reason: 'bad-request',
      retryable: false,
      message: expect.stringContaining('Unexpected endpoint'),
    })
    answer(200, sse(chunk({ content: '{' }, null, { usage }), { error: { code: 429, message: 'slow down' } }))
    expect(await failureOf(ask(options))).toMatchObject({
      reason: 'rate-limited',
      retryable: true,
      usage: cost,
    })
    const failed = { index: 0, delta: {}, finish_reason: 'stop', error: { code: 503, message: 'busy' } }
    answer(200, sse({ id: 'c1', choices: [failed] }, '[DONE]'))
    expect(await failureOf(ask(options))).toMatchObject({ reason: 'overloaded', retryable: true })
    answer(200, 'event: error\ndata: {"message":"out of memory"}\n\n')
    expect(await failureOf(ask(options))).toMatchObject({
      reason: 'server-error',
      message: expect.stringContaining('memory'),
    })
  })

  it('leads to advice on what to check if something else answers', async () => {
    answer(200, '<!doctype html><title>Welcome</title>', { 'content-type': 'text/html' })
    expect(await failureOf(ask(options))).toMatchObject({
      reason: 'bad-request',
      message: expect.stringContaining('base URL'),
    })
    answer(200, { hello: 'world' })
    expect(await failureOf(ask(options))).toMatchObject({
      reason: 'bad-request',
      message: expect.stringContaining('base URL'),
    })
    answer(404, '<html>\n<title>404</title>', { 'content-type': 'text/html' })
    const { message } = await failureOf(ask(options))
    expect(message).toContain('base URL')
    expect(message).not.toContain('<')
    answer(200, '')
    expect(await failureOf(ask(options))).toMatchObject({ reason: 'cut-off' })
  })

  it('shows a sign of life by the head of an answer', async () => {
    nock(host).post('/v1/chat/completions').delay({ head: 1200, body: 1200 }).reply(200, whole)
    expect(await ask({ ...options, idleTimeoutMs: 2000 })).toMatchObject({ text: '{"a":1}' })
  })

  it('may quote a key in an error, which is not shown', async () => {
    refuse(401, 'Incorrect API key provided: sk-abcdefghijklmnop. See https://example.test')
    const { message, reason } = await failureOf(ask({ ...options, apiKey: 'sk-abcdefghijklmnop' }))
    expect(reason).toBe('auth')
    expect(message).toContain('Incorrect API key')
    expect(message).not.toContain('sk-')
  })
})

describe('a server that does not support a way of asking for JSON', () => {
  const formats = (bodies: readonly Body[]) =>
    bodies.map((body) => (body.response_format as { type: string } | undefined)?.type ?? 'none')

  it.each([
    [400, "Invalid parameter: 'response_format' of type 'json_schema' is not supported with this model."],
    [400, 'This response_format type is unavailable now'],
    [400, 'This model does not support response format `json_schema`'],
    [400, 'Failed to parse grammar'],
    [422, 'guided decoding is not supported'],
    [404, 'No endpoints found that can handle the requested parameters.'],
    [500, 'The provided JSON schema contains features not supported by xgrammar'],
  ])('is asked in the next way after %i %s', async (status, message) => {
    const first = refuse(status, message)
    const second = answer(200, whole)
    expect(await ask(options)).toMatchObject({ text: '{"a":1}', usage: cost })
    expect(formats([...first, ...second])).toEqual(['json_schema', 'json_object'])
    expect(JSON.stringify(second[0]?.messages)).toContain(JSON.stringify(JSON.stringify(schema)).slice(1, -1))
  })

  it('has finally refused if no way works, and is asked in the first way the next time', async () => {
    const model = openaiModel(options)
    const { signal } = new AbortController()
    for (let times = 0; times < 3; times++) refuse(400, 'response_format: invalid model')
    expect(await failureOf(model(request, { signal }))).toMatchObject({
      reason: 'bad-request',
      retryable: false,
    })
    const later = answer(200, whole)
    await model(request, { signal })
    expect(formats(later)).toEqual(['json_schema'])
  })

  it('is not asked again if the error is a different one', async () => {
    refuse(400, 'The model `qwen9` does not exist')
    expect(await failureOf(ask(options))).toMatchObject({ reason: 'bad-request' })
    refuse(400, 'Failed to generate JSON for the schema', { code: 'json_validate_failed' })
    expect(await failureOf(ask(options))).toMatchObject({ reason: 'invalid-output', retryable: true })
    refuse(429, 'rate limit of json_schema requests')
    expect(await failureOf(ask(options))).toMatchObject({ reason: 'rate-limited' })
  })

  it('is asked at once in the configured way', async () => {
    const sent = answer(200, whole)
    await ask({ ...options, structured: 'prompt' })
    expect(formats(sent)).toEqual(['none'])
  })
})
