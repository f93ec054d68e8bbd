import { beforeEach, describe, expect, it } from 'vitest'
import type { ScenarioLike } from '../../../../test/stand-in/index.ts'
import { testStandIn } from '../../../../test/support/test-stand-in.ts'
import type { OpenAIOptions } from '../../src/openai/openai-model.ts'
import { billed, failureOf } from '../support/ask.ts'
import { ask, request } from './sample.ts'

const standIn = testStandIn('all')
beforeEach(() => standIn.always('ok'))

const apis = ['responses', 'chat'] as const
const ways = apis.flatMap((api) => [true, false].map((stream) => ({ api, stream })))

describe.each(ways)('openaiModel, $api, stream $stream', ({ api, stream }) => {
  const call = (scenario: ScenarioLike, more: Partial<OpenAIOptions> = {}) => {
    standIn.script([scenario])
    return ask({ model: 'stand-in', baseURL: standIn.openaiUrl, apiKey: 'key-1', api, stream, ...more })
  }
  const lastBill = () => {
    const { cacheWriteTokens, ...usage } = billed(standIn.bill.at(-1))
    // Chat does not report writes to a cache if there were none.
    return api === 'chat' && cacheWriteTokens === 0 ? usage : { ...usage, cacheWriteTokens }
  }

  it('gives text, usage, model and id of the request, with one request', async () => {
    const before = standIn.requests.length
    const reply = await call({ scenario: 'ok', text: '{"goal":"x","open":null}', cacheRead: 4, reasoning: 9 })
    expect(reply).toMatchObject({ text: '{"goal":"x","open":null}', stop: 'end', model: 'stand-in' })
    expect(reply.usage).toEqual(lastBill())
    expect(reply.usage).toMatchObject({ cacheReadTokens: 4, reasoningTokens: 9 })
    expect(reply.requestId).toBe(standIn.bill.at(-1)?.requestId)
    expect(standIn.requests.length - before).toBe(1)
    expect(standIn.requests.at(-1)?.headers['x-stainless-retry-count']).toBe('0')
    expect(standIn.requests.at(-1)?.headers.authorization).toBe('Bearer key-1')
  })

  it.each([
    ['refusal', 'refusal'],
    [{ scenario: 'refusal', text: 'Some prose.' }, 'refusal'],
    ['max_tokens', 'max-tokens'],
    ['context_exceeded', 'max-tokens'],
    ['content_filter', 'content-filter'],
    ['bad_schema', 'end'],
    ['prose', 'end'],
    ['fenced', 'end'],
    ['empty', 'end'],
    ['two_text_blocks', 'end'],
    ['no_content_type', 'end'],
  ] as const)('returns %j as stop %s, with what was billed', async (scenario, stop) => {
    const reply = await call(scenario)
    expect(reply.stop).toBe(stop)
    expect(reply.usage).toEqual(lastBill())
  })

  it('returns an answer that does not fit the schema, for a repair', async () => {
    expect((await call('bad_schema')).text).toContain('unexpected')
    expect((await call('prose')).text).toMatch(/^I have read/)
    expect((await call('max_tokens')).text.length).toBeGreaterThan(10)
  })

  it('does not read a missing usage as 0', async () => {
    expect(await call('no_usage')).toMatchObject({ stop: 'end', usage: {} })
  })

  it.each([
    [400, 'bad-request', false],
    [401, 'auth', false],
    [403, 'auth', false],
    [404, 'bad-request', false],
    [402, 'spend-limit', false],
    ['spend_limit', 'spend-limit', false],
    ['prompt_too_long', 'prompt-too-long', false],
    [413, 'prompt-too-long', false],
    [408, 'timeout', true],
    [409, 'server-error', true],
    [429, 'rate-limited', true],
    [500, 'server-error', true],
    [502, 'server-error', true],
    [503, 'overloaded', true],
    [529, 'overloaded', true],
    [{ scenario: 'status', code: 500, xShouldRetry: false }, 'server-error', false],
    [{ scenario: 'status', code: 400, xShouldRetry: true }, 'bad-request', true],
  ] as const)('throws on %j a ModelError %s, after one request', async (scenario, reason, retryable) => {
    const before = standIn.requests.length
    const error = await failureOf(call(scenario))
    expect(error).toMatchObject({ reason, retryable, usage: {} })
    expect(error.requestId).toMatch(/^req_/)
    expect(error.message).not.toContain('marmalade')
    expect(standIn.requests.length - before).toBe(1)
  })

  it.each([
    [90.5, 90_500],
    [3600, 3_600_000],
    [{ ms: 90_250 }, 90_250],
  ])('reports the wait that is requested, %j, and does not wait', async (retryAfter, retryAfterMs) => {
    const started = performance.now()
    const error = await failureOf(call({ scenario: 'status', code: 429, retryAfter }))
    expect(error).toMatchObject({ reason: 'rate-limited', retryable: true, retryAfterMs })
    expect(performance.now() - started).toBeLessThan(60_000)
  })

  it('reports a wait until a date', async () => {
    const retryAfter = new Date(Date.now() + 3_600_000)
    const { retryAfterMs } = await failureOf(call({ scenario: 'status', code: 503, retryAfter }))
    expect(retryAfterMs).toBeGreaterThan(3_590_000)
  })

  it('reports a connection that is reset, without a retry of its own', async () => {
    for (const scenario of ['connection_reset', 'lost_reply'] as const) {
      const before = standIn.requests.length
      expect(await failureOf(call(scenario))).toMatchObject({
        reason: 'connection',
        retryable: true,
        usage: {},
      })
      expect(standIn.requests.length - before).toBe(1)
    }
  })

  it('gives up if nothing comes, before the head or after it', async () => {
    for (const [scenario, reason] of [
      ['stall_headers', 'timeout'],
      ['stall', 'stalled'],
    ] as const) {
      // Long enough for the request to reach the server on a busy machine.
      const error = await failureOf(call(scenario, { idleTimeoutMs: 1000 }))
      expect(error).toMatchObject({ reason, retryable: true })
      await untilAborted()
    }
  })

  it('rejects with the reason of the signal, before, while it waits and while it reads', async () => {
    const reason = new Error('stopped by the caller')
    const before = standIn.requests.length
    const options = { model: 'stand-in', baseURL: standIn.openaiUrl, api, stream }
    await expect(ask(options, AbortSignal.abort(reason))).rejects.toBe(reason)
    expect(standIn.requests).toHaveLength(before)
    for (const scenario of ['stall_headers', 'stall', { scenario: 'slow', ms: 90_000 }] as const) {
      standIn.script([scenario])
      const sent = standIn.requests.length
      const control = new AbortController()
      const pending = ask(options, control.signal)
      const ended = expect(pending).rejects.toBe(reason)
      await expect.poll(() => standIn.requests.length).toBe(sent + 1)
      setTimeout(() => control.abort(reason), 100)
      await ended
      await untilAborted()
    }
  })

  it.runIf(stream)('continues while bytes come, even bytes that are not events', async () => {
    const options = { idleTimeoutMs: 1500 }
    expect(await call({ scenario: 'drip', everyMs: 300 }, options)).toMatchObject({ stop: 'end' })
    expect(await call({ scenario: 'pings', n: 6, everyMs: 400 }, options)).toMatchObject({ stop: 'end' })
  })

  it.each(['stream_cut', 'stream_reset', 'stream_no_stop'] as const)(
    'accepts no answer from %s',
    async (scenario) => {
      if (!stream && scenario === 'stream_no_stop') return
      const error = await failureOf(call(scenario))
      expect(error).toMatchObject({ reason: 'cut-off', retryable: true, usage: {} })
      expect(error.requestId).toBe(standIn.bill.at(-1)?.requestId)
      if (stream) expect(error.model).toBe('stand-in')
    },
  )

  it('accepts no answer from a stream that is cut before its first word', async () => {
    expect(await failureOf(call({ scenario: 'stream_cut', after: 0 }))).toMatchObject({ reason: 'cut-off' })
  })

  it('reports an error that the stream ends with', async () => {
    const error = await failureOf(call('stream_error'))
    expect(error).toMatchObject({ reason: 'server-error', retryable: true })
    expect(error.message).toContain('The server had an error')
    expect(error.requestId).toMatch(/^req_/)
  })

  it('reports a Response that failed, with its cost', async () => {
    const error = await failureOf(call('failed'))
    expect(error).toMatchObject({ reason: 'server-error', retryable: true })
    expect(error.usage).toEqual(api === 'responses' ? lastBill() : {})
  })

  it.runIf(api === 'responses')(
    'accepts no answer that is incomplete without a reason, but keeps its cost',
    async () => {
      expect(await failureOf(call('incomplete'))).toMatchObject({ reason: 'cut-off', usage: lastBill() })
    },
  )

  it('sends the schema, and no more than the server supports', async () => {
    await call('ok')
    const body = standIn.requests.at(-1)?.body as Record<string, unknown>
    expect(body.stream).toBe(stream)
    if (api === 'responses') {
      expect(body.store).toBe(false)
      expect(body).toMatchObject({
        text: { format: { type: 'json_schema', strict: true, schema: request.schema } },
      })
    } else {
      expect('store' in body).toBe(false)
      expect(body).toMatchObject({
        response_format: { type: 'json_schema' },
        max_tokens: request.maxOutputTokens,
      })
    }
  })
})

/** The connection of an abandoned call has to be closed, or the model goes on. */
async function untilAborted(): Promise<void> {
  const started = performance.now()
  while (standIn.requests.at(-1)?.aborted !== true) {
    if (performance.now() - started > 60_000) throw new Error('the connection was not closed')
    await new Promise((resolve) => setTimeout(resolve, 10))
  }
}
